"""A run among many as a line: its columns in a table, which of them there is room for, what stands in each.

The trap: health must be read without colours, so it is a sign and a word in every width.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.content import Content, Span

from trainwatch.app import words
from trainwatch.app.tui.header import HEALTH
from trainwatch.app.tui.text import filled, foreign, roughly
from trainwatch.core.model.fleet import FleetRow, Group, Turn

_FULL_FROM = 112  # columns; below, health has a short word
_SHORT = {"ok": "ok", "warning": "warn", "critical": "crit", "unknown": "unkn"}
_NAME, _LONGEST_NAME = 16, 28  # columns of a run's name: at least, at most
_WHY = 16  # columns of the reason, at least
_BARS = "▁▂▃▄▅▆"  # not higher: rows are to stay apart
_NO_SPEED = 1e30  # samples a second: nor is NaN below it
_LEAST_RANGE = 0.2  # of the fastest: a speed that strays by 2 % looks flat
_FAR_S = 1e9
_TURNS = {"runs": "ends in", "waits": "starts in"}


class Given(NamedTuple):
    """What a line is made of."""

    row: FleetRow
    now: float
    speeds: tuple[float, ...] = ()


Cell = tuple[str, str]  # a text, and its style


class Column(NamedTuple):
    """`rank`: the higher, the sooner it is left out. `foreign`: a text of others, cut by cells."""

    key: str
    title: str
    width: int
    rank: int
    cell: Callable[[Given], Cell]
    right: bool = False
    foreign: bool = False
    sort: str = ""  # else its key


def _health(given: Given, *, full: bool) -> Cell:
    sign, word, colour = HEALTH[given.row.health]
    return f"{sign} {word if full else _SHORT[given.row.health]}", f"bold ${colour}"


def _progress(given: Given) -> Cell:
    share = given.row.progress
    return ("" if share is None else f"{min(9.99, share) * 100:.0f}%"), ""


def _last(given: Given) -> Cell:
    at = given.row.last_progress_at
    return ("" if at is None else roughly(given.now - at)), ""


def _alerts(given: Given) -> Cell:
    row = given.row
    signs = ((row.criticals, "✖", "$bad"), (row.warnings, "▲", "$warn"))
    told = " ".join(f"{min(count, 99)}{sign}" for count, sign, _ in signs if count)
    return told, next((colour for count, _, colour in signs if count), "")


def _loss(given: Given) -> Cell:
    if given.row.loss_is_nan:
        return "NaN", "bold $bad"
    return _number(given.row.loss), ""


def _speed(given: Given) -> Cell:
    return sparkline(given.speeds), "$trace-speed"


def _saved(given: Given) -> Cell:
    n = given.row.saved_iteration
    return ("" if n is None else f"{n:,}"), ""


def _iteration(given: Given) -> Cell:
    n = given.row.iteration
    return ("" if n is None else f"{n:,}"), ""


def _eta(given: Given) -> Cell:
    return ("" if given.row.done else brief(given.row.eta_s)), ""


def _risk(given: Given) -> Cell:
    hours = given.row.hours_at_risk
    return ("" if hours is None or given.row.done else brief(hours * 3600)), ""


def _queue(given: Given) -> Cell:
    return turn(given.row.queue, given.now)


def _next(given: Given) -> Cell:
    return turn(given.row.successor, given.now)


def _why(given: Given) -> Cell:
    row = given.row
    return ("" if row.health == "ok" and row.why == "training" else row.why), "$quiet"


COLUMNS = (
    Column("health", "health", 7, 0, lambda given: _health(given, full=False), sort="worst"),
    Column("run", "run", _NAME, 0, lambda given: (given.row.run, ""), foreign=True),
    Column("iteration", "iteration", 9, 5, _iteration, right=True),
    Column("progress", "done", 4, 1, _progress, right=True),
    Column("step", "s/it", 6, 4, lambda given: (_number(given.row.step_time_s), ""), right=True),
    Column("tflops", "TFLOPs", 6, 7, lambda given: (_number(given.row.tflops), ""), right=True),
    Column("speed", "speed lately", 12, 9, _speed, sort="step"),
    Column("loss", "loss", 7, 8, _loss, right=True),
    Column("eta", "to go", 7, 6, _eta, right=True),
    Column("last", "last it", 7, 2, _last, right=True),
    Column("alerts", "alerts", 7, 3, _alerts, right=True),
    Column("risk", "at risk", 7, 11, _risk, right=True),
    Column("saved", "saved", 9, 12, _saved, right=True),
    Column("queue", "queue", 15, 10, _queue),
    Column("next", "successor", 15, 13, _next),
    Column("user", "user", 8, 15, lambda given: (given.row.user, "$quiet"), foreign=True),
    Column("project", "project", 12, 14, lambda given: (given.row.project, ""), foreign=True),
    Column("why", "why", _WHY, 16, _why, foreign=True, sort="worst"),
)


def fitting(width: int, without: str = "") -> list[Column]:
    """The columns that there is room for, the least important left out first; names and reasons fill up."""
    columns = [column for column in COLUMNS if column.key != without]
    if width >= _FULL_FROM:
        columns[0] = columns[0]._replace(width=10, cell=lambda given: _health(given, full=True))
    while len(columns) > 2 and _taken(columns) > width:
        columns.remove(max(columns, key=lambda column: column.rank))
    spare = width - _taken(columns)
    for key, most in (("run", _LONGEST_NAME - _NAME), ("why", spare)):
        at = next((n for n, column in enumerate(columns) if column.key == key), None)
        if at is not None and spare > 0:
            more = min(spare, most)
            columns[at] = columns[at]._replace(width=columns[at].width + more)
            spare -= more
    return columns


def _taken(columns: Sequence[Column]) -> int:
    return sum(column.width + 1 for column in columns)


def line(columns: Sequence[Column], given: Given, width: int) -> Content:
    """A run as a line of just this width."""
    parts, spans, at = list[str](), list[Span](), 0
    for column in columns:
        text, style = column.cell(given)
        if column.foreign:
            shown = foreign(text, column.width)
            text, room = shown.plain, column.width - shown.cell_length
        else:
            text = text[: column.width]
            room = column.width - len(text)
        cell = " " + (" " * room + text if column.right else text + " " * room)
        if style:
            spans.append(Span(at + 1, at + len(cell), style))
        parts.append(cell)
        at += len(cell)
    return filled(Content("".join(parts), spans=spans), width)


def heading(columns: Sequence[Column], sort: str, *, falls: bool) -> Content:
    """The names of the columns; the one that is sorted by has an arrow."""
    row = Content("")
    for column in columns:
        sorts = sort in (column.key, "worst" if column.key == "health" else "")
        title = (
            f"{column.title[: column.width - 1]}{'▼' if falls else '▲'}" if sorts else column.title
        )
        title = title[: column.width]
        side = ">" if column.right else "<"
        row += Content.styled(f" {title:{side}{column.width}}", "bold $bar" if sorts else "$quiet")
    return row


def column_at(columns: Sequence[Column], x: int) -> Column | None:
    """The column at so many cells from the left."""
    left = 0
    for column in columns:
        left += column.width + 1
        if x < left:
            return column
    return None


def group_line(group: Group, by: str, width: int) -> Content:
    """The line above the runs of a group."""
    name = foreign(group.name or f"no {by}", max(8, width // 3), "bold")
    told = Content("  ").join([Content.styled(text, style) for text, style in summary(group)])
    row = Content.assemble((" ━━ ", "$faint"), name, "  ") + told + " "
    return row + Content.styled("━" * max(0, width - row.cell_length), "$faint")


def summary(group: Group) -> list[Cell]:
    """What some runs are together, in parts."""
    totals, parts = group.totals, list[Cell]()
    parts.append((f"{totals.runs:,} run{'s' * (totals.runs != 1)}", "$quiet"))
    for health in ("critical", "warning", "unknown", "ok"):
        if count := totals.health.get(health, 0):
            sign, word, colour = HEALTH[health]
            parts.append(
                (f"{sign} {count:,} {word.lower() if health != 'ok' else word}", f"${colour}")
            )
    if totals.gpu_hours_at_risk >= 1:
        parts.append((f"{totals.gpu_hours_at_risk:,.0f} GPU-hours at risk", "$quiet"))
    if firing := totals.criticals + totals.warnings:
        parts.append((f"{firing:,} alert{'s' * (firing != 1)}", "$quiet"))
    if totals.gpus:
        parts.append((f"{totals.gpus:,} GPUs", "$quiet"))
    return parts


def turn(where: Turn | None, now: float) -> Cell:
    """A place in the queue: since when nobody knows, until when, or from when on."""
    if where is None:
        return "", ""
    style = {"runs": "$good", "waits": "$warn", "held": "bold $bad", "none": "$warn"}
    colour = style.get(where.word, "$blind")
    if where.at is None or where.at <= now:
        return where.word, colour
    return f"{_TURNS.get(where.word, where.word)} {brief(where.at - now)}", colour


def brief(seconds: float | None) -> str:
    """The two largest units in seven cells at most: `9d 4h`, `3h 12m`, `43s`. Nothing where unknown."""
    if seconds is None or not math.isfinite(seconds):
        return ""
    if seconds >= _FAR_S:
        return "years"
    seconds = max(0.0, seconds)
    if seconds >= 1000 * 86400:
        return f"{seconds / 86400:.0f}d"
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if days:
        return f"{days}d {hours % 24}h"
    if hours:
        return f"{hours}h {minutes % 60}m"
    return f"{minutes}m" if minutes else f"{int(seconds)}s"


def sparkline(speeds: Sequence[float]) -> str:
    """Bars; a blank where nothing is known. The scale begins at 80 % of the fastest, or lower."""
    known = [speed for speed in speeds if abs(speed) < _NO_SPEED]
    if not known:
        return ""
    top = max(known)
    bottom = min(*known, top * (1 - _LEAST_RANGE))
    span = top - bottom if top > bottom else math.inf
    highest = len(_BARS) - 1
    return "".join(
        _BARS[round((speed - bottom) / span * highest)] if abs(speed) < _NO_SPEED else " "
        for speed in speeds
    )


def _number(value: float | None) -> str:
    """In six cells or so; nothing where unknown."""
    if value is None:
        return ""
    for digits in (4, 3, 2):
        shown = words.number(value, digits)
        if len(shown) <= 6:
            return shown
    return f"{value:.0e}"
