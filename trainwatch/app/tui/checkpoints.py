"""The checkpoints pane: the last save, what is at risk, all on a line, what pruning would do, a table."""

from typing import NamedTuple

from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui import stretch
from trainwatch.app.tui.rows import Cell, Rows, table_line
from trainwatch.app.tui.text import age, cut, foreign, listed, roughly
from trainwatch.core.model.housekeeping import CheckpointRow, CheckpointsStatus, Mark
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.model.status import Status

_UNASKED = "nobody looks at it: set keep_last or path in [runs.checkpoints]"
_UNLISTED = "their folder is configured, and was not listed yet"
_UNPRUNED = "nothing is pruned: set keep_last in [runs.checkpoints] to see what would go"
_TALL = 16  # rows of the pane; from there on the line has two rows and an axis
_LABEL = 12
_NAME_FROM = 110  # columns; below, there is no room for names
_NAME = 22
_GOING: frozenset[Mark] = frozenset({"goes"})
_STAYING: frozenset[Mark] = frozenset({"kept", "at-risk", "writing", "partial"})


class Said(NamedTuple):
    """A row: what it is about, and its parts, the most important first."""

    label: str
    parts: list[Content]


class Checkpoints(Rows):
    """What there is to say, then a row for each checkpoint, the newest first."""

    def made(self, width: int) -> list[Content]:
        """See Rows."""
        snapshot, known = self.snapshot, self.snapshot.status.checkpoints
        now = snapshot.taken_at
        told = [*_saves(snapshot.status, now), *_missing(snapshot)]
        rows = [_said(each, width) for each in told]
        if known is None:
            return rows
        rows += _line(known, snapshot, width, tall=self.size.height >= _TALL)
        rows += [_said(each, width) for each in _plan(known, now)]
        if known.rows:
            rows.append(_table(known, _HEADING, width).stylize("$quiet"))
        rows += [_table(known, _cells(row, now), width) for row in known.rows]
        left = known.count - len(known.rows)
        if left > 0:
            more = f"   and {left:,} more: trainwatch checkpoints list"
            rows.append(foreign(more, width, "$quiet"))
        return rows


def _said(told: Said, width: int) -> Content:
    return _labelled(told.label, listed(told.parts, max(1, width - _LABEL - 1)))


def _labelled(label: str, told: Content) -> Content:
    return Content.styled(f" {label:<{_LABEL - 1}}", "$quiet") + told


def _parts(*texts: str, style: str = "") -> list[Content]:
    return [foreign(text, None, style) for text in texts if text]


def _saves(status: Status, now: float) -> list[Said]:
    """When it was saved last, how long that takes and how often it is; what a crash now would cost."""
    saved, known = status.checkpoint, status.checkpoints
    last = took = ""
    if saved is not None and saved.iteration is not None:
        ago = f", {age(now - saved.at)} ago" if saved.at is not None else ""
        last = f"iteration {saved.iteration:,}{ago}"
    if saved is not None and saved.duration_s:
        took = f"took {words.duration(saved.duration_s)}"
    period = words.duration(known.period_s) if known is not None and known.period_s else ""
    every = f"every {status.save_interval:,} iterations" if status.save_interval else ""
    if period:
        every = f"{every} ({period})" if every else f"every {period}"
    found = [Said("last save", _parts(last or "the log tells of none", took, every))]
    risk = _at_risk(status)
    return [*found, Said("at risk", risk)] if risk else found


def _at_risk(status: Status) -> list[Content]:
    lost, known = status.iterations_at_risk, status.checkpoints
    if lost is None:
        return []
    if lost == 0:
        return _parts("nothing", style="$good")
    hours, gpu_hours = status.hours_at_risk, status.gpu_hours_at_risk
    parts = _parts(
        f"{words.duration(hours * 3600)} of work" if hours else "",
        f"{words.number(gpu_hours, 3)} GPU-hours" if gpu_hours else "",
        style="$warn",
    )
    parts += _parts(f"{lost:,} iterations")
    then, at = known.next_save if known is not None else None, status.iteration
    if then is not None and at is not None and then > at:
        step_s = status.step_time_s
        soon = f" in {roughly((then - at) * step_s)}" if step_s else ""
        parts += _parts(f"next save at {then:,}{soon}", style="$quiet")
    return parts


def _missing(snapshot: Snapshot) -> list[Said]:
    """What is not known, and why; where nothing is configured, what to configure."""
    why = snapshot.status.troubles.get("checkpoints", "")
    if why:
        return [Said("unknown", _parts(f"? {why}", style="$blind"))]
    if snapshot.status.checkpoints is not None:
        return []
    asked = _UNLISTED if snapshot.configured.checkpoints else _UNASKED
    return [Said("folder", _parts(asked, style="$quiet"))]


def _line(known: CheckpointsStatus, snapshot: Snapshot, width: int, *, tall: bool) -> list[Content]:
    """All of them over the iterations, what the signs mean, and how many there are."""
    status, ticks = snapshot.status, known.ticks
    room = max(1, width - _LABEL - 1)
    told = _parts(f"{known.count:,} take {words.short(known.bytes, 'B')}", style="bold")
    listing = f"listed {age(snapshot.taken_at - known.at)} ago"
    told += [*stretch.legend(ticks), *_parts(listing, style="$quiet")]
    counts = _said(Said("all", told), width)
    if not ticks:
        return [counts]
    saved = status.checkpoint.iteration if status.checkpoint is not None else None
    reach = stretch.Reach(status.iteration, saved)
    if not tall:
        return [_labelled("iterations", stretch.drawn(ticks, reach, room)), counts]
    line = [_labelled("kept", stretch.drawn(ticks, reach, room, _STAYING))]
    if known.goes:
        line.append(_labelled("to go", stretch.drawn(ticks, reach, room, _GOING)))
    first, last = stretch.ends_of(ticks, reach)
    left = f"{first:,}"
    axis = Content.styled(f"{left}{last:>{max(1, room - len(left))},}", "$quiet")
    return [*line, _labelled("", axis), counts]


def _plan(known: CheckpointsStatus, now: float) -> list[Said]:
    """What pruning would do, and what the site does."""
    if not known.policy:
        found = [Said("plan", _parts(_UNPRUNED, style="$quiet"))]
    elif known.refused:
        why = known.refused[0]
        found = [Said("plan", _parts(f"nothing can be pruned: {why}", style="$warn"))]
    else:
        found = [_pruning(known)]
    soon = [row for row in known.rows if row.purge_at is not None and row.mark != "goes"]
    if soon:
        first = min(soon, key=lambda row: row.purge_at or 0.0)
        more = sum(row.mark == "at-risk" for row in soon) - 1
        style = "$warn" if first.mark == "at-risk" else ""
        parts = _parts(f"{first.name} {_purged(first, now)}", style=style)
        parts += _parts(f"{more:,} more soon" if more > 0 else "", style=style)
        days = f"the site removes what is not read for {known.purge_after_days or 0:g} days"
        found.append(Said("purge", parts + _parts(days, style="$quiet")))
    return found


def _pruning(known: CheckpointsStatus) -> Said:
    stays = f"{known.count - known.goes:,} stay: {known.policy}"
    if not known.goes:
        return Said("plan", [*_parts("nothing would go", style="$good"), *_parts(stays)])
    does = "the watcher removes them" if known.prunes else "trainwatch checkpoints prune"
    frees = f"{known.goes:,} would go, which frees {words.short(known.prunable_bytes, 'B')}"
    return Said(
        "plan", [*_parts(frees, style="bold"), *_parts(stays), *_parts(does, style="$quiet")]
    )


def _purged(row: CheckpointRow, now: float) -> str:
    left_s = (row.purge_at or 0.0) - now
    return f"is purged in {roughly(left_s)}" if left_s > 0 else "may be purged any night"


_HEADING = ("", "", "iteration", "size", "saved", "purge", "name", "why")


def _cells(row: CheckpointRow, now: float) -> tuple[str, ...]:
    sign, called, _ = stretch.MARKS[row.mark]
    left_s = None if row.purge_at is None else row.purge_at - now
    purge = words.DASH if left_s is None else f"in {roughly(left_s)}" if left_s > 0 else "due"
    notes = ["this attempt went on from it"] if row.loaded else []
    notes += [f"backed up: {row.backed_up}"] if row.backed_up else []
    return (
        sign,
        called,
        f"{row.iteration:,}" if row.iteration is not None else words.DASH,
        words.short(row.bytes, "B"),
        f"{roughly(now - row.saved_at)} ago" if row.saved_at is not None else words.DASH,
        purge,
        row.name,
        "; ".join(part for part in (*notes, row.why) if part),
    )


def _table(known: CheckpointsStatus, texts: tuple[str, ...], width: int) -> Content:
    """A row of the table; who has no site that purges needs no column for it."""
    sign, called, iteration, size, saved, purge, name, why = texts
    colour = next((each[2] for each in stretch.MARKS.values() if each[0] == sign), "")
    cells = [
        Cell(f"{sign} {called}".strip(), 9, colour),
        Cell(iteration, 10, "bold" if sign else "", right=True),
        Cell(size, 8, right=True),
        Cell(saved, 11, right=True),
    ]
    if known.purge_after_days is not None:
        cells.append(Cell(purge, 8, right=True))
    if width >= _NAME_FROM:
        cells.append(Cell(name, _NAME, "$quiet"))
    return cut(table_line([*cells, Cell(why, 0)], width), width)
