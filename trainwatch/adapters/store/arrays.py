"""History columns as numpy arrays, for charts: what was appended is read, the rest is kept.

The trap: an array that was handed out is a view of a buffer that goes on growing behind it. Its rows are
never changed, except that the last, which is the open iteration, gets its final values.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trainwatch.adapters.store import history

Floats = NDArray[np.float64]
_LEAST = 4096  # rows that a buffer is made for


class _Growing:
    """A buffer that doubles."""

    def __init__(self) -> None:
        self._data: Floats = np.empty(_LEAST)
        self.rows = 0

    def room(self, rows: int) -> Floats:
        """So many rows behind those that are there, to be filled in."""
        self._reserve(self.rows + rows)
        self.rows += rows
        return self._data[self.rows - rows : self.rows]

    def with_last(self, value: float) -> Floats:
        """All rows and one more, which does not count."""
        self._reserve(self.rows + 1)
        self._data[self.rows] = value
        return self.view(self.rows + 1)

    def view(self, rows: int) -> Floats:
        return self._data[:rows]

    def _reserve(self, rows: int) -> None:
        if rows > len(self._data):
            larger = np.empty(rows + rows // 2 + _LEAST)
            larger[: self.rows] = self._data[: self.rows]
            self._data = larger


class Arrays:
    """The columns in a folder, as far as they were asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._columns: dict[str, _Growing] = {}

    def read(
        self, wanted: frozenset[str], rows: int, last: Mapping[str, float] | None
    ) -> dict[str, Floats]:
        """The wanted columns up to `rows`, and `last` as one more row. Raises OSError."""
        return {name: self._column(name, rows, last) for name in wanted}

    def _column(self, name: str, rows: int, last: Mapping[str, float] | None) -> Floats:
        column = self._columns.setdefault(name, _Growing())
        if column.rows > rows:  # history was begun anew
            column = self._columns[name] = _Growing()
        if column.rows < rows:
            self._read_into(column.room(rows - column.rows), name, rows)
        return column.view(rows) if last is None else column.with_last(last.get(name, np.nan))

    def _read_into(self, room: Floats, name: str, stop: int) -> None:
        """The rows before `stop`; NaN where the file has none."""
        path, raw, have = history.path_of(self._folder, name), room.data.cast("B"), 0
        if path.exists():
            with path.open("rb", buffering=0) as file:
                file.seek((stop - len(room)) * 8)
                while have < len(raw) and (more := file.readinto(raw[have:])):
                    have += more
        room[have // 8 :] = np.nan
        if sys.byteorder == "big":
            room.byteswap(inplace=True)
