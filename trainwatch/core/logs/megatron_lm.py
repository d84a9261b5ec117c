"""Megatron-LM up to 2021: ` iteration  10/  1000 | consumed samples: ... |`, without a time stamp.

The fall-back of the Megatron family: its younger members are looked for first (table.py). A launcher may
have put a time stamp before the record.
"""

from collections.abc import Iterator

from trainwatch.core.logs import pipes, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Record, Torn


def iterations(name: str, line: Line) -> Iterator[Record]:
    """Megatron's iterations on a line as records of the format `name`, Torn for what is cut off."""
    speaker, begun = text.speaker(line.text), 0
    for start, found in pipes.records(line.text):
        before, begun = line.text[begun:start], start
        if found is None:
            yield Torn(format=name, speaker=speaker)
            continue
        yield Iteration(
            format=name,
            speaker=speaker,
            stamp=text.stamp(before),
            iteration=found.iteration,
            target=found.target,
            values=found.values,
            loss_expected=found.loss_left_out,
        )


def _parse(line: Line) -> Iterator[Record]:
    return iterations("megatron-lm", line)


FORMAT = Format(name="megatron-lm", needles=(pipes.NEEDLE,), parse=_parse)
