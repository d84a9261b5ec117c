"""Which keys of a configuration changed, by name alone: a value may be a secret.

The trap: tables of a list are told apart by what they are about, not by their place, or one more run at the
top would change them all.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

import msgspec

from trainwatch.core.words import clean

_NAMED_BY = ("name", "log", "path")  # not `to`: it may be a URL
_MOST = 6


def names(before: msgspec.Struct, after: msgspec.Struct) -> list[str]:
    """The keys that changed, as `alerts.stall.severity` or `runs.tr11`, in the order of the tables."""
    return list(dict.fromkeys(_struct(before, after, "")))


def in_words(keys: list[str]) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(keys) - _MOST} more" if len(keys) > _MOST else ""
    return ", ".join(clean(key, 80) for key in keys[:_MOST]) + more


def _struct(before: msgspec.Struct, after: msgspec.Struct, at: str) -> Iterator[str]:
    for field in msgspec.structs.fields(before):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if old != new:
            yield from _value(old, new, f"{at}{field.encode_name}")


def _value(old: object, new: object, at: str) -> Iterator[str]:
    if isinstance(old, msgspec.Struct) and type(old) is type(new):
        yield from _struct(old, new, f"{at}.")
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _mapping(old, new, at)
    elif _is_tables(old) and _is_tables(new):
        yield from _mapping(_by_name(old), _by_name(new), at)
    else:
        yield at


def _mapping(old: Mapping[str, object], new: Mapping[str, object], at: str) -> Iterator[str]:
    found = False
    for key in dict.fromkeys(chain(old, new)):
        if key not in old or key not in new:
            found = True
            yield f"{at}.{key}"
        elif old[key] != new[key]:
            found = True
            yield from _value(old[key], new[key], f"{at}.{key}")
    if not found:
        yield at  # their order


def _is_tables(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, msgspec.Struct) for each in value)


def _by_name(tables: object) -> dict[str, object]:
    """Tables of a list by what they are about; two of one name are told apart by their place."""
    assert isinstance(tables, tuple)
    found = dict[str, object]()
    for number, table in enumerate(tables):
        named = (getattr(table, key, None) for key in _NAMED_BY)
        name = str(next((each for each in named if each), number))
        found[name if name not in found else f"{name}[{number}]"] = table
    return found
