"""What a terminal shows after the bytes that Textual sent it: text alone, colours are left out.

The trap: this knows the few controls that Textual writes, not a terminal's. It is for telling one screen of
ours from another.
"""

import codecs
import re

_PARTS = re.compile(
    r"\x1b\[([?<>=]?[\d;]*)([A-Za-z])"  # controls; of those only places count
    r"|\x1b[PX^_\]].*?(?:\x1b\\|\x07)"  # titles, links, and what else is told in words
    r"|\x1b.|([\r\n])|([^\x1b\r\n]+)",
    re.DOTALL,
)
_OPEN = re.compile(r"\x1b(?:\[[?<>=]?[\d;]*|[PX^_\]][^\x1b\x07]*\x1b?)?$")  # the rest is to come


class Shown:
    """The cells of a terminal. Every character of ours is one wide."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.width, self.height = size
        self.rows = [" " * self.width for _ in range(self.height)]
        self._x = self._y = 0
        self._rest, self._decoder = "", codecs.getincrementaldecoder("utf-8")("replace")

    def take(self, data: bytes) -> None:
        """Bytes that were sent."""
        text = self._rest + self._decoder.decode(data)
        left = _OPEN.search(text)
        whole = left.start() if left else len(text)
        text, self._rest = text[:whole], text[whole:]
        for found in _PARTS.finditer(text):
            self._do(*found.groups())

    def __str__(self) -> str:
        return "\n".join(self.rows)

    def holds(self, text: str) -> bool:
        """Whether a row shows it."""
        return any(text in row for row in self.rows)

    def _do(
        self, numbers: str | None, control: str | None, end: str | None, text: str | None
    ) -> None:
        if text is not None:
            self._write(text)
        elif end is not None:
            self._x, self._y = (0, self._y) if end == "\r" else (self._x, self._y + 1)
        elif control == "H":
            row, _, column = (numbers or "1;1").partition(";")
            self._y, self._x = int(row or 1) - 1, int(column or 1) - 1
        elif control == "C":
            self._x += int(numbers or 1)

    def _write(self, text: str) -> None:
        if 0 <= self._y < self.height:
            row = self.rows[self._y]
            self.rows[self._y] = (row[: self._x] + text + row[self._x + len(text) :])[: self.width]
        self._x += len(text)
