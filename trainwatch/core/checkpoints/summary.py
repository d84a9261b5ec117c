"""What a status says of checkpoints: a row for those one asks about, a tick for all, what pruning would do.

The trap: there may be thousands of them, and a status is written twice a minute to a shared disk. Rows and
ticks are bounded; no checkpoint is left out of the ticks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from trainwatch.core.checkpoints.survey import WRITING_S
from trainwatch.core.model.housekeeping import CheckpointRow, CheckpointsStatus, Mark, Tick
from trainwatch.core.model.observations import Checkpoint, CheckpointReading
from trainwatch.core.model.state import RunState
from trainwatch.core.rules.settings import PurgeRisk

MOST_ROWS, NEWEST_ROWS = 80, 40
MOST_TICKS = 200
_MOST_REFUSED = 3
_MOST_GAPS = 8
_DAY_S = 86_400.0
_ORDER: tuple[Mark, ...] = ("writing", "partial", "at-risk", "kept", "goes")


def summary(
    state: RunState, purge: PurgeRisk, period_s: float | None, interval: int | None, now: float
) -> CheckpointsStatus | None:
    """What is known at `now`; None where nobody ever looked. `period_s`: from one save to the next."""
    reading = state.checkpoints
    if reading is None:
        return None
    rows = [_row(one, reading, state, purge, now) for one in reading.found]
    rows.sort(key=lambda row: (row.iteration is not None, row.iteration, row.name))
    goes = [row for row in rows if row.mark == "goes"]
    return CheckpointsStatus(
        at=reading.at,
        root=reading.root,
        count=len(rows),
        complete=sum(one.complete is True for one in reading.found),
        bytes=sum(row.bytes or 0 for row in rows),
        rows=_chosen(rows),
        ticks=tuple(_ticks([row for row in rows if row.iteration is not None])),
        period_s=period_s or _measured_s(reading.found),
        next_save=_next_save(state, interval),
        purge_after_days=purge.purge_after_days,
        policy=reading.policy,
        goes=len(goes),
        prunable_bytes=reading.prunable_bytes,
        refused=reading.refused[:_MOST_REFUSED],
        prunes=reading.prunes,
    )


def mark_of(one: Checkpoint, purge_at: float | None, purge: PurgeRisk, now: float) -> Mark:
    """How a checkpoint stands. A plan's word that it goes comes before all else."""
    if one.goes:
        return "goes"
    if not one.complete:
        return "writing" if _is_written(one, now) else "partial"
    soon = purge_at is not None and now >= purge_at - purge.warn_before_days * _DAY_S
    return "at-risk" if soon else "kept"


def purged_at(one: Checkpoint, purge: PurgeRisk) -> float | None:
    """When the site may remove what nobody reads; None: never, or nobody knows."""
    if purge.purge_after_days is None or not one.complete or not one.atime:
        return None
    return one.atime + purge.purge_after_days * _DAY_S


def _row(
    one: Checkpoint, reading: CheckpointReading, state: RunState, purge: PurgeRisk, now: float
) -> CheckpointRow:
    purge_at = purged_at(one, purge)
    loaded = state.attempts[-1].loaded_iteration if state.attempts else None
    return CheckpointRow(
        name=one.name,
        mark=mark_of(one, purge_at, purge, now),
        state=one.state or {True: "complete", False: "partial"}.get(one.complete, "unknown"),  # type: ignore[arg-type]
        iteration=one.iteration,
        bytes=one.bytes,
        saved_at=one.mtime,
        purge_at=purge_at,
        why=one.goes or one.keeps,
        tracked=one.name == reading.latest,
        loaded=loaded is not None and one.iteration == loaded,
        backed_up=one.backed_up,
    )


def _is_written(one: Checkpoint, now: float) -> bool:
    """As whoever listed it said; else by the time of its last change."""
    if one.state:
        return one.state == "writing"
    return one.complete is False and one.mtime is not None and now - one.mtime < WRITING_S


def _chosen(rows: Sequence[CheckpointRow]) -> tuple[CheckpointRow, ...]:
    """The newest first. If there are too many: the newest, then what is special, then what stays."""
    newest_first = [*reversed(rows)]
    if len(rows) <= MOST_ROWS:
        return tuple(newest_first)
    places = {row.name: n for n, row in enumerate(newest_first)}
    special = sorted(newest_first[NEWEST_ROWS:], key=_rank)  # of one rank the newest first
    chosen = [*newest_first[:NEWEST_ROWS], *special[: MOST_ROWS - NEWEST_ROWS]]
    return tuple(sorted(chosen, key=lambda row: places[row.name]))


def _rank(row: CheckpointRow) -> tuple[bool, int, float]:
    soonest = row.purge_at or 0.0 if row.mark == "at-risk" else 0.0
    return not (row.tracked or row.loaded), _ORDER.index(row.mark), soonest


def _ticks(rows: Sequence[CheckpointRow]) -> Iterator[Tick]:
    """One for each, or, where there are too many, one for each stretch of iterations that has any."""
    if not rows:
        return
    first, last = rows[0].iteration or 0, rows[-1].iteration or 0
    stretch = 1 if len(rows) <= MOST_TICKS else -(-(last - first + 1) // MOST_TICKS)
    held: list[CheckpointRow] = []
    for row in rows:
        if held and ((row.iteration or 0) - first) // stretch != _of(held[0], first, stretch):
            yield _tick(held)
            held = []
        held.append(row)
    yield _tick(held)


def _of(row: CheckpointRow, first: int, stretch: int) -> int:
    return ((row.iteration or 0) - first) // stretch


def _tick(rows: Sequence[CheckpointRow]) -> Tick:
    marks: dict[Mark, int] = dict(Counter(row.mark for row in rows))
    return Tick(first=rows[0].iteration or 0, last=rows[-1].iteration or 0, marks=marks)


def _measured_s(found: Iterable[Checkpoint]) -> float | None:
    """By the times of the last saves, where neither log nor configuration tells an interval."""
    from statistics import median  # 4 ms of the start of everything that watches

    times = sorted(one.mtime for one in found if one.complete and one.mtime)[-_MOST_GAPS - 1 :]
    gaps = [later - earlier for earlier, later in pairwise(times) if later > earlier]
    return median(gaps) if gaps else None


def _next_save(state: RunState, interval: int | None) -> int | None:
    if state.open is None or not interval:
        return None
    return (state.open.iteration // interval + 1) * interval
