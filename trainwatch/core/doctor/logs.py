"""A log by its two ends: its format, its iterations, its last time. Years of log are not read for it.

The trap: both ends are cut somewhere in a line, and what is between them is not known: a count of iterations
would be wrong, the first and the last are not.
"""

import shlex
from typing import NamedTuple

from trainwatch.core.columns import Columns
from trainwatch.core.derived import facts_of
from trainwatch.core.doctor.check import Check
from trainwatch.core.facts import Facts
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import RunState
from trainwatch.core.run import Reader
from trainwatch.core.words import clean, duration, number, short

_FAR_AHEAD_S = 300.0


class Ends(NamedTuple):
    """The beginning and the end of a file, which may be all of it; then `tail` is empty."""

    size_bytes: int
    mtime: float
    head: bytes
    tail: bytes = b""


class LogSeen(NamedTuple):
    """What the ends of a log tell. None is unknown. `last_at` is by a stamp in the log."""

    size_bytes: int
    written_at: float
    framework: str | None = None
    known: bool = False  # something in it was recognised
    first: int | None = None  # iteration of the head
    last: int | None = None
    last_at: float | None = None
    facts: Facts = Facts()


def seen(ends: Ends, scanner: Scanner, utc_offset_s: float, now: float) -> LogSeen:
    """Read both ends as a watcher would."""
    reader = Reader(scanner, utc_offset_s=utc_offset_s, keep=("iteration",))
    state, first = RunState(run=""), None
    for data in (_whole_lines(ends.head, last=bool(ends.tail)), _after_a_line_end(ends.tail)):
        if not data:
            continue
        step = reader.advance(state, LogChunk(at=now, path="", data=data, live=False))
        state = step.state
        first = first if first is not None else _first(step.rows, state)
    facts = facts_of(state, Facts())
    return LogSeen(
        size_bytes=ends.size_bytes,
        written_at=ends.mtime,
        framework=facts.framework,
        known=bool(state.attempts),
        first=first,
        last=_last(state),
        last_at=state.clock.at if state.clock is not None else None,
        facts=facts,
    )


def judged(group: str, path: str, log: LogSeen, now: float) -> Check:
    """Whether there is anything to watch in it."""
    name, size = "log", f"{path}, {short(log.size_bytes, 'B')}"
    if log.size_bytes == 0:
        do = "nothing, if the job has yet to begin"
        return Check(
            group=group, name=name, verdict="warning", saw=f"{path} is empty so far", do=do
        )
    if not log.known:
        saw = f"{size}: neither its beginning nor its end holds a format that trainwatch knows"
        do = "name the log with the iterations, or describe its lines: [formats] (docs/formats.md)"
        return Check(group=group, name=name, verdict="unknown", saw=saw, do=do)
    written = f"written {duration(max(0.0, now - log.written_at))} ago"
    last = (
        f"its last time is of {duration(max(0.0, now - log.last_at))} ago, {written}"
        if log.last_at is not None
        else f"no time in its lines, {written}"
    )
    parts = (size, log.framework or "", _iterations(log), last)
    told = ", ".join(part for part in parts if part)
    ahead_s = log.last_at - now if log.last_at is not None else 0.0
    if ahead_s > _FAR_AHEAD_S:
        saw = f"{told}; its last line is of {duration(ahead_s)} from now"
        do = "say how far the log's clock is ahead of UTC: log_utc_offset_h"
        return Check(group=group, name=name, verdict="warning", saw=saw, do=do)
    return Check(group=group, name=name, verdict="ok", saw=told)


def missing(group: str, path: str, why: str) -> Check:
    """There is no log to be read. `why` names it."""
    do = f"put it right in [[runs]], or look for logs: trainwatch init {shlex.quote(_parent(path))}"
    return Check(group=group, name="log", verdict="wrong", saw=clean(why, 500), do=do)


def _iterations(log: LogSeen) -> str:
    if log.last is None:
        return "no iteration yet"
    if log.first is None or log.first == log.last:
        return f"iteration {number(log.last)}"
    return f"iterations {number(log.first)} to {number(log.last)}"


def _first(rows: Columns, state: RunState) -> int | None:
    return int(rows.column("iteration")[0]) if rows.rows else _last(state)


def _last(state: RunState) -> int | None:
    if state.open is not None:
        return state.open.iteration
    return state.bar.done if state.bar is not None else None


def _whole_lines(head: bytes, *, last: bool) -> bytes:
    """Without the line that the cut went through, where there is more behind it."""
    return head[: head.rfind(b"\n") + 1] if last else head


def _after_a_line_end(tail: bytes) -> bytes:
    return tail[tail.find(b"\n") + 1 :] if tail else b""


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "."
