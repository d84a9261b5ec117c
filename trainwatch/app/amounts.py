"""Numbers as people write them on a command line: 52, 52e9, 1,024, 52B, 300G, 1T."""

import math
import re
from typing import TYPE_CHECKING

import click

from trainwatch.core.patterns import pattern

if TYPE_CHECKING:
    NumberType = click.ParamType[float]
else:
    NumberType = click.ParamType  # generic from click 8.3 on

_SMALLEST_MODEL = 10_000  # parameters; less is a number of billions
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9, "t": 1e12, "p": 1e15}
_AMOUNT = pattern(
    r"([-+]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([kmgbtp]?)", re.IGNORECASE | re.ASCII
)


def amount(text: str) -> float | None:
    """The number that a text says, None if it says none. Letters scale by 1000, in either case."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    value = float(re.sub("[,_]", "", found[1])) * _SCALES[found[2].lower()]
    return value if math.isfinite(value) else None


class Amount(NumberType):
    """A number greater than zero (or zero, where that makes sense), with or without a letter."""

    name = "number"

    def __init__(self, *, zero: bool = False, whole: bool = False) -> None:
        self._zero, self._whole = zero, whole

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number. Fails with what was expected."""
        number = amount(str(value))
        if number is None:
            self.fail(f"{value!r} is not a number; write 52, 52e9, 52B, 300G or 1T", param, ctx)
        if number < 0 or (number == 0 and not self._zero):
            self.fail(f"{value!r} must be greater than zero", param, ctx)
        if self._whole and number != int(number):
            self.fail(f"{value!r} must be a whole number", param, ctx)
        return int(number) if self._whole else number


POSITIVE = Amount()
COUNT = Amount(whole=True)
COUNT_OR_ZERO = Amount(whole=True, zero=True)


class Parameters(NumberType):
    """A number of parameters: 13B, 13e9, or a small number, which is billions."""

    name = "number"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, at least a few thousand."""
        number = float(POSITIVE.convert(value, param, ctx))
        return number * 1e9 if number < _SMALLEST_MODEL else number
