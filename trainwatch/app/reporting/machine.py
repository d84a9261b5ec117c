"""Rows for other programs: JSON and CSV, with the same keys and full numbers."""

import io
from collections.abc import Sequence

import msgspec

from trainwatch.core.rows import KEYS, ReportRow


def json(rows: Sequence[ReportRow]) -> str:
    """A list of objects."""
    return msgspec.json.format(msgspec.json.encode(rows)).decode() + "\n"


def csv(rows: Sequence[ReportRow]) -> str:
    """A line a log; what is unknown is empty."""
    import csv as lines

    out = io.StringIO()
    writer = lines.writer(out, lineterminator="\n")
    writer.writerow(KEYS)
    for row in rows:
        writer.writerow(getattr(row, key) for key in KEYS)
    return out.getvalue()
