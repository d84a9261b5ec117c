"""Does the run go on? Stalls, crashes that nobody noticed, crash loops, the kill switch.

The trap: only a completed iteration is health; a heartbeat line, a growing file, a RUNNING job are not.
"""

from collections import Counter
from collections.abc import Iterator

from trainwatch.core.ending import is_over
from trainwatch.core.model.alerts import Finding
from trainwatch.core.model.state import Attempt
from trainwatch.core.rules.processes import doing, launcher_alone
from trainwatch.core.rules.sight import LOOKS_S, UNSURE, Later, Said, Sight
from trainwatch.core.rules.whereabouts import (
    allocation_of,
    shortly,
    suspects_of,
    suspects_unstarted,
    told_by_scheduler,
)
from trainwatch.core.words import duration

_DOING = {
    "train": "training",
    "evaluate": "evaluating",
    "save": "saving a checkpoint",
    "startup": "starting up",
    "load": "starting up",
}
_GRID_S = 60.0  # between looks: a budget ends before the deadline it stands for
_AGAIN = 1.25  # a silence may be a little longer than the longest seen
_FIRST_HELD = 3.0  # and than the first burst, which began with the start of the job
_LOOKED_AT = 6  # attempts that a loop is looked for in


def stall(sight: Sight) -> Iterator[Said]:
    """No completed iteration within the budget of the phase the run is in."""
    memory, attempt, runs = sight.memory, sight.attempt, sight.runs
    pace, since, phase = memory.pace, memory.pace.moved_at, memory.pace.phase
    if runs is False:
        return
    if attempt is None or since is None or is_over(attempt):
        started = _started(sight)
        if not runs or started is None or started <= (since or 0.0):
            if attempt is not None and not (attempt.exit or attempt.notice):
                yield UNSURE  # an error may be the end, or may be none
            return
        phase, since = "startup", started  # a job runs that has not said a word
    if sight.is_blind or phase not in _DOING or (pace.guessed and not runs):
        yield UNSURE
        if memory.hands.sees_since is not None:
            yield Later(memory.hands.sees_since + LOOKS_S)
        return
    budget_s, silence_s = budget(sight, phase), sight.now - since
    if silence_s < budget_s:
        if not sight.moved or phase != pace.phase:
            yield UNSURE  # starting again is not yet going on
        yield Later(since + budget_s)
        return
    if silence_s > sight.settings.stall.forget_after_h * 3600 and not (runs or sight.lives):
        yield UNSURE
        return
    yield Finding(
        rule="stall",
        summary=_stalled(sight, phase, silence_s, budget_s),
        since=since,
        iteration=pace.iteration,
        evidence=tuple(memory.tail),
        cost=sight.cost(silence_s),
        advice=_after_stall(sight),
        labels={"phase": phase},
    )


def _after_stall(sight: Sight) -> str:
    then = (
        "end it (ctrl+c, or kill)."
        if sight.lives
        else "cancel the job so that the next one starts."
    )
    return f"Look at the ranks (py-spy dump); if it hangs, {then}"


def budget(sight: Sight, phase: str) -> float:
    """Seconds that this run may be silent in a phase."""
    pace, chosen = sight.memory.pace, sight.settings.stall
    row = sight.state.open
    step_s = sight.memory.speed.typical_s() or (row.values.get("step_time_s", 0.0) if row else 0.0)
    line_s = max(pace.row_gap_s, step_s * (sight.facts.log_interval or 1))
    floor_s = max(chosen.train_min * 60, chosen.train_iterations * step_s, 2 * line_s)
    seen_s = max(_AGAIN * pace.longest_s.get("train", 0.0), _FIRST_HELD * pace.held_back_s)
    train_s = max(floor_s, seen_s) if seen_s > _AGAIN * (floor_s - _GRID_S) else floor_s
    if phase == "train" and sight.moved:
        return _sooner(train_s)
    if phase in ("startup", "load", "train"):  # the first iteration compiles, too
        longest_s = pace.longest_s.get("startup", 0.0)
        return _sooner(max(chosen.startup_min * 60, chosen.times_longest * longest_s, train_s))
    floor_min = chosen.evaluate_min if phase == "evaluate" else chosen.save_min
    longest = pace.longest_s.get(phase)
    known_s = chosen.unseen_min * 60 if longest is None else chosen.times_longest * longest
    return _sooner(max(floor_min * 60, known_s, train_s))


def crash(sight: Sight) -> Iterator[Said]:
    """A fatal line that no iteration follows, also while the job is RUNNING."""
    yield from launcher_alone(sight)
    crash = sight.memory.crash
    if crash.at is None:
        return
    due = crash.at if crash.sure else crash.at + sight.settings.crash.silence_min * 60
    if sight.now < due:
        yield Later(due)
        return
    runs = sight.runs
    forgotten_s = sight.settings.stall.forget_after_h * 3600
    if sight.now - crash.at > forgotten_s and not runs and not sight.fires("crash"):
        yield UNSURE  # it ended long before anybody looked
        return
    ended = _attempt(sight, crash.attempt)
    given = allocation_of(sight.state, ended) if ended is not None else None
    where = crash.node or (shortly(given.nodes) if given is not None else "")
    again = sight.attempt is not None and sight.attempt.index > crash.attempt
    still = "; the job is still RUNNING" if runs and not again else ""
    silent = f"no iteration follows for {duration(sight.now - crash.at)}"
    goes_on = silent if sight.now >= crash.at + _GRID_S else "nothing of it is left"
    follows = f" ({crash.follow:,} more errors follow from it)" if crash.follow else ""
    yield Finding(
        rule="crash",
        severity=None if runs is not False and not again else "warning",
        summary=f"it ended ({crash.end}{f': {crash.said}' if crash.said else ''})"
        f"{f' on {where}' if where else ''}, and {goes_on}{still}{follows}",
        since=crash.at,
        iteration=sight.memory.pace.iteration,
        evidence=(
            *((crash.text,) if crash.text else tuple(sight.memory.tail)),
            *((told_by_scheduler(given),) if given is not None else ()),
        ),
        cost=sight.cost(sight.now - crash.at) if runs is not False and sight.now > crash.at else "",
        advice=_after_crash(sight, bool(still)),
        labels={"node": crash.node} if crash.node else {},
    )


def _after_crash(sight: Sight, still_runs: bool) -> str:
    if still_runs:
        return "Cancel the job: its launcher will not end it."
    if sight.lives is False:
        return "Nothing starts it again: read the last lines, then start it yourself."
    return "See whether the next attempt gets on."


def crash_loop(sight: Sight) -> Iterator[Said]:
    """Attempt after attempt ends without a new iteration."""
    failing = _failing(sight)
    yield from _unstarted(sight)
    if not failing:
        if not sight.moved:
            yield UNSURE
        return
    if len(failing) < sight.settings.crash_loop.attempts:
        return
    nodes, said = _suspects(failing, sight)
    cause = failing[0].fault or failing[0].cascade
    yield Finding(
        rule="crash-loop",
        severity="critical" if len(failing) > 2 else None,
        summary=f"{len(failing)} attempts in a row ended without a new iteration"
        + (f"; {said}" if said else ""),
        since=failing[-1].began_at.at if failing[-1].began_at else None,
        iteration=sight.state.high_water,
        evidence=(cause.text,) if cause else (),
        advice=f"Hold the job, then submit it again with --exclude={nodes}."
        if nodes
        else "Hold the job before it starts again.",
        labels={"node": nodes, "exclude": f"--exclude={nodes}"} if nodes else {},
    )


def _unstarted(sight: Sight) -> Iterator[Said]:
    """Jobs that failed at once, and did not write a line: only accounting tells of them."""
    moved_at = sight.memory.pace.moved_at or 0.0
    failed = [one for one in sight.memory.queue.failed if one[1] > moved_at]
    if len(failed) < sight.settings.crash_loop.attempts:
        return
    found = suspects_unstarted(sight, [places for _, _, places in failed])
    exclude = f"--exclude={found.folded}" if found is not None else ""
    yield Finding(
        rule="crash-loop",
        key="unstarted",
        severity="critical" if len(failed) > 2 else None,
        summary=f"{len(failed)} submissions in a row failed at once and wrote nothing"
        + (f"; {found.said}" if found is not None else ""),
        since=failed[0][1],
        evidence=tuple(f"job {job_id} failed" for job_id, _, _ in failed),
        advice=f"Submit it again with {exclude}, and look at that node."
        if exclude
        else "Look at quotas (inodes!) and whether the folder of the log can be written.",
        labels={"node": found.folded, "exclude": exclude} if found is not None else {},
    )


def kill_switch(sight: Sight) -> Iterator[Said]:
    """The job ended because a kill-switch file is there, and so will the next one."""
    attempt = sight.attempt
    if attempt is None or attempt.exit is None or attempt.exit.why != "kill switch":
        if attempt is not None and not sight.moved:
            yield UNSURE
        return
    path = sight.facts.kill_switch_path
    yield Finding(
        rule="kill-switch",
        summary="the job ended at its kill switch: each further attempt ends at once",
        since=attempt.last_at.at if attempt.last_at else None,
        advice=f"Remove {path} before the next attempt."
        if path
        else "Remove the kill-switch file.",
    )


def _sooner(budget_s: float) -> float:
    """A budget that is over by the last look before its end."""
    return budget_s - min(_GRID_S, budget_s / 10)


def _stalled(sight: Sight, phase: str, silence_s: float, budget_s: float) -> str:
    pace = sight.memory.pace
    last = (
        f"the last was {pace.iteration:,}"
        if pace.iteration is not None
        else "none was completed yet"
    )
    does = doing(sight)
    runs = ", and the queue says RUNNING" if sight.runs else f", and {does}" if does else ""
    return (
        f"no iteration for {duration(silence_s)} while {_DOING[phase]} "
        f"({duration(budget_s)} is allowed){runs}; {last}"
    )


def _started(sight: Sight) -> float | None:
    """Since when the job runs that the log says nothing of; None: it says something, or nothing runs."""
    queue = sight.memory.queue
    if sight.attempt is not None:
        return queue.started
    if sight.memory.hands.read_since is not None:
        return None  # it writes what nobody can read: that is blindness
    return queue.started if queue.started is not None else queue.running_since


def _failing(sight: Sight) -> list[Attempt]:
    """The last attempts that ended badly with nothing new, the newest first."""
    state = sight.state
    found: list[Attempt] = []
    for attempt in reversed(state.attempts[-_LOOKED_AT:]):
        is_last = attempt is state.attempts[-1]
        moved = attempt.tally.records > attempt.tally.retrained
        if is_last and not is_over(attempt):
            if _is_new(sight):
                return []
            continue  # it runs: nobody knows yet
        if moved or (is_last and _is_new(sight)):
            break
        if attempt.exit is not None and attempt.exit.how != "failed":
            break
        if (
            attempt.notice is not None
            and attempt.notice.why != "node-failure"
            and not attempt.fault
        ):
            break
        found.append(attempt)
    return found


def _is_new(sight: Sight) -> bool:
    """Whether the newest iteration was never completed before."""
    pace, before = sight.memory.pace, sight.state.previous_high_water
    if pace.iteration_at is None or pace.iteration is None:
        return False
    return before is None or pace.iteration > before


def _suspects(failing: list[Attempt], sight: Sight) -> tuple[str, str]:
    """Nodes to leave out, folded, and what speaks against them: errors name one, or failures share a few."""
    named = Counter(
        cause.node for a in failing for cause in (a.fault, a.cascade) if cause and cause.node
    )
    if named and named.most_common(1)[0][1] >= 2:
        node, times = named.most_common(1)[0]
        return node, f"errors name {node} {times} times"
    found = suspects_of(sight, failing)
    return ("", "") if found is None else (found.folded, found.said)


def _attempt(sight: Sight, index: int) -> Attempt | None:
    """By its number."""
    return next((a for a in reversed(sight.state.attempts) if a.index == index), None)
