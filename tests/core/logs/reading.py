"""Reading a piece of log for a test, and comparing what was read with what a table says.

The trap: floats. `5837.9 ms` is 5.8379 s but for the last bit, so numbers are compared to fourteen digits.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from trainwatch.core.logs.format import Format
from trainwatch.core.logs.layout import Rows
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.records import Fault, Iteration, Record, Validation


def read(
    log: str | bytes, *, extra: Sequence[Format] = (), in_columns: bool = True
) -> list[Record]:
    """All records of these lines, in order."""
    data = log.encode() if isinstance(log, str) else log
    return expand(Scanner(extra, in_columns=in_columns), data)


def expand(scanner: Scanner, data: bytes) -> list[Record]:
    """All records of a block, rows of columns as records."""
    return [record for _, record in placed(scanner, data)]


def placed(scanner: Scanner, data: bytes) -> list[tuple[int, Record]]:
    """The same with where their lines begin."""
    found: list[tuple[int, Record]] = []
    for offset, item in scanner.scan(scanner.mark(data)):
        if isinstance(item, Rows):
            assert offset == item.starts[0]
            found.extend(item.records())
        else:
            found.append((offset, item))
    return found


def only(log: str | bytes) -> Record:
    """The one record of these lines."""
    found = plainly(read(log))
    assert len(found) == 1, found
    return found[0]


def values(log: str | bytes) -> dict[str, float]:
    """The values of the one iteration (or validation) of these lines."""
    found = only(log)
    assert isinstance(found, Iteration | Validation), found
    return found.values


def at(stamp: str) -> float:
    """A stamp as the seconds since the epoch that it would be in UTC."""
    return datetime.fromisoformat(stamp).replace(tzinfo=UTC).timestamp()


def plainly(records: Iterable[Record]) -> list[Record]:
    """The records with numbers to fourteen digits, without the text of a fault (the line itself)."""
    return [_plain(record) for record in records]


def _plain(record: Record) -> Record:
    changed: dict[str, Any] = {name: _rounded(value) for name, value in _fields(record)}
    if isinstance(record, Fault):
        changed["text"] = ""
    if not isinstance(record, Iteration):
        changed["format"] = ""
    return msgspec.structs.replace(record, **changed)


def _fields(record: Record) -> list[tuple[str, Any]]:
    return [(name, getattr(record, name)) for name in record.__struct_fields__]


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(of) for name, of in value.items()}
    if isinstance(value, float):
        return math.nan if math.isnan(value) else float(f"{value:.14g}")
    return value
