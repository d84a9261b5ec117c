"""A user's own log: one regular expression from the configuration, with named groups.

`iteration` names the iteration; `target`, `elapsed_s` and the columns of core/columns.py may follow;
`step_time_ms` and `tokens_per_s` are understood, any other group becomes a column of its own name.
`validation_loss` makes the line a validation.
"""

import re
from collections.abc import Callable, Iterator

from trainwatch.core.errors import UsageError
from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Record, Validation

_SPECIAL = {"iteration", "target", "elapsed_s", "stamp"}


def build(name: str, pattern: str, contains: str = "") -> Format:
    """The format for `pattern`. `contains` is a literal that every such line holds: with it the log is
    searched at full speed, without it every line is matched.

    Raises UsageError when the pattern is no regular expression or names neither `iteration` nor a loss.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"formats.{name}.pattern is not a regular expression: {error}") from error
    if not compiled.groupindex.keys() & {"iteration", "loss", "validation_loss"}:
        raise UsageError(
            f"formats.{name}.pattern has no group named 'iteration'. Name the numbers you want, e.g. "
            r"step (?P<iteration>\d+) loss (?P<loss>\S+)"
        )
    return Format(
        name=f"custom:{name}",
        needles=(contains.encode(),) if contains else (),
        parse=_parser(f"custom:{name}", compiled),
    )


def _parser(name: str, pattern: re.Pattern[str]) -> Callable[[Line], Iterator[Record]]:
    def parse(line: Line) -> Iterator[Record]:
        found = pattern.search(line.text)
        if found is not None:
            yield _record(name, found, line)

    return parse


def _record(name: str, found: re.Match[str], line: Line) -> Record:
    groups = {k: v for k, v in found.groupdict().items() if v is not None}
    numbers = {k: text.short_number(v) for k, v in groups.items() if k != "stamp"}
    values = {k: v for k, v in numbers.items() if v is not None and k not in _SPECIAL}
    stamp = text.stamp(groups.get("stamp", line.text))
    iteration, target = numbers.get("iteration"), numbers.get("target")
    if "validation_loss" in values:
        return Validation(
            format=name,
            stamp=stamp,
            iteration=text.count(iteration),
            values={"loss": values["validation_loss"]},
        )
    if "step_time_ms" in values:
        values["step_time_s"] = values.pop("step_time_ms") / 1000
    return Iteration(
        format=name,
        speaker=text.speaker(line.text),
        stamp=stamp,
        iteration=text.count(iteration),
        target=text.count(target),
        values=values,
        elapsed_s=numbers.get("elapsed_s"),
    )
