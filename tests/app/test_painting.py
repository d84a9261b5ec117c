"""A small terminal is sent what changed, and shows what it should; quiet lines stay quiet."""

import re

from hypothesis import given
from hypothesis import strategies as st

from trainwatch.app.painting import Painting, Size
from trainwatch.core.cells import cells, cut

_SENT = re.compile(
    r"\x1b\[(?P<row>\d+);(?P<column>\d+)H|\x1b\[(?P<erase>[KJ])|(?P<text>.)", re.DOTALL
)


class Terminal:
    """What a VT100 makes of what it is sent: as much of it as is used."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self._cells = [[" "] * size.columns for _ in range(size.rows)]
        self._row = self._column = 0

    def take(self, sent: str) -> None:
        for found in _SENT.finditer(sent):
            if found["row"]:
                self._row, self._column = int(found["row"]) - 1, int(found["column"]) - 1
            elif found["erase"]:
                self._erase(below=found["erase"] == "J")
            elif found["text"] == "\r":
                self._column = 0
            elif found["text"] == "\n":
                self._line_feed()
            else:
                self._write(found["text"])

    def rows(self) -> list[str]:
        return ["".join(row).rstrip() for row in self._cells]

    def _erase(self, *, below: bool) -> None:
        self._cells[self._row][self._column :] = [" "] * (self.size.columns - self._column)
        for row in range(self._row + 1, self.size.rows if below else 0):
            self._cells[row] = [" "] * self.size.columns

    def _line_feed(self) -> None:
        self._row += 1
        if self._row == self.size.rows:
            self._row -= 1
            self._cells = [*self._cells[1:], [" "] * self.size.columns]

    def _write(self, character: str) -> None:
        width = cells(character)
        assert self._column + width < self.size.columns, "the last column is written to"
        if width == 0:
            self._cells[self._row][self._column - 1] += character
            return
        self._cells[self._row][self._column] = character
        self._cells[self._row][self._column + 1 : self._column + width] = [""] * (width - 1)
        self._column += width


SIZE = Size(40, 6)
LETTERS = st.sampled_from(["a", "b", " ", "1", "–", "語", "e\u0301"])
LINES = st.lists(st.lists(LETTERS, max_size=45).map("".join), max_size=8)


@given(st.lists(LINES, min_size=1, max_size=6))
def test_a_terminal_shows_what_was_meant_after_any_changes(screens: list[list[str]]) -> None:
    terminal, painting = Terminal(SIZE), Painting()
    terminal.take("$ trainwatch status --watch\r\n")
    for lines in screens:
        terminal.take(painting.change(lines, SIZE))
        room = SIZE.rows - 1
        fitting = lines if len(lines) <= room else lines[: room - 1]
        expected = [cut(line, SIZE.columns - 1).rstrip() for line in fitting]
        if len(lines) > room:
            expected.append(f"(and {len(lines) - room + 1} more lines)")
        assert terminal.rows() == expected + [""] * (SIZE.rows - len(expected))


def test_what_did_not_change_is_not_sent() -> None:
    painting = Painting()
    painting.change(["live  ok", "iteration 10"], SIZE)
    assert painting.change(["live  ok", "iteration 10"], SIZE) == ""
    assert painting.change(["live  ok", "iteration 12"], SIZE) == "\x1b[2;12H2"
    assert painting.change(["live  ok"], SIZE) == "\x1b[2;1H\x1b[J"


def test_after_another_program_and_in_another_size_all_is_painted_anew() -> None:
    painting = Painting()
    painting.change(["live  ok"], SIZE)
    painting.forget()
    assert "live  ok" in painting.change(["live  ok"], SIZE)
    assert painting.change(["live  ok"], Size(7, 6)) == "\x1b[1;1H\x1b[Jliv..."


def test_what_was_on_the_screen_scrolls_away_and_the_prompt_comes_below() -> None:
    painting = Painting()
    assert painting.change(["a", "b"], SIZE).startswith("\n" * (SIZE.rows - 1) + "\x1b[1;1H")
    assert painting.leave() == "\x1b[2;1H\r\n"
    assert Painting().leave() == ""
