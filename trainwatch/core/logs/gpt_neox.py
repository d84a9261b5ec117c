"""GPT-NeoX: Megatron's line with `samples/sec` before the iteration and `approx flops per GPU` in it."""

from collections.abc import Iterator

from msgspec.structs import replace

from trainwatch.core.logs import pipes, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.logs.megatron_lm import iterations
from trainwatch.core.model.records import Iteration, Record
from trainwatch.core.patterns import pattern

_HEAD = pattern(r"samples/sec:\s*([\d.]+)\s*\|\s*iteration\s")


def _parse(line: Line) -> Iterator[Record]:
    rates = [text.number(found[1]) for found in _HEAD.finditer(line.text)]
    for rate, record in zip(rates, iterations("gpt-neox", line), strict=False):
        if isinstance(record, Iteration) and rate is not None:
            yield replace(record, values=record.values | {"samples_per_s": rate})
        else:
            yield record


FORMAT = Format(name="gpt-neox", needles=(pipes.NEEDLE,), parse=_parse)
