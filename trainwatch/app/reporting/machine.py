"""Rows for other programs: JSON and CSV, with the same keys and full numbers."""

import io
from collections.abc import Sequence

import msgspec

from trainwatch.app.words import clean
from trainwatch.core.rows import KEYS, ReportRow

_FORMULA = ("=", "+", "-", "@")  # a cell that begins so is run by spreadsheets


def json(rows: Sequence[ReportRow]) -> str:
    """A list of objects."""
    return msgspec.json.format(msgspec.json.encode(rows)).decode() + "\n"


def csv(rows: Sequence[ReportRow]) -> str:
    """A line a log; what is unknown is empty, and no text is a formula to a spreadsheet."""
    import csv as lines

    out = io.StringIO()
    writer = lines.writer(out, lineterminator="\n")
    writer.writerow(KEYS)
    for row in rows:
        writer.writerow(_cell(getattr(row, key)) for key in KEYS)
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = clean(value, len(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
