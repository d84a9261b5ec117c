"""Megatron-Core: a time stamp before the iteration, `throughput per GPU (TFLOP/s/GPU)` behind it.

Stamps of 2024 lack the microseconds. Forks rename the throughput to `compute per GPU` and add an
average behind it; AMD's prints each record twice, with `now/average` numbers.
"""

from collections.abc import Iterator

from trainwatch.core.logs import pipes
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.logs.megatron_lm import iterations
from trainwatch.core.model.records import Record
from trainwatch.core.patterns import pattern

_STAMPED = pattern(r"\d\d:\d\d(?:\.\d+)?\]\s+iteration\s")
_MARKS = ("throughput per GPU (TFLOP/s/GPU)", "compute per GPU (TFLOP/s/GPU)")


def _parse(line: Line) -> Iterator[Record]:
    if any(mark in line.text for mark in _MARKS) or _STAMPED.search(line.text):
        yield from iterations("megatron-core", line)


FORMAT = Format(name="megatron-core", needles=(pipes.NEEDLE,), parse=_parse)
