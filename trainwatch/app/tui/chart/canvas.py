"""Bins -> cells: braille characters, and what each cell shows. Pure arrays, no styles.

A cell holds 2 x 4 dots and has one colour. Drawn in this order: what was trained again, the band between
least and greatest, the line of the means; upright marks only where nothing else is.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainwatch.app.tui.chart.axes import Span
from trainwatch.app.tui.chart.metrics import Floats

# What a cell shows, and the name of the style of each.
EMPTY, LINE, BAND, OLD, ATTEMPT, CURSOR, BAD, BEYOND, CHECK = range(9)
WARNED, ALARMED, WARNED_SIGN, ALARMED_SIGN, BATCH, OTHER_BAND = range(9, 15)
SIGNS = "abcde"  # of attempts that are told apart at once
STYLES = (
    *("empty", "line", "band", "old", "attempt", "cursor", "bad", "beyond", "check"),
    *("warned", "alarmed", "warned-sign", "alarmed-sign", "batch", "other-band", "other"),
    *(f"attempt-{sign}" for sign in SIGNS),
)

_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], dtype=np.uint32)
_BRAILLE = 0x2800
_BLANK = ord(" ")
_APART = 17  # columns between signs of a line
_RARE = 4  # marks in more than one of so many columns say nothing


class Cells(NamedTuple):
    """Characters (code points) and kinds, by row and column."""

    codes: NDArray[np.uint32]
    kinds: NDArray[np.uint8]


class Sides(NamedTuple):
    """The first and the last place in view, and how far neighbours are apart."""

    left: float
    right: float
    unit: float = 1.0


def blank(width: int, height: int) -> Cells:
    """Nothing."""
    return Cells(
        np.full((height, width), _BLANK, np.uint32), np.full((height, width), EMPTY, np.uint8)
    )


def draw_line(cells: Cells, low: Floats, high: Floats, span: Span, kind: int) -> None:
    """A line of two bins a cell; what is beyond the span is marked at the edge."""
    cells, low, high = _where_known(cells, low, high)
    height, width = cells.codes.shape
    if not height or not width:
        return
    rows = 4 * height
    with np.errstate(all="ignore"):
        scale = (rows - 1) / (span.high - span.low)
        top = np.rint((span.high - high) * scale)
        bottom = np.rint((span.high - low) * scale)
    known = ~np.isnan(top) & ~np.isnan(bottom)
    shown = known & (bottom >= 0) & (top <= rows - 1)
    top, bottom = _connected(np.clip(top, -1, rows), np.clip(bottom, -1, rows), shown)
    row = np.arange(rows)[:, None]
    dots = shown & (row >= top) & (row <= bottom)
    codes = (dots.reshape(height, 4, width, 2) * _DOTS[None, :, None, :]).sum(
        axis=(1, 3), dtype=np.uint32
    )
    drawn = codes > 0
    under = np.where(cells.codes[drawn] >= _BRAILLE, cells.codes[drawn], _BRAILLE)
    cells.codes[drawn] = codes[drawn] | under
    cells.kinds[drawn] = kind


def _where_known(cells: Cells, low: Floats, high: Floats) -> tuple[Cells, Floats, Floats]:
    """The columns from the first to the last bin that has values: most lines beside others are short."""
    known = np.flatnonzero(~(np.isnan(low) | np.isnan(high)))
    first, stop = (int(known[0]) // 2, int(known[-1]) // 2 + 1) if len(known) else (0, 0)
    columns, bins = slice(first, stop), slice(2 * first, 2 * stop)
    part = Cells(cells.codes[:, columns], cells.kinds[:, columns])
    return part, low[bins], high[bins]


def mark_beyond(cells: Cells, low: Floats, high: Floats, span: Span) -> None:
    """Marks at the edges where values are beyond the span; not where that is so nearly everywhere."""
    for bins, row, mark in ((high > span.high, 0, "▴"), (low < span.low, -1, "▾")):
        if np.count_nonzero(bins) * _RARE < len(bins):
            _mark_columns(cells, bins, row, mark, BEYOND)


def _connected(top: Floats, bottom: Floats, shown: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Each column is drawn on to where the one before ends, so that steep lines have no gaps."""
    top, bottom = top.copy(), bottom.copy()
    both = shown[1:] & shown[:-1]
    before_top, before_bottom = top[:-1].copy(), bottom[:-1].copy()
    rises = both & (bottom[1:] < before_top - 1)
    falls = both & (top[1:] > before_bottom + 1)
    bottom[1:] = np.where(rises, before_top - 1, bottom[1:])
    top[1:] = np.where(falls, before_bottom + 1, top[1:])
    return top, bottom


def mark_bad(cells: Cells, bad: NDArray[np.bool_]) -> None:
    """A tick at the upper edge for each column with a value that was NaN or infinite."""
    _mark_columns(cells, bad, 0, "✗", BAD)


def _mark_columns(cells: Cells, bins: NDArray[np.bool_], row: int, mark: str, kind: int) -> None:
    columns = bins.reshape(-1, 2).any(axis=1)
    cells.codes[row, columns] = ord(mark)
    cells.kinds[row, columns] = kind


def draw_upright(cells: Cells, columns: NDArray[np.int64], mark: str, kind: int) -> None:
    """Upright lines where nothing else is."""
    free = np.zeros(cells.codes.shape, bool)
    free[:, columns] = True
    free &= cells.kinds == EMPTY
    cells.codes[free] = ord(mark)
    cells.kinds[free] = kind


def put(
    cells: Cells, columns: NDArray[np.int64], rows: NDArray[np.int64], mark: str, kind: int
) -> None:
    """Single marks over everything."""
    cells.codes[rows, columns] = ord(mark)
    cells.kinds[rows, columns] = kind


def column_of(x: Floats, sides: Sides, width: int) -> NDArray[np.int64]:
    """The cells in which places lie; those out of view are left out."""
    left, right, unit = sides
    inside = x[(x >= left) & (x <= right)]
    with np.errstate(all="ignore"):  # of places as far apart as numbers can be
        share = (inside - (left - unit / 2)) / (right - left + unit) * width
    return np.clip(np.nan_to_num(share), 0, width - 1).astype(np.int64)


def place_at(column: float, sides: Sides, width: int) -> float:
    """The place in the middle of a cell."""
    left, right, unit = sides
    return left - unit / 2 + (column + 0.5) / max(1, width) * (right - left + unit)


def put_signs(cells: Cells, line: Floats, span: Span, sign: str, number: int, kind: int) -> None:
    """A sign on a line now and then; lines of different numbers have theirs at different places."""
    height, width = cells.codes.shape
    columns = np.arange((2 + 5 * number) % _APART, width, _APART)
    with np.errstate(invalid="ignore"):
        values = line[2 * columns]
        seen = (values >= span.low) & (values <= span.high)
    put(cells, columns[seen], row_of(values[seen], span, height), sign, kind)


def row_of(y: Floats, span: Span, height: int) -> NDArray[np.int64]:
    """The row of each value, at the edge where it is beyond."""
    with np.errstate(all="ignore"):  # of values near the largest that there are
        place = (span.high - y) / (span.high - span.low) * height
    return np.clip(np.nan_to_num(place), 0, height - 1).astype(np.int64)


def texts(cells: Cells) -> list[list[tuple[str, int]]]:
    """Each row as runs of text that shows one kind of thing."""
    rows = []
    for codes, kinds in zip(cells.codes, cells.kinds, strict=True):
        text = codes.astype("<u4").tobytes().decode("utf-32-le")
        cuts = [0, *(np.flatnonzero(kinds[1:] != kinds[:-1]) + 1).tolist(), len(text)]
        rows.append([(text[a:b], int(kinds[a])) for a, b in pairwise(cuts) if b > a])
    return rows
