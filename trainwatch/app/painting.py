"""Plain text on a terminal that stays in its place: only what changed since the last time is sent.

Made for slow lines: at 9,600 baud a screen takes two seconds, a number that changed ten milliseconds.
Nothing but cursor addressing and erasing is asked of the terminal (every one since the VT100 knows both).
The trap: what is beside this on the screen is not known: after a stop (ctrl+z), say `forget`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from trainwatch.core.cells import cells, cut, even

_ERASE_LINE, _ERASE_BELOW = "\x1b[K", "\x1b[J"


class Size(NamedTuple):
    """Of a terminal."""

    columns: int
    rows: int


class Painting:
    """What a terminal shows."""

    def __init__(self) -> None:
        self._shown: list[str] | None = None
        self._size = Size(0, 0)

    def forget(self) -> None:
        """The screen may show anything: all of it is painted at the next change."""
        self._shown = None

    def change(self, lines: Sequence[str], size: Size) -> str:
        """What to send, so that the terminal shows these lines; nothing if it does."""
        wanted, before = _fitted(lines, size), self._shown
        if before is None or size != self._size:
            self._shown, self._size = wanted, size
            # what was there before scrolls away, as if it had been printed upon
            room = "\n" * (size.rows - 1) if before is None else ""
            return room + _at(0, 0) + _ERASE_BELOW + "\r\n".join(wanted)
        self._shown = wanted
        kept = min(len(before), len(wanted))
        rows = [_row(n, before[n], wanted[n]) for n in range(kept)]
        rows += [_at(n, 0) + wanted[n] for n in range(kept, len(wanted)) if wanted[n]]
        below = _at(kept, 0) + _ERASE_BELOW if len(before) > kept else ""
        return "".join(rows) + below

    def leave(self) -> str:
        """What to send at the end: the prompt comes below what was shown."""
        return _at(len(self._shown) - 1, 0) + "\r\n" if self._shown else ""


def _fitted(lines: Sequence[str], size: Size) -> list[str]:
    """A terminal's worth. The last column stays free: some terminals wrap when it is written to."""
    room, width = max(1, size.rows - 1), max(1, size.columns - 1)
    if len(lines) > room:
        lines = [*lines[: room - 1], f"(and {len(lines) - room + 1} more lines)"]
    return [cut(line, width).rstrip() for line in lines]


def _row(row: int, before: str, wanted: str) -> str:
    """From the first character that differs to the last."""
    if before == wanted:
        return ""
    start, stop = 0, len(wanted)
    if even(before) and even(wanted):
        start = _alike(before, wanted)
        if len(before) == len(wanted):
            stop -= _alike(before[start:][::-1], wanted[start:][::-1])
    erased = _ERASE_LINE if cells(before) > cells(wanted) else ""
    return _at(row, start) + wanted[start:stop] + erased


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _at(row: int, column: int) -> str:
    """The cursor goes there; both count from 0."""
    return f"\x1b[{row + 1};{column + 1}H"
