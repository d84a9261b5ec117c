"""One iteration line and its record -> the layout of all lines like it, or none.

The trap: what is learned must give the very record that the parser gave; a line that is not ordinary would
teach a layout that is quick and wrong.
"""

import re

from trainwatch.core.logs import pipes
from trainwatch.core.logs.layout import ORDINARY_ZERO, Layout
from trainwatch.core.model.records import Iteration
from trainwatch.core.patterns import pattern

_HEAD = pattern(rb"iteration:?\s+(\d{1,15})\s*/\s*(\d{1,15})\s*\|")
_STAMP = pattern(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?")
_STAMP_GROUP = rb"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?+)"
_NEEDED = frozenset(("loss", *ORDINARY_ZERO))
_LONGEST_PREFIX = 200
_LONGEST = 4096  # bytes of a line that is worth a layout


def learn(raw: bytes, record: Iteration) -> Layout | None:
    """The layout of this line, which the parser read as `record`; None if it is no ordinary line."""
    heads = list(_HEAD.finditer(raw)) if len(raw) <= _LONGEST else []
    if len(heads) != 1 or not raw.isascii() or not _ordinary(record):
        return None
    prefix = _prefix(raw[: heads[0].start()])
    labels = _labels(raw, heads[0])
    words = [label.decode() for label in labels]
    columns = [pipes.column_of(label)[0] for label in words]
    whole = len(set(columns)) == len(columns) and _NEEDED.issubset(columns)
    whole = whole and not any(map(pipes.looks_known, words))
    if prefix is None or not whole:
        return None
    if (record.stamp is None) == (_STAMP_GROUP in prefix):
        return None  # a stamp of another kind, or one that is no date
    layout = Layout(raw, heads[0].start(), prefix, labels, record)
    found = layout.match(b"\n" + raw + b"\n", 0)
    rows = None if found is None else layout.rows([found], [0])
    return layout if rows is not None and rows.record(0) == record else None


def _labels(raw: bytes, head: re.Match[bytes]) -> list[bytes]:
    """The labels behind the head, as pipes.fields sees them."""
    parts = raw[head.end() : raw.rfind(b"|")].split(b"|")
    return [part.partition(b":")[0].strip() for part in parts]


def _ordinary(record: Iteration) -> bool:
    values = record.values
    return "loss" in values and all(values.get(name) == 0 for name in ORDINARY_ZERO)


def _prefix(prefix: bytes) -> bytes | None:
    """A pattern for what stands before the record: the same on every line but for one time stamp."""
    parts = _STAMP.split(prefix)
    if len(prefix) > _LONGEST_PREFIX or len(parts) > 2:
        return None
    return _STAMP_GROUP.join(map(re.escape, parts))
