"""Rows as a table for people: Markdown the way it is kept beside experiments, or a page of HTML.

Foreign text (names, error lines) is escaped in both. A column in which no row has a value is left out.
"""

import os
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.app.words import clean, number, short
from trainwatch.core.rows import ReportRow

FAILED = "fail"  # where no iteration was reached
_BLANK = "-"
# An underscore within a word, as most logs have in their names, is no markup.
_MARKUP = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")


class Column(NamedTuple):
    """A column; `always` also where no row has a value in it."""

    head: str
    cell: Callable[[ReportRow], str]
    right: bool = True
    always: bool = True


def markdown(rows: Sequence[ReportRow]) -> str:
    """A Markdown table, aligned for reading as it stands."""
    rows, columns = _named_apart(rows), _columns(rows)
    heads = [column.head for column in columns]
    cells = [[_md(column.cell(row)) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    sides = [column.right for column in columns]
    rule = [_rule(width, right) for width, right in zip(widths, sides, strict=True)]
    lines = [heads, rule, *cells]
    return "".join(_line(line, widths, sides) for line in lines)


def html(rows: Sequence[ReportRow]) -> str:
    """A page that needs nothing else."""
    from html import escape

    rows, columns = _named_apart(rows), _columns(rows)
    heads = "".join(f"<th>{escape(column.head)}</th>" for column in columns)
    lines = [
        "".join(
            f"<td{' class=n' if column.right else ''}>{escape(column.cell(row) or _BLANK)}</td>"
            for column in columns
        )
        for row in rows
    ]
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return _PAGE.format(heads=heads, body=body)


def _named_apart(rows: Sequence[ReportRow]) -> list[ReportRow]:
    """The rows with their logs' names as far as they differ: without the folder all are in."""
    folders = {os.path.dirname(row.log) for row in rows}  # noqa: PTH120 - names, not files
    common = os.path.commonpath(folders) if len({os.path.isabs(f) for f in folders}) == 1 else ""  # noqa: PTH117
    return [replace(row, log=row.log.removeprefix(common).lstrip("/") or row.log) for row in rows]


def _columns(rows: Sequence[ReportRow]) -> list[Column]:
    return [x for x in COLUMNS if x.always or any(x.cell(row) for row in rows)]


def _rule(width: int, right: bool) -> str:
    return "-" * (width - 1) + ":" if right and width > 1 else "-" * width


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if on_right else cell.ljust(width)
        for cell, width, on_right in zip(cells, widths, right, strict=True)
    )
    return f"| {' | '.join(padded)} |\n"


def _md(text: str) -> str:
    """A cell in which nothing is markup: no link, no tag, no emphasis, no end of the cell."""
    return _MARKUP.sub(r"\\\g<0>", text) or _BLANK


def _count(value: int | None) -> str:
    return "" if value is None else str(value)


def _fixed(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:,.{decimals}f}"


def _size(row: ReportRow) -> str:
    size = row.model_size_b
    if size is None:
        return ""
    return f"{size:.4g}B" if size >= 1 else f"{size * 1000:.4g}M"


def _iterations(row: ReportRow) -> str:
    if row.iterations or row.bar_step is None:
        return str(row.iterations) if row.attempts else ""
    return f"bar {row.bar_step}" + (f"/{row.bar_total}" if row.bar_total is not None else "")


def _step_time(row: ReportRow) -> str:
    if no_iteration(row):
        return FAILED
    seconds = row.step_time_s if row.iterations else row.bar_step_time_s
    if seconds is None:
        return ""
    return f"{seconds:.2f}" if seconds >= 10 else f"{seconds:.4g}"


def no_iteration(row: ReportRow) -> bool:
    """Whether a job's log was read, and reached none; a job that runs may still."""
    reached = row.iterations or row.bar_step
    return not reached and row.attempts > 0 and row.end != "running"


def _tflops(row: ReportRow) -> str:
    return FAILED if no_iteration(row) else _fixed(row.tflops, 2)


def _mfu(row: ReportRow) -> str:
    return "" if row.mfu is None else f"{row.mfu * 100:.1f}%"


def _checkpoint(row: ReportRow) -> str:
    return "" if row.checkpoint_bytes is None else short(row.checkpoint_bytes, "B")


def _end(row: ReportRow) -> str:
    return "unreadable" if row.error else row.end


COLUMNS = (
    Column("Log", lambda row: clean(row.log), right=False),
    Column("Job", lambda row: clean(row.job_id or ""), always=False),
    Column("GPUs", lambda row: _count(row.gpus)),
    Column("Size", _size),
    Column("TP", lambda row: _count(row.tp)),
    Column("PP", lambda row: _count(row.pp)),
    Column("DP", lambda row: _count(row.dp)),
    Column("MBS", lambda row: _count(row.mbs)),
    Column("GBS", lambda row: _count(row.gbs)),
    Column("Seq", lambda row: _count(row.seq_length), always=False),
    Column("Iterations", _iterations),
    Column("Sec/it", _step_time),
    Column("TFLOPs", _tflops),
    Column("Tokens/s", lambda row: _fixed(row.tokens_per_s, 0)),
    Column("MFU", _mfu, always=False),
    Column("Days", lambda row: _fixed(row.days, 1), always=False),
    Column("Loss", lambda row: "" if row.loss is None else number(row.loss)),
    Column("Save s", lambda row: _fixed(row.save_time_s, 1), always=False),
    Column("Ckpt (est.)", _checkpoint, always=False),
    Column("End", _end, right=False),
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Training runs</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 14px/1.4 system-ui, sans-serif; margin: 2em; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .3em .7em; border-bottom: 1px solid #8884; text-align: left; }}
th {{ border-bottom-width: 2px; }}
.n {{ text-align: right; font-variant-numeric: tabular-nums; }}
</style>
</head>
<body>
<table>
<thead><tr>{heads}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</body>
</html>
"""
