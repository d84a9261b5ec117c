"""Our own lines in a training log never count as its progress, whatever they quote."""

import pytest

from trainwatch.core.logs import custom
from trainwatch.core.logs.format import Format
from trainwatch.core.logs.own import PREFIX
from trainwatch.core.logs.scan import Scanner

MEGATRON = (
    b" iteration %8d/  115311 | consumed samples: 1024 | elapsed time per iteration (ms): 105200.0 |"
    b" learning rate: 6.000E-05 | global batch size: 2048 | lm loss: 2.303000E+00 | grad norm: 0.100 |"
    b" number of skipped iterations: 0 | number of nan iterations: 0 |\n"
)
QUOTED = {
    "an iteration": MEGATRON % 30,
    "a trainer's step": b"{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n",
    "a fault": b"RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
    "a save": b"successfully saved checkpoint at iteration   30 to /x\n",
    "the user's own": b"step 30/100 took 0.25s\n",
}
OWN_FORMATS = {
    "with a literal": custom.build("mine", r"step (?P<iteration>\d+)/", " took "),
    "without": custom.build("mine", r"step (?P<iteration>\d+)/", ""),
}


def records(scanner: Scanner, data: bytes) -> list[object]:
    return [record for _, record in scanner.scan(scanner.mark(data))]


@pytest.mark.parametrize("own", OWN_FORMATS.values(), ids=OWN_FORMATS.keys())
@pytest.mark.parametrize("in_columns", [True, False])
@pytest.mark.parametrize("quoted", QUOTED.values(), ids=QUOTED.keys())
def test_our_lines_are_not_read(quoted: bytes, in_columns: bool, own: Format) -> None:
    ours = PREFIX.encode() + quoted
    scanner = Scanner([own], in_columns=in_columns)
    assert records(scanner, quoted) or quoted is QUOTED["a trainer's step"]
    assert records(Scanner([own], in_columns=in_columns), ours) == []
    between = (MEGATRON % 10) + (MEGATRON % 11) + ours + (MEGATRON % 12)
    without = (MEGATRON % 10) + (MEGATRON % 11) + (MEGATRON % 12)
    assert iterations(in_columns, own, between) == iterations(in_columns, own, without)


def iterations(in_columns: bool, own: Format, data: bytes) -> list[int]:
    scanner = Scanner([own], in_columns=in_columns)
    scanner_records = [scanner.scan(scanner.mark(MEGATRON % 9)), scanner.scan(scanner.mark(data))]
    found = list[int]()
    for items in scanner_records:
        for _, item in items:
            rows = [r for _, r in item.records()] if hasattr(item, "records") else [item]
            found += [getattr(record, "iteration", -1) for record in rows]
    return found
