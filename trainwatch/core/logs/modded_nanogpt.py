"""modded-nanogpt: `step:125/6200 train_loss:4.1 train_time:27012ms step_avg:216.1ms`.

Its file begins with its own source code, whose print statements look alike but hold braces instead
of numbers. `train_time` is cumulative; `step_avg:nanms` at the start is no NaN loss.
"""

from collections.abc import Iterator

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Record, Validation
from trainwatch.core.patterns import pattern

NAME = "modded-nanogpt"

_LINE = pattern(
    r"(?<![\w])step:(\d{1,15})/(\d{1,15}) (?:(train|val)_loss:([\d.naif-]+) )?(?:\w{1,40}:\S{1,40} ){0,20}?"
    r"train_time:([\d.]+)(ms|s)(?: step_avg:([\d.]+|nan)ms)?"
)


def _parse(line: Line) -> Iterator[Record]:
    found = _LINE.search(line.text)
    if found is None:
        return
    step, target = int(found[1]), int(found[2])
    loss = text.number(found[4]) if found[4] else None
    values = {} if loss is None else {"loss": loss}
    if found[3] == "val":
        yield Validation(format=NAME, iteration=step, values=values)
        return
    elapsed = text.number(found[5])
    elapsed_s = None if elapsed is None else elapsed / (1000 if found[6] == "ms" else 1)
    yield Iteration(format=NAME, iteration=step, target=target, values=values, elapsed_s=elapsed_s)


FORMAT = Format(name=NAME, needles=(b" train_time:",), parse=_parse)
