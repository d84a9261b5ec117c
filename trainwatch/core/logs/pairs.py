"""`name: value` and `name=value` pairs of the formats that are not Megatron's, by a table of names."""

import re
from collections.abc import Callable, Mapping

# name in the log -> (our column, divisor to its unit)
Names = Mapping[str, tuple[str, float]]


def pick(
    pattern: re.Pattern[str],
    line: str,
    names: Names,
    number: Callable[[str], float | None],
) -> dict[str, float]:
    """The columns among the (name, value) pairs that `pattern` finds; the first of a name counts."""
    values: dict[str, float] = {}
    for name, value in pattern.findall(line):
        known = names.get(name)
        parsed = number(value) if known else None
        if known and parsed is not None:
            values.setdefault(known[0], parsed / known[1])
    return values
