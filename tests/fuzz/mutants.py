"""Snapshots that nobody would make: those of the tests, with any part of them replaced by one as hostile.

What is replaced keeps its type, as whatever is read from a disk is of the type that is promised.
"""

import functools
import math
import random
import types
import typing
from array import array
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from tests.app.tui import fleets, housed
from tests.app.tui.accounts import BY_LOG, accounted, hours
from tests.app.tui.alarms import alarming
from tests.app.tui.attempted import attempted
from tests.app.tui.chains import ALONE, CHAIN, chained
from tests.app.tui.histories import NOW
from tests.app.tui.hostile import HOSTILE, hostile, hostile_alerts, numberless
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import log_text
from tests.app.tui.states import STATES, many_attempts
from trainwatch.core.fleet import judged, row_of
from trainwatch.core.model.fleet import Fleet
from trainwatch.core.model.snapshot import History, Snapshot

T = TypeVar("T")
FLOATS = (math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0, -1.0, 1e18, 4e9, -1e12)
INTEGERS = (0, 1, -1, 7, 10**6, 2**31, 2**63 - 1, -(2**63))
_RATES = (0.0, 0.01, 0.05, 0.3)  # how many parts are replaced


class Scene(typing.NamedTuple):
    """What a screen is handed."""

    snapshot: Snapshot
    lines: list[str]


def scene(number: int) -> Scene:
    """The one of this number."""
    dice = random.Random(number)
    base = dice.choice(_bases())()
    made = mutant(base, dice, dice.choice(_RATES))
    if dice.random() < 0.2:
        made = replace(made, history=_cut(made.history, dice.choice((0, 1, 2, 3))))
    lines = dice.choice((_log(), list(HOSTILE), [], _log()[:1]))
    return Scene(made, lines)


def runs(number: int) -> Fleet:
    """All runs, of this number: those of the tests, or rows of hostile statuses."""
    dice = random.Random(number)
    if dice.random() < 0.3:
        return dice.choice(_fleets())
    rate = dice.choice(_RATES)
    made = [dice.choice(_bases())().status for _ in range(dice.choice((0, 1, 2, 8, 40)))]
    rows = [
        row_of(f"key-{n}", mutant(each, dice, rate), *_words(dice)) for n, each in enumerate(made)
    ]
    speeds = {row.key: tuple(dice.choices(FLOATS, k=dice.randrange(20))) for row in rows}
    trouble = dice.choice(("", *HOSTILE))
    seen = [judged(row, NOW) for row in rows]
    return Fleet(
        at=NOW, rows=tuple(seen), speeds=speeds, unread=dice.choice((0, 0, 7)), trouble=trouble
    )


def _words(dice: random.Random) -> tuple[str, str]:
    """A project and a user."""
    return dice.choice(HOSTILE), dice.choice(HOSTILE)


def mutant(whole: T, dice: random.Random, rate: float) -> T:
    """The same with parts replaced, each with a probability of `rate`."""
    return typing.cast(T, _mutant(whole, type(whole), dice, rate))


def _mutant(value: Any, kind: Any, dice: random.Random, rate: float) -> Any:
    if isinstance(value, History):
        return _numbers(value, dice) if dice.random() < rate else value
    if dice.random() < rate:
        value = _other(value, kind, dice)
    if isinstance(value, msgspec.Struct):
        parts = {
            field.name: _mutant(getattr(value, field.name), field.type, dice, rate)
            for field in _fields(type(value))
        }
        return type(value)(**parts)
    if isinstance(value, tuple):
        inner = _inner(kind)
        return tuple(_mutant(each, inner, dice, rate) for each in value[:_MOST])
    return value


_MOST = 200
_fields = functools.cache(msgspec.structs.fields)


def _other(value: Any, kind: Any, dice: random.Random) -> Any:
    """Something else of the same type."""
    kinds = typing.get_args(kind) if _is_union(kind) else (kind,)
    chosen = dice.choice(kinds)
    if chosen is types.NoneType:
        return None
    if typing.get_origin(chosen) is typing.Literal:
        return dice.choice(typing.get_args(chosen))
    if typing.get_origin(chosen) is tuple:
        return dice.choice(((), value[:1], value * 3)) if isinstance(value, tuple) else value
    return _OTHERS[chosen](dice) if chosen in _OTHERS else value


_OTHERS: dict[object, Callable[[random.Random], object]] = {
    str: lambda dice: dice.choice(HOSTILE),
    float: lambda dice: dice.choice(FLOATS),
    int: lambda dice: dice.choice(INTEGERS),
    bool: lambda dice: dice.random() < 0.5,
}


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def _inner(kind: Any) -> Any:
    """Of what the elements of a tuple are."""
    kinds = typing.get_args(kind) if _is_union(kind) else (kind,)
    found = next((each for each in kinds if typing.get_origin(each) is tuple), None)
    return typing.get_args(found)[0] if found is not None else object


def _numbers(history: History, dice: random.Random) -> History:
    """Some values in each column are others."""
    columns = {name: array("d", column) for name, column in history.columns.items()}
    for column in columns.values():
        for _ in range(dice.randrange(1 + len(column) // 4)):
            column[dice.randrange(len(column))] = dice.choice(FLOATS)
    return replace(history, columns=columns)


def _cut(history: History, rows: int) -> History:
    """The first rows."""
    columns = {name: array("d", column)[:rows] for name, column in history.columns.items()}
    return replace(history, rows=min(rows, history.rows), columns=columns)


@functools.cache
def _bases() -> tuple[Callable[[], Snapshot], ...]:
    """Made once each: they are large, and never written to."""
    made = [
        HEALTHY,
        alarming(),
        attempted(),
        accounted(hours()),
        accounted(BY_LOG),
        housed.housed(),
        chained(CHAIN),
        chained(ALONE),
        many_attempts(300),
        *STATES.values(),
    ]
    one: list[Callable[[], Snapshot]] = [functools.partial(_itself, each) for each in made]
    one += [functools.cache(functools.partial(hostile, text)) for text in HOSTILE]
    one += [functools.cache(functools.partial(hostile_alerts, text)) for text in HOSTILE]
    one += [functools.cache(functools.partial(numberless, each)) for each in FLOATS]
    return tuple(one)


def _itself(snapshot: Snapshot) -> Snapshot:
    return snapshot


@functools.cache
def _fleets() -> tuple[Fleet, ...]:
    many = (fleets.many(60), fleets.many(7))
    return (fleets.fleet(), fleets.fleet(()), *many, *map(fleets.hostile, HOSTILE))


@functools.cache
def _log() -> list[str]:
    return log_text()
