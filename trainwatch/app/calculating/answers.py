"""What `calc` says: each value rounded for people and in full for programs, and what is wrong."""

import math
from typing import NamedTuple

import click
import msgspec

from trainwatch.core.errors import ExitCode

SCHEMA_VERSION = 1


class Value(NamedTuple):
    """One value. `text` is how a person writes it, with its unit."""

    key: str
    number: float | str | None
    text: str


def fixed(
    key: str, number: float | None, unit: str, decimals: int = 2, scale: float = 1.0
) -> Value:
    """A value with so many decimals, in a unit that is `scale` of the key's; small ones get more."""
    if number is None:
        return Value(key, None, "unknown")
    shown = number / scale
    if 0 < abs(shown) < 0.1:
        decimals -= math.floor(math.log10(abs(shown))) + 1
    text = f"{shown:.{decimals}f} {unit}".rstrip()
    full = f"{shown!r}"
    return Value(key, number, text if full in text else f"{text}   ({full})")


def whole(key: str, number: float, unit: str = "") -> Value:
    """A count, with thousands commas."""
    return Value(key, round(number), f"{round(number):,} {unit}".rstrip())


def bytes_of(key: str, count: float) -> Value:
    """A size, in decimal units."""
    for scale, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= scale:
            return Value(key, count, f"{count / scale:.4g} {unit}")
    return Value(key, count, f"{count:g} B")


def say(values: list[Value], warnings: list[str], as_json: bool) -> ExitCode:
    """Print the values, and on stderr what is wrong."""
    if as_json:
        said: dict[str, object] = {value.key: value.number for value in values}
        said |= {"warnings": warnings, "schema_version": SCHEMA_VERSION}
        click.echo(msgspec.json.format(msgspec.json.encode(said)).decode())
    else:
        width = max(len(value.key) for value in values)
        for value in values:
            click.echo(f"{value.key:<{width}}   {value.text}")
        for warning in warnings:
            click.echo(f"warning: {warning}", err=True)
    return ExitCode.OK
