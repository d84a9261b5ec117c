"""Lengths of time as people write them on a command line: 40, 40s, 90d, 2h30m, 20:00:00, 1-12:00:00."""

import re

import click

from trainwatch.app.amounts import NumberType, amount
from trainwatch.core.patterns import pattern

_UNITS = {
    "ms": 0.001,
    "s": 1.0,
    "sec": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
}
_PART = pattern(r"(\d+(?:\.\d+)?)\s*(ms|sec|s|min|m|h|d|w)\s*", re.IGNORECASE | re.ASCII)
_CLOCK = pattern(r"(?:(\d+)-)?(\d+):([0-5]\d)(?::([0-5]\d))?", re.ASCII)


def seconds(text: str) -> float | None:
    """The seconds that a text says; None if it says none. A bare number is seconds."""
    text = text.strip()
    if found := _CLOCK.fullmatch(text):
        days, hours, minutes, rest = (int(part or 0) for part in found.groups())
        return float(((days * 24 + hours) * 60 + minutes) * 60 + rest)
    parts = list(_PART.finditer(text))
    if parts and "".join(part[0] for part in parts) == text:
        return sum(float(part[1]) * _UNITS[part[2].lower()] for part in parts)
    return amount(text) if text[-1:].isdigit() or text.endswith(".") else None


class Duration(NumberType):
    """A length of time greater than zero, in seconds."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The seconds. Fails with what was expected."""
        length = seconds(str(value))
        if length is None:
            self.fail(
                f"{value!r} is no length of time; write 40, 40s, 2h30m, 90d or 20:00:00", param, ctx
            )
        if length <= 0:
            self.fail(f"{value!r} must be greater than zero", param, ctx)
        return length


DURATION = Duration()
