"""The checks as people read them: grouped, a line each, and what is amiss once more at the end.

The trap: names and errors are foreign text. Each line is cleaned as it is made, and none is markup.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from trainwatch.core.doctor.check import Check, Verdict, troubles
from trainwatch.core.words import clean

_GLYPHS: dict[Verdict, str] = {"ok": "✓", "warning": "!", "wrong": "✗", "unknown": "?"}
_PLAIN: dict[Verdict, str] = {"ok": "+", "warning": "!", "wrong": "x", "unknown": "?"}
_NAME_CHARS, _LINE_CHARS = 24, 500


class Line(NamedTuple):
    """One line; `verdict` is what its beginning may be coloured by, so many characters of it."""

    text: str
    verdict: Verdict | None = None
    marked: int = 0


def lines(checks: Sequence[Check], *, unicode: bool) -> Iterator[Line]:
    """All of it. `unicode`: the output shows any character; else all of it is ASCII."""
    for line in _lines(checks, unicode):
        plain = line.text if unicode else line.text.encode("ascii", "replace").decode()
        yield line._replace(text=plain)


def _lines(checks: Sequence[Check], unicode: bool) -> Iterator[Line]:
    for group, some in groupby(checks, key=lambda one: one.group):
        yield Line(clean(group, 80))
        for check in some:
            yield _line(check, check.name, unicode)
            if check.do and check.verdict == "ok":
                yield _what_to_do(check, unicode)
        yield Line("")
    yield from _summary(checks, unicode)


def _summary(checks: Sequence[Check], unicode: bool) -> Iterator[Line]:
    amiss = troubles(checks)
    if not amiss:
        yield Line(f"all is well: {len(checks)} check{'s' * (len(checks) != 1)}")
        return
    yield Line(f"{len(amiss)} of {len(checks)} checks to look at")
    for check in amiss:
        yield _line(check, f"{check.group}: {check.name}", unicode)
        if check.do:
            yield _what_to_do(check, unicode)


def _line(check: Check, name: str, unicode: bool) -> Line:
    glyph = (_GLYPHS if unicode else _PLAIN)[check.verdict]
    mark = f"  {glyph} {check.verdict:<8}"
    text = f"{mark}{clean(name, 80):<{_NAME_CHARS}} {clean(check.saw, _LINE_CHARS)}"
    return Line(text.rstrip(), check.verdict, len(mark))


def _what_to_do(check: Check, unicode: bool) -> Line:
    return Line(f"             {'→' if unicode else '->'} {clean(check.do, _LINE_CHARS)}")
