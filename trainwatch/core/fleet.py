"""All runs on one screen: a row from a status, what sorts, finds and groups rows, and what they are together.

The trap: what a watcher published says how the run was when it looked. A watcher that is silent knows
nothing: then health is unknown, whatever was published.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.core.beat import SILENT_AFTER_S, silence_s
from trainwatch.core.model.alerts import SEVERITIES
from trainwatch.core.model.fleet import Firing, FleetRow, Group, Totals, Turn
from trainwatch.core.model.observations import Job, QueueReading
from trainwatch.core.model.status import Status
from trainwatch.core.patterns import pattern
from trainwatch.core.slurm.reasons import never_starts
from trainwatch.core.words import duration

HEALTHS = ("critical", "warning", "unknown", "ok")  # the worst first
UNREAD = "not read yet"
_DIGITS = pattern(r"([0-9]+)")


def row_of(key: str, status: Status, project: str = "", user: str = "") -> FleetRow:
    """The row of what was published of a run. `user` counts where the queue names nobody."""
    jobs = status.queue.jobs if status.queue is not None else ()
    turn, successor = _turns(status.queue)
    saved, last = status.checkpoint, status.attempts[-1] if status.attempts else None
    return FleetRow(
        key=key,
        run=status.run,
        log=status.log or "",
        project=project,
        user=next((job.user for job in sorted(jobs, key=_order) if job.user), user),
        health=status.health if status.health in HEALTHS else "unknown",
        why=status.reason,
        phase=status.phase,
        done=last is not None and last.end == "completed",
        iteration=status.iteration,
        target_iteration=status.target_iteration,
        progress=_finite(status.progress),
        step_time_s=_finite(status.step_time_s),
        tflops=_finite(status.tflops),
        loss=_finite(status.loss),
        loss_is_nan=status.loss_is_nan,
        eta_s=_finite(status.eta_s),
        last_progress_at=_finite(status.last_progress_at),
        gpus=status.gpus,
        alerts=_firing(status),
        queue=turn,
        successor=successor,
        saved_iteration=saved.iteration if saved else None,
        saved_at=_finite(saved.at) if saved else None,
        hours_at_risk=_finite(status.hours_at_risk),
        gpu_hours_at_risk=_finite(status.gpu_hours_at_risk),
        heartbeat_at=_finite(status.heartbeat_at),
        silent_after_s=status.silent_after_s,
    )


def judged(row: FleetRow, now: float, silent_after_s: float = SILENT_AFTER_S) -> FleetRow:
    """A row of what was published, seen from outside: a watcher's silence is part of the answer."""
    said = f"(it said: {row.health})"
    if row.heartbeat_at is None:
        why = f"nobody says when its watcher last looked {said}"
        return replace(row, health="unknown", why=why, eta_s=None)
    silent_s = silence_s(row.heartbeat_at, row.silent_after_s, now, silent_after_s)
    if silent_s is None:
        return row
    length = duration(abs(silent_s) // 60 * 60)
    ahead = silent_s < 0
    why = f"its watcher's clock is {length} ahead" if ahead else f"watcher silent for {length}"
    return replace(row, health="unknown", why=f"{why} {said}", eta_s=None)


class Sort(NamedTuple):
    """A way to sort. `value` may be None: unknown, and last whichever way it is sorted."""

    key: str
    says: str
    value: Callable[[FleetRow], float | int | str | tuple[object, ...] | None]
    falling: bool = False  # the largest first


def _worst(row: FleetRow) -> tuple[int, bool, int, int]:
    return HEALTHS.index(row.health), row.done, -row.criticals, -row.warnings


@lru_cache(maxsize=4096)
def name_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """Names as people sort them: run-9 before run-10."""
    parts = _DIGITS.split(name.casefold()[:200])
    return tuple((0, int(p), "") if n % 2 else (1, 0, p) for n, p in enumerate(parts))


SORTS = (
    Sort("worst", "the worst first", _worst),
    Sort("run", "name", lambda row: name_order(row.run)),
    Sort("iteration", "iteration", lambda row: row.iteration, falling=True),
    Sort("progress", "progress", lambda row: row.progress, falling=True),
    Sort("step", "seconds an iteration", lambda row: row.step_time_s, falling=True),
    Sort("tflops", "TFLOPs of a GPU", lambda row: row.tflops, falling=True),
    Sort("loss", "loss", lambda row: math.inf if row.loss_is_nan else row.loss, falling=True),
    Sort("eta", "time to go", lambda row: row.eta_s),
    Sort("last", "last progress, the oldest first", lambda row: row.last_progress_at),
    Sort("alerts", "alerts", lambda row: (row.criticals, row.warnings), falling=True),
    Sort("queue", "place in the queue", lambda row: _queued(row.queue)),
    Sort("next", "successor", lambda row: _queued(row.successor)),
    Sort("saved", "last checkpoint, the oldest first", lambda row: row.saved_at),
    Sort("risk", "hours at risk", lambda row: row.hours_at_risk, falling=True),
    Sort("project", "project", lambda row: name_order(row.project) if row.project else None),
    Sort("user", "user", lambda row: name_order(row.user) if row.user else None),
)
BY_KEY = {sort.key: sort for sort in SORTS}
_GROUPS: dict[str, Callable[[FleetRow], str]] = {
    "project": lambda row: row.project,
    "user": lambda row: row.user,
}
GROUPINGS = ("", *_GROUPS)  # empty: none


def ordered(
    rows: Iterable[FleetRow], sort: str = "worst", *, turned: bool = False
) -> list[FleetRow]:
    """Sorted, ties by name; what is unknown last. `turned`: the other way round."""
    how = BY_KEY[sort]
    by_name = sorted(rows, key=lambda row: (name_order(row.run), row.key))
    valued = [(how.value(row), row) for row in by_name]
    known: list[tuple[object, FleetRow]] = [(v, row) for v, row in valued if v is not None]
    known.sort(key=_first, reverse=how.falling != turned)
    return [row for _, row in known] + [row for value, row in valued if value is None]


def matching(rows: Iterable[FleetRow], text: str) -> list[FleetRow]:
    """Those that hold each word of a text in their name, project, user, state, or an alert that fires."""
    words = text.casefold().split()
    if not words:
        return [*rows]
    return [row for row in rows if all(word in _said(row) for word in words)]


def grouped(rows: Sequence[FleetRow], by: str) -> list[Group | FleetRow]:
    """Groups in order of their first row, each under a line of its own; just the rows if `by` is empty."""
    if by not in _GROUPS:
        return [*rows]
    groups = dict[str, list[FleetRow]]()
    for row in rows:
        groups.setdefault(_GROUPS[by](row), []).append(row)
    found: list[Group | FleetRow] = []
    for name, members in groups.items():
        found += [Group(name=name, totals=totals(members)), *members]
    return found


def totals(rows: Iterable[FleetRow]) -> Totals:
    """What they are together. GPUs are those of runs that are not known to be over."""
    count, gpus, criticals, warnings, risk = 0, 0, 0, 0, 0.0
    health = dict.fromkeys(HEALTHS, 0)
    for row in rows:
        count += 1
        health[row.health] += 1
        gpus += 0 if row.done else row.gpus or 0
        criticals += row.criticals
        warnings += row.warnings
        risk += row.gpu_hours_at_risk or 0.0
    return Totals(
        runs=count,
        health=health,
        gpus=gpus,
        criticals=criticals,
        warnings=warnings,
        gpu_hours_at_risk=risk,
    )


def speeds(step_times: Sequence[float], batches: Sequence[float], bins: int) -> tuple[float, ...]:
    """The mean speed of so many equal stretches of the last iterations, in samples a second.

    Where no batch size is known, in iterations a second. A stretch of which nothing is known is NaN.
    """
    known_batches = len(batches) == len(step_times) and any(batch > 0 for batch in batches)
    rates = [
        (batches[n] if known_batches else 1.0) / step_s if step_s > 0 else math.nan
        for n, step_s in enumerate(step_times)
    ]
    bins = min(bins, len(rates))
    edges = [len(rates) * n // bins for n in range(bins + 1)] if bins else []
    return tuple(_mean(rates[a:b]) for a, b in pairwise(edges))


def _first(pair: tuple[object, FleetRow]) -> "tuple[object, ...]":
    value = pair[0]
    return value if isinstance(value, tuple) else (value,)


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if known else math.nan


def _said(row: FleetRow) -> str:
    turn = row.queue.word if row.queue is not None else ""
    parts = (row.run, row.project, row.user, row.health, row.phase, turn)
    return "\n".join((*parts, *(alert.rule for alert in row.alerts))).casefold()


def _firing(status: Status) -> tuple[Firing, ...]:
    found = [Firing(severity=a.severity, rule=a.rule, muted=a.muted) for a in status.alerts]
    rank: dict[str, int] = {severity: n for n, severity in enumerate(SEVERITIES)}
    return tuple(sorted(found, key=lambda alert: -rank.get(alert.severity, -1)))


def _turns(queue: QueueReading | None) -> tuple[Turn | None, Turn | None]:
    """Where the run is in the queue, and what follows the job that runs."""
    if queue is None:
        return None, None
    if queue.state != "ok":
        return Turn(word="unknown"), Turn(word="unknown")
    jobs = sorted(queue.jobs, key=_order)
    none = Turn(word="none")
    if not jobs:
        return none, none
    waiting = [job for job in jobs if job.state != "RUNNING"]
    if jobs[0].state != "RUNNING":
        return _turn(jobs[0]), _turn(jobs[1]) if len(jobs) > 1 else none
    return _turn(jobs[0]), _turn(waiting[0]) if waiting else none


def _turn(job: Job) -> Turn:
    if job.state == "RUNNING":
        ends = job.end
        if ends is None and job.start is not None and job.time_limit_s is not None:
            ends = job.start + job.time_limit_s
        return Turn(word="runs", at=_finite(ends), job_id=job.job_id)
    held = never_starts(job.reason, job.state)
    return Turn(word="held" if held else "waits", at=_finite(job.start), job_id=job.job_id)


def _order(job: Job) -> tuple[bool, bool, float, str]:
    start = _finite(job.start)
    never = never_starts(job.reason, job.state)
    return job.state != "RUNNING", never, math.inf if start is None else start, job.job_id


def _queued(turn: Turn | None) -> tuple[object, ...] | None:
    """What needs somebody first: held, not there, unknown, waiting, running."""
    if turn is None:
        return None
    order = ("held", "none", "unknown", "waits", "runs")
    return order.index(turn.word), math.inf if turn.at is None else turn.at


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
