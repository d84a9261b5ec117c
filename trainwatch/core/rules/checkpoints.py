"""Is what was trained safe? Saves that are due, checkpoints half-written or of a wrong size, the purge."""

import math
import shlex
from collections.abc import Iterator

from trainwatch.core import formulas, rounds
from trainwatch.core.model.alerts import Finding
from trainwatch.core.model.observations import Checkpoint, CheckpointReading
from trainwatch.core.model.state import Attempt
from trainwatch.core.rules.resume import logged_parameters
from trainwatch.core.rules.sight import UNSURE, Later, Reached, Said, Sight
from trainwatch.core.words import duration, number, short

_DAY_S = 86_400.0


def checkpoint_overdue(sight: Sight) -> Iterator[Said]:
    """More than a save interval was trained since the last complete checkpoint."""
    attempt, iteration = sight.attempt, sight.memory.pace.iteration
    interval = sight.facts.save_interval
    if attempt is None or iteration is None or not interval:
        return
    if not sight.moved:
        yield UNSURE  # starting again is not yet saved
        return
    saved = _safe(sight)
    if saved is None:
        return
    limit = saved + math.ceil(sight.settings.checkpoint_overdue.intervals * interval)
    if iteration < limit:
        yield Reached(limit)
        return
    lost = iteration - saved
    seconds = lost * (sight.memory.speed.typical_s() or 0.0)
    yield Finding(
        rule="checkpoint-overdue",
        summary=f"{lost:,} iterations since the last complete checkpoint ({saved:,}), "
        f"one is due every {interval:,}",
        iteration=iteration,
        cost=f"{sight.cost(seconds)} at risk" if seconds else "",
        advice="See whether saves fail: the disk, the quota, the rank that writes.",
    )


def checkpoint_incomplete(sight: Sight) -> Iterator[Said]:
    """A checkpoint stays half-written."""
    reading = sight.state.checkpoints
    after_s = sight.settings.checkpoint_incomplete.after_min * 60
    for checkpoint in _found(reading):
        if checkpoint.complete is not False or checkpoint.mtime is None:
            continue
        due = checkpoint.mtime + after_s
        if sight.now < due:
            yield Later(due)
            continue
        named = reading is not None and reading.latest == checkpoint.name
        yield Finding(
            rule="checkpoint-incomplete",
            key=checkpoint.name,
            severity="critical" if named else None,
            summary=f"{checkpoint.name} was never completed"
            + (", and the tracker names it: the next attempt cannot load it" if named else ""),
            since=checkpoint.mtime,
            iteration=checkpoint.iteration,
            advice="Point the tracker to the last complete one." if named else "It can be removed.",
        )


def checkpoint_size(sight: Sight) -> Iterator[Said]:
    """The newest complete checkpoint is not as large as its parameters make it."""
    parameters = logged_parameters(sight.state.facts) or sight.facts.parameters
    known = [c for c in _found(sight.state.checkpoints) if c.complete and c.bytes and c.iteration]
    if not parameters or not known:
        return
    newest = max(known, key=lambda checkpoint: checkpoint.iteration or 0)
    expected, size = formulas.checkpoint_bytes(parameters), float(newest.bytes or 0)
    if abs(size / expected - 1) <= sight.settings.checkpoint_size.tolerance:
        return
    yield Finding(
        rule="checkpoint-size",
        summary=f"{newest.name} has {number(size / 1e9)} GB, {number(parameters / 1e9)} B parameters "
        f"make {number(expected / 1e9)} GB",
        since=newest.mtime,
        iteration=newest.iteration,
        advice="Larger: views are saved whole. Smaller: the optimizer states are missing.",
    )


def purge_risk(sight: Sight) -> Iterator[Said]:
    """The site removes files that nobody read: a complete checkpoint that is not backed up is soon one."""
    chosen = sight.settings.purge_risk
    there = _found(sight.state.checkpoints)
    known = [c for c in there if c.complete and c.atime and not c.backed_up]
    if chosen.purge_after_days is None or not known:
        return
    known.sort(key=lambda checkpoint: checkpoint.atime or 0.0)
    warned_s = (chosen.purge_after_days - chosen.warn_before_days) * _DAY_S
    soon = [c for c in known if sight.now >= (c.atime or 0.0) + warned_s]
    if not soon:
        yield Later((known[0].atime or 0.0) + warned_s)
        return
    first = soon[0]
    left_s = (first.atime or 0.0) + chosen.purge_after_days * _DAY_S - sight.now
    more = f", {len(soon) - 1} more after it" if len(soon) > 1 else ""
    yield Finding(
        rule="purge-risk",
        summary=f"{first.name} was not read for {duration(sight.now - (first.atime or 0.0))}: "
        f"it is purged in {duration(max(0.0, left_s))}{more}",
        iteration=first.iteration,
        advice=f"trainwatch checkpoints backup --only {shlex.quote(first.name)} --to A_PLACE_THAT_IS_KEPT, "
        "or read it.",
    )


def round_done(sight: Sight) -> Iterator[Said]:
    """A round of the training has come to its target: it can be finished."""
    reading = sight.state.checkpoints
    if reading is None or not reading.rounds:
        return
    complete = [c for c in reading.found if c.complete and c.iteration is not None]
    newest = max((c.iteration or 0 for c in complete), default=None)
    which = rounds.reached(reading.rounds, sight.facts.save_interval, newest)
    if which is None:
        return
    target = reading.rounds[which - 1].target
    beyond = [c for c in reading.found if c.iteration is not None and c.iteration > target]
    trained = _trained_beyond(sight, target)
    if not beyond and trained is None:
        return  # the job has ended, and nothing is there that would go
    size = sum(c.bytes or 0 for c in beyond)
    over = f": {len(beyond)} checkpoints ({short(size, 'B')}) are beyond it" if beyond else ""
    lost_s = (trained or 0) * (sight.memory.speed.typical_s() or 0.0)
    yield Finding(
        rule="round-done",
        key=f"round {which}",
        summary=f"round {which} has come to its target of {target:,}{over}",
        iteration=target,
        cost=f"{sight.cost(lost_s)} trained beyond it" if lost_s else "",
        advice=f"Stop the job, then: trainwatch checkpoints finish-round {which}",
    )


def _trained_beyond(sight: Sight, target: int) -> int | None:
    """Iterations beyond the target, of an attempt that may go on; None: it has ended, or is not there."""
    attempt, iteration = sight.attempt, sight.memory.pace.iteration
    ended = sight.runs is False or attempt is None or attempt.exit is not None
    return None if ended or iteration is None or iteration < target else iteration - target


def _safe(sight: Sight) -> int | None:
    """The iteration up to which nothing is at risk in this attempt."""
    attempt, saved = sight.attempt, sight.state.save.iteration
    if attempt is None:
        return None
    first = attempt.tally.first_iteration
    begun = attempt.loaded_iteration
    if begun is None and first is not None:
        begun = first - (sight.facts.log_interval or 1)
    own = saved if sight.state.save.attempt == attempt.index else None
    known = [
        iteration for iteration in (own, begun, _listed(sight, attempt)) if iteration is not None
    ]
    return max(known) if known else None


def _listed(sight: Sight, attempt: Attempt) -> int | None:
    """The newest checkpoint that this attempt wrote, by the listing: not all logs tell of saves."""
    began = attempt.began_at.at if attempt.began_at is not None else None
    newest = sight.memory.pace.iteration or 0
    written = [
        found.iteration
        for found in _found(sight.state.checkpoints)
        if found.complete and found.iteration is not None and found.iteration <= newest
        if began is not None and found.mtime is not None and found.mtime >= began
    ]
    return max(written) if written else None


def _found(reading: CheckpointReading | None) -> tuple[Checkpoint, ...]:
    return reading.found if reading is not None else ()
