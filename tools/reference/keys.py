"""docs/reference/keys.md: every key of the screen, from what it binds."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import format_key

from tools.reference.markdown import NOTE, code, page, plain, table
from trainwatch.app import tui
from trainwatch.app.tui.help import SIGNS
from trainwatch.app.tui.keys import MOUSE, SECTIONS, bindings

_TOP = """# Every key of the screen

`?` shows them on the screen itself. A key works in the panel that has the focus (Tab), those under
*anywhere* in each.
"""
_HEADS = ("key", "what it does")
# Where what the terminal calls a key is no word for people.
_NAMES: Mapping[str, str] = {
    "enter": "Enter",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
}


def text() -> str:
    """The page."""
    parts = [_section(name, bindings(keys)) for name, keys in SECTIONS]
    told = {(one.key, one.action) for _, keys in SECTIONS for one in _made(bindings(keys))}
    for place, found in bound():
        if any((one.key, one.action) not in told for one in found):
            parts.append(_section(place, found))
    for name, pairs in (("mouse", MOUSE), ("signs", SIGNS)):
        rows = [(plain(left), plain(right)) for left, right in pairs]
        parts.append(page(f"## {name}", table((name, "what it means"), rows)))
    return page(NOTE, _TOP, *parts)


def bound() -> Iterator[tuple[str, list[Binding]]]:
    """Whatever has keys of its own, with the file that it stands in."""
    for info in pkgutil.walk_packages(tui.__path__, f"{tui.__name__}."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            ours = isinstance(value, type) and value.__module__ == info.name
            if ours and issubclass(value, DOMNode) and "BINDINGS" in vars(value):
                yield info.name.rpartition(".")[2], _made(value.BINDINGS)


def _made(found: Iterable[Any]) -> list[Binding]:
    """Keys one by one, as Textual would take them."""
    return list(Binding.make_bindings(found))


def _section(name: str, found: Iterable[Any]) -> str:
    """What keys do, in rows. One without words does what the one before does, with another number."""
    rows = list[tuple[list[str], str, str]]()
    for one in _made(found):
        verb = one.action.partition("(")[0]
        same = [
            row for row in rows if row[1] == one.action or (not one.description and row[2] == verb)
        ]
        if same:
            same[0][0].append(one.key)
        else:
            rows.append(([one.key], one.action, verb))
    said = {one.action: one.description for one in _made(found) if one.description}
    cells = [
        (" ".join(code(shown(key)) for key in keys), plain(said[does])) for keys, does, _ in rows
    ]
    return page(f"## {name}", table(_HEADS, cells)) if cells else ""


def shown(key: str) -> str:
    """A key for people: `ctrl+c` is Ctrl C, `slash` is /."""
    *held, last = key.split("+")
    name = _NAMES.get(last) or format_key(last)
    named = name if len(name) == 1 or name in _NAMES.values() else name.capitalize()
    return " ".join([*(each.capitalize() for each in held), named])
