"""What a log format is: a name, the literals its lines hold, and a function from a line to records."""

from collections.abc import Callable, Iterable

import msgspec

from trainwatch.core.logs import text
from trainwatch.core.model.records import Record


class Line(msgspec.Struct, frozen=True):
    """One line of a log: as it stands in the file, and as clean text."""

    raw: bytes
    text: str

    @classmethod
    def of(cls, raw: bytes) -> "Line":
        """The line of these bytes (without its line end)."""
        return cls(raw, text.plain(raw))


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """One way of writing a training log.

    A line that holds none of `needles` is never shown to `parse`: each record of the format must hold
    one. Needles are at least four bytes long and begin with something rare: all of them are
    searched for at once (needles.py), and their first four bytes decide how fast that is. None holds
    another, which it would hide: formats may share one.
    `parse` is pure and context-free, raises on no text, and yields nothing for a line that only
    looks alike. Formats of one `group` exclude each other on a line: the first in the table wins.
    `aside` tells the iteration of the line between two places if `parse` makes one iteration record of
    it and nothing else: where another format tells the run, such lines are counted without being parsed.
    """

    name: str
    needles: tuple[bytes, ...]
    parse: Callable[[Line], Iterable[Record]]
    group: str = "iteration"
    aside: Callable[[bytes, int, int], int | None] | None = None
