"""What a line must hold if a regular expression is to match it: literals, which are searched for at GB/s.

The trap: nothing may be left out. Where a pattern's parse is not understood there are none, and every line
has to be tried. It reads the parse of Python's own `re`, whose module is private: no parser, no literals.
"""

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

_MOST = 16  # alternatives: with more, trying every line is as fast
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


Literals = tuple[bytes, ...]


def required(source: bytes, flags: int = 0) -> list[Literals]:
    """Choices, none where there are none to tell: of the literals of each, every match holds at least one.

    In whatever case they are. Raises re.error as `re.compile` does.
    """
    try:
        tree = import_module("re._parser").parse(source, flags)
    except (ImportError, AttributeError):
        return []
    if tree.state.flags & re.LOCALE:
        return []  # which bytes are the same letter is not for us to know
    return [choice for choice in _choices(tree) if len(choice) <= _MOST]


def _choices(tree: Iterable[tuple[Any, Any]]) -> list[Literals]:
    """What stands one after another: each part alone must be in a match."""
    found, run = list[Literals](), bytearray()
    for kind, value in tree:
        if str(kind) == "LITERAL":
            run.append(value)
            continue
        found.append((bytes(run),))
        run.clear()
        found += _inside(str(kind), value)
    found.append((bytes(run),))
    return [choice for choice in found if all(choice)]


def _inside(kind: str, value: Any) -> list[Literals]:
    if kind == "SUBPATTERN":
        return [] if value[1] & re.LOCALE else _choices(value[3])
    if kind == "ATOMIC_GROUP":
        return _choices(value)
    if kind in _REPEATS and value[0] >= 1:
        return _choices(value[2])
    if kind == "BRANCH":
        branches = [max(_choices(branch), key=_worth, default=()) for branch in value[1]]
        return [sum(branches, ())] if all(branches) else []
    return []  # a set of characters, an assertion, a reference: nothing that must be there


def _worth(literals: Literals) -> tuple[int, int]:
    """Long ones are seldom; of as long ones, few."""
    return min(4, *(len(literal) for literal in literals)), -len(literals)
