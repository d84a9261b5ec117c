"""Megatron-DeepSpeed: Megatron-LM's line with `consumed tokens`, seconds, `samples per second`, TFLOPs.

Its builds of 2021 print `lm-loss:`, and `loss scale: -1.0`, `grad norm: 0.000` for what the engine did
not measure. Lines of torchrun `--tee 3` begin with `[default7]:`; only the last rank prints them.
"""

from collections.abc import Iterator

from trainwatch.core.logs import pipes
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.logs.megatron_lm import iterations
from trainwatch.core.model.records import Record

_MARKS = ("consumed tokens:", "samples per second:", "lm-loss:")


def _parse(line: Line) -> Iterator[Record]:
    if any(mark in line.text for mark in _MARKS):
        yield from iterations("megatron-deepspeed", line)


FORMAT = Format(name="megatron-deepspeed", needles=(pipes.NEEDLE,), parse=_parse)
