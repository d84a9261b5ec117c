"""NVIDIA's DLLogger: `0: DLL 2025-10-03 22:10:37.454176 - Iteration 2 | train_loss : 6.0234 | ...`."""

from collections.abc import Iterator

from trainwatch.core.logs import pairs, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Record
from trainwatch.core.patterns import pattern

NAME = "dllogger"

_HEAD = pattern(r"\bDLL (\S+ \S+) - (?:Epoch: \d+ )?Iteration:? (\d{1,15})\s+(.*)")
_PAIR = pattern(r"(?<![\w.-])(\w++)\s*+:\s*+([-+\d.eEnaif]+(?: (?:ms|s)\b)?)")
_NAMES: pairs.Names = {
    "train_loss": ("loss", 1),
    "loss": ("loss", 1),
    "iteration_time": ("step_time_s", 1),
    "step_time": ("step_time_s", 1),
    "train_throughput": ("samples_per_s", 1),
    "throughput_train": ("samples_per_s", 1),
    "lr": ("learning_rate", 1),
    "learning_rate": ("learning_rate", 1),
    "grad_norm": ("grad_norm", 1),
    "train_acc": ("train_acc", 1),
}


def _number(value: str) -> float | None:
    amount, _, unit = value.partition(" ")
    number = text.number(amount)
    return number / 1000 if number is not None and unit == "ms" else number


def _parse(line: Line) -> Iterator[Record]:
    head = _HEAD.search(line.text)
    if head is None:
        return
    values = pairs.pick(_PAIR, head[3], _NAMES, _number)
    if values:
        yield Iteration(
            format=NAME,
            speaker=text.speaker(line.text),
            stamp=text.stamp(head[1]),
            iteration=int(head[2]),
            values=values,
        )


FORMAT = Format(name=NAME, needles=(b"DLL 20",), parse=_parse)
