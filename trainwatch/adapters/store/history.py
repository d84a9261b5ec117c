"""History on disk: one little-endian float64 file per column, appended to, cut back after a kill.

The number of rows that count stands in the store's state file; whatever a killed writer left behind
them is cut off. A column that appears late is filled up with NaN.
"""

import os
import sys
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from trainwatch.core.columns import Columns, unknown

_SUFFIX = ".f64"
_WIDTH = 8
_FILL_ROWS = 65536


def append(folder: Path, rows: Columns, before: int) -> None:
    """Add rows behind the `before` rows that are there. Raises OSError; call `restore` then."""
    place = f"{folder}{os.sep}"  # twenty paths made by pathlib are as slow as the twenty files
    for name, column in rows.data.items():
        with open(place + name + _SUFFIX, "ab") as file:  # noqa: PTH123
            _fill(file, file.tell() // _WIDTH, before)
            file.write(_little(column).tobytes())
    for name in set(names(folder)) - rows.data.keys():
        with open(place + name + _SUFFIX, "ab") as file:  # noqa: PTH123
            _fill(file, file.tell() // _WIDTH, before + rows.rows)


def restore(folder: Path, rows: int, wanted: Iterable[str] = ()) -> bool:
    """Cut every column back to `rows`; short ones are filled.

    Returns whether all had that many, and all that are wanted were there.
    """
    whole = set(wanted) <= set(names(folder))
    for path in folder.glob("*" + _SUFFIX):
        size = path.stat().st_size
        if size > rows * _WIDTH:
            os.truncate(path, rows * _WIDTH)
        elif size < rows * _WIDTH:
            whole = False
            os.truncate(path, size // _WIDTH * _WIDTH)
            with path.open("ab") as file:
                _fill(file, size // _WIDTH, rows)
    return whole


def names(folder: Path) -> list[str]:
    """The columns there are; none where there is no folder."""
    try:
        with os.scandir(folder) as found:
            files = [file.name for file in found]
    except FileNotFoundError:
        return []
    return sorted(name.removesuffix(_SUFFIX) for name in files if name.endswith(_SUFFIX))


def path_of(folder: Path, name: str) -> Path:
    """The file of a column."""
    return folder / (name + _SUFFIX)


def read(folder: Path, start: int, stop: int, wanted: Iterable[str] | None = None) -> Columns:
    """Rows `start` to `stop` of the wanted columns, or of all."""
    table = Columns(rows=max(0, stop - start))
    for name in names(folder) if wanted is None else wanted:
        table.data[name] = _column(folder / (name + _SUFFIX), start, stop)
    return table


def _column(path: Path, start: int, stop: int) -> "array[float]":
    column = array("d")
    try:
        with path.open("rb") as file:
            file.seek(start * _WIDTH)
            data = file.read((stop - start) * _WIDTH)
    except FileNotFoundError:
        data = b""
    column.frombytes(data[: len(data) // _WIDTH * _WIDTH])
    column = _little(column)
    column.extend(unknown(stop - start - len(column)))
    return column


def _fill(file: BinaryIO, have: int, rows: int) -> None:
    while have < rows:
        count = min(rows - have, _FILL_ROWS)
        file.write(_little(unknown(count)).tobytes())
        have += count


def _little(column: "array[float]") -> "array[float]":
    if sys.byteorder == "little":
        return column
    swapped = array("d", column)
    swapped.byteswap()
    return swapped
