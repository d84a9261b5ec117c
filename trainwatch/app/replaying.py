"""Folding a recording or a plain log with the clock taken from it: no store, no watcher, no now."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trainwatch.app import recording
from trainwatch.core.columns import Columns
from trainwatch.core.judge import Judge
from trainwatch.core.logs.lines import cut
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.observations import LogChunk, Observation
from trainwatch.core.model.state import RECENT_ROWS, Event, RunState
from trainwatch.core.run import Reader

SCHEMA_VERSION = 1  # of the lines of `replay --json`
_BLOCK_BYTES = 1024 * 1024


class Replayed(NamedTuple):
    """What one observation added, and the state after it. `changes` are those of alerts."""

    state: RunState
    recent: Columns
    events: tuple[Event, ...]
    read_bytes: int
    changes: tuple[Change, ...] = ()


def observations(path: Path, now: float, flaws: recording.Flaws) -> Iterator[Observation]:
    """The observations of a recording; a plain log is read as one that was there before.

    What is wrong with a recording is added to `flaws`.
    """
    return recording.read(path, flaws) if recording.is_recording(path) else of_log(path, now)


def of_log(path: Path, now: float) -> Iterator[LogChunk]:
    """A whole log in chunks. Its own clock counts; `now` only tells which year it is."""
    rest, offset, in_long_line = b"", 0, False
    with path.open("rb") as file:
        while True:
            block = file.read(_BLOCK_BYTES)
            found = cut(rest + block, in_long_line, at_end=False)
            data, start = found.lines, offset + found.start
            rest, in_long_line = (rest + block)[found.used :], found.in_long_line
            offset += found.used
            if not block:
                data, rest = data + rest, b""
            if data:
                yield LogChunk(at=now, path=str(path), data=data, offset=start, live=False)
            if not block:
                return


def replay(
    run: str,
    seen: Iterator[Observation],
    scanner: Scanner,
    utc_offset_s: float,
    judge: Judge,
) -> Iterator[Replayed]:
    """Fold observations one after another, and judge them."""
    reader = Reader(scanner, utc_offset_s=utc_offset_s)
    state, recent = RunState(run=run), Columns()
    for observation in seen:
        events = list[Event]()
        for step in judge.see(observation, state, reader.steps(state, observation)):
            state = step.state
            events += step.events
            recent.extend(step.rows)
        if recent.rows > 2 * RECENT_ROWS:
            recent = recent.tail(RECENT_ROWS)
        size = len(observation.data) if isinstance(observation, LogChunk) else 0
        yield Replayed(state, recent, tuple(events), size, judge.told())
