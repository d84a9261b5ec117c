"""What goes over the line: only the cells that differ from what the terminal shows.

Textual sends every widget that was drawn anew as a whole: at 9,600 baud five seconds for one more iteration.
The trap: what others write onto the terminal is not known here, nor what it does with its cells when its size
changes: then `forget`, and all is sent again.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import repeat

from rich.cells import get_character_cell_size as size_of
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

from trainwatch.core.patterns import pattern

# a character ("" behind one that takes two cells), and how it is drawn (SGR)
Cell = tuple[str, str]
Row = list[Cell | None]  # None: not known
Piece = tuple[int, int, Strip]  # row, column, what is drawn there
# what we draw with, each in one cell: to ask Unicode about each character takes milliseconds a screen
_ODD = pattern("[^\x20-\x7e\xa1-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2800-\u28ff]")
_SEEN = frozenset("479")  # underlined, reversed, struck through: what a blank shows, too
_GAP = 4  # cells that are the same are sent again where a jump over them would cost more


class Line:
    """Knows what a terminal shows."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._size = (0, 0)

    def forget(self) -> None:
        """The terminal may show anything."""
        self._size = (0, 0)

    def changes(self, update: CompositorUpdate, size: tuple[int, int], console: Console) -> str:
        """What to send for an update of Textual's, so that a terminal of this size shows it."""
        if size != self._size:
            self._size, (width, height) = size, size
            self._rows = [[None] * width for _ in range(height)]
        colours = console._color_system or ColorSystem.TRUECOLOR
        by_row: dict[int, list[tuple[int, Strip]]] = {}
        for y, x, strip in _pieces(update):
            by_row.setdefault(y, []).append((x, strip))
        pen = _Pen()
        for y, pieces in by_row.items():
            if y < len(self._rows):
                self._rows[y] = self._draw(pen, y, pieces, colours)
        return pen.text()

    def _draw(
        self, pen: "_Pen", y: int, pieces: list[tuple[int, Strip]], colours: ColorSystem
    ) -> Row:
        before = self._rows[y]
        row, is_even = before.copy(), all(not cell or len(cell[0]) == 1 for cell in before)
        for x, strip in pieces:
            made, plain = _cells(strip, colours)
            room = max(0, len(row) - x)
            row[x : x + len(made)] = made[:room]
            is_even = is_even and plain
        if row == before:
            return before
        if is_even:
            changed = [n for n, cell in enumerate(row) if cell is not None and cell != before[n]]
        else:  # terminals do not agree on how wide such characters are: the whole row, in order
            changed = [n for n, cell in enumerate(row) if cell is not None]
        for start, stop in _runs(changed):
            pen.write(y, start, row[start:stop])
        return row


class _Pen:
    """Writes cells: where it is and how it draws is said only where that changes."""

    def __init__(self) -> None:
        self._sent: list[str] = []
        self._at: tuple[int, int] | None = None
        self._style = ""

    def write(self, y: int, x: int, row: list[Cell | None]) -> None:
        """Cells from a place on."""
        self._move(y, x)
        for cell in row:
            text, style = cell or (" ", "")
            if style != self._style and not (text == " " and _blank(self._style) == style):
                self._sent.append(turn(self._style, style))
                self._style = style
            self._sent.append(text)
        self._at = (y, x + len(row))

    def text(self) -> str:
        """All that was written."""
        if self._style:
            self._sent.append("\x1b[0m")
        return "".join(self._sent)

    def _move(self, y: int, x: int) -> None:
        if self._at is not None and self._at[0] == y and x > self._at[1]:
            self._sent.append(f"\x1b[{x - self._at[1]}C")
        elif self._at != (y, x):
            self._sent.append(f"\x1b[{y + 1};{x + 1}H")


def _pieces(update: CompositorUpdate) -> Iterator[Piece]:
    """What an update draws."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                yield y, x, strip
                x += strip.cell_length
    elif isinstance(update, ChopsUpdate):
        for y, left, right in update.spans:
            for end, (x, chop) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if chop is not None and x < right and end > left:
                    yield y, x, chop


def _cells(strip: Strip, colours: ColorSystem) -> tuple[list[Cell], bool]:
    """The cells of a strip; whether every character takes one."""
    made, is_even = list[Cell](), True
    for text, style, _ in strip:
        codes = _codes(style, colours)
        if _ODD.search(text) is None or all(size_of(each) == 1 for each in text):
            made += zip(text, repeat(codes))
            if " " in text and (bare := _blank(codes)) != codes:
                start = len(made) - len(text)
                made[start:] = [(" ", bare) if cell[0] == " " else cell for cell in made[start:]]
            continue
        is_even = False
        for character in text:
            width = size_of(character)  # as Textual counts
            if not width and made:
                made[-1] = (made[-1][0] + character, made[-1][1])
            made += [(character, codes), *[("", codes)] * (width - 1)] if width else []
    return made, is_even


def _codes(style: Style | None, colours: ColorSystem) -> str:
    """What a style looks like. The trap: where a text stands is part of Textual's styles, so that no two are
    alike, and it would remember 16,384 of them.
    """
    if style is None:
        return ""
    return Strip.render_ansi(style.clear_meta_and_links() if style._meta else style, colours)


@lru_cache(maxsize=4096)
def _blank(codes: str) -> str:
    """How a blank is drawn: the colour of its letter is none, and need not be sent."""
    attributes, _, behind = _parted(codes)
    return codes if attributes & _SEEN else behind


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Places beside each other, from and to; small gaps are part of them."""
    start = stop = -1
    for place in places:
        if start < 0:
            start = place
        elif place - stop > _GAP:
            yield start, stop
            start = place
        stop = place + 1
    if start >= 0:
        yield start, stop


@lru_cache(maxsize=4096)
def turn(before: str, now: str) -> str:
    """The shortest sequence from one way of drawing to another."""
    old, new = _parted(before), _parted(now)
    lost = (a and not b for a, b in zip(old[1:], new[1:], strict=True))
    if not old[0] <= new[0] or any(lost):
        return f"\x1b[0;{now}m" if now else "\x1b[0m"
    codes = [
        *sorted(new[0] - old[0]),
        *(b for a, b in zip(old[1:], new[1:], strict=True) if a != b),
    ]
    return f"\x1b[{';'.join(codes)}m"


def _parted(codes: str) -> tuple[frozenset[str], str, str]:
    """Attributes, the colour of the letters, that behind them."""
    attributes, letters, behind = set[str](), "", ""
    words = iter(codes.split(";") if codes else ())
    for word in words:
        code = int(word)
        colour = word
        if code in (38, 48):
            kind = next(words)
            colour = ";".join([word, kind, *(next(words) for _ in range(3 if kind == "2" else 1))])
        if 30 <= code <= 39 or 90 <= code <= 97:
            letters = colour
        elif 40 <= code <= 49 or 100 <= code <= 107:
            behind = colour
        else:
            attributes.add(word)
    return frozenset(attributes), letters, behind
