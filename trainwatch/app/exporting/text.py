"""CSV and JSON lines. What is unknown is empty, or null; whole numbers are written as such."""

import io
from array import array
from collections.abc import Callable, Iterator, Sequence

import msgspec

from trainwatch.app.exporting.history import FLAGS, History

_encode = msgspec.json.Encoder().encode
_LARGEST = 2.0**53


def csv(history: History, told: Callable[[int], None]) -> Iterator[bytes]:
    """A header, then a line a row. `told` hears how many rows were given."""
    import csv as lines

    out = io.StringIO()
    writer = lines.writer(out, lineterminator="\n")
    writer.writerow((*history.names, *FLAGS))
    for chunk in history.chunks():
        columns = [_whole(chunk.columns.column(name), "") for name in history.names]
        flags = [["true" if flag else "false" for flag in chunk.flag(name)] for name in FLAGS]
        writer.writerows(zip(*columns, *flags, strict=True))
        yield out.getvalue().encode()
        told(chunk.columns.rows)
        out.seek(0)
        out.truncate()
    yield out.getvalue().encode()


def jsonl(history: History, told: Callable[[int], None]) -> Iterator[bytes]:
    """An object a line, all with the same keys. `told` hears how many rows were given."""
    keys = (*history.names, *FLAGS)
    for chunk in history.chunks():
        columns = [_whole(chunk.columns.column(name), None) for name in history.names]
        flags = [chunk.flag(name) for name in FLAGS]
        rows = zip(*columns, *flags, strict=True)
        yield b"".join(_encode(dict(zip(keys, row, strict=True))) + b"\n" for row in rows)
        told(chunk.columns.rows)


def _whole(column: "array[float]", unknown: str | None) -> Sequence[float | int | str | None]:
    """The values, 10.0 as 10."""
    return [
        (int(v) if v.is_integer() and -_LARGEST <= v <= _LARGEST else v) if v == v else unknown
        for v in column
    ]
