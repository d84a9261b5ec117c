"""The hand that submits the next job when the chain has run out.

The trap: a run may be over because a person wanted it so. Whatever looks like a person's will (a cancellation
that is not ours, a kill switch, a silence) or like a run that would die again keeps this hand still.
"""

from collections.abc import Iterator
from typing import NamedTuple

from trainwatch.core import allocations
from trainwatch.core.ending import end_of
from trainwatch.core.hands import nodes, proofs
from trainwatch.core.hands.deeds import Deed, Desk, Refusal
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.words import duration

_BLOCKING = ("crash-loop", "kill-switch", "loss-nan", "disk-full", "blind")
_MAY_GO_ON = frozenset(
    ("exited", "time-limit", "preempted", "node-failure", "crashed", "killed", "out-of-memory")
)


class _End(NamedTuple):
    """How the last job ended: its allocation, and the ends that log and books tell."""

    allocation: Allocation
    told: tuple[str, ...]


def plan(desk: Desk) -> Deed | Refusal:
    """The job to submit, or why none is."""
    alarm = proofs.firing(desk, "not-queued")
    if alarm is None:
        return Refusal(hand="resubmit", kind="idle", why=("no not-queued fires",))
    end, which = _last(desk)
    why = (*proofs.sees(desk), *proofs.answered(desk, "not-queued"), *which, *_is_empty(desk))
    why = (*why, *_blocked(desk), *_has_a_way_to_go(desk), *proofs.unmuted(desk, alarm))
    cause = f"ended/{end.allocation.job_id}@{end.allocation.start:.0f}" if end else ""
    if end is not None:
        own = proofs.within_budget(desk, "resubmit", cause)
        why = (*why, *_may_go_on(desk, end), *own)
    if end is None or why:
        return Refusal(hand="resubmit", kind="refused", why=why)
    exclude = _exclude(desk, end)
    options = " ".join(
        [*([f"--exclude={exclude}"] if exclude else []), *desk.settings.resubmit_options]
    )
    return Deed(
        hand="resubmit",
        cause=cause,
        rule="not-queued",
        jobs=(end.allocation.job_id,),
        start=end.allocation.start,
        iteration=desk.sight.state.high_water,
        exclude=exclude,
        unless=desk.sight.facts.kill_switch_path or "",
        does=f"sbatch --dependency=singleton {options} {desk.settings.resubmit}".replace("  ", " "),
        why=(
            f"not-queued: {alarm.finding.summary}",
            f"job {end.allocation.job_id} ended: {' and '.join(dict.fromkeys(end.told))}",
        ),
    )


def _is_empty(desk: Desk) -> Iterator[str]:
    """No job of the run is there, and no iteration is completed all the same."""
    reading = desk.sight.state.queue
    if reading is None or proofs.alive(reading.jobs):
        yield "the queue does not show that no job of the run is there"
    if desk.sight.runs is not False:
        yield "the log goes on, or nobody knows whether the job runs"


def _last(desk: Desk) -> tuple[_End | None, tuple[str, ...]]:
    """How the last job ended, as log and books say."""
    known = desk.sight.state.allocations
    if not known:
        return None, ("no job of the run was ever seen with nodes",)
    last, attempt = known[-1], desk.sight.attempt
    if last.end is None:
        return None, (f"job {last.job_id} was not seen to end",)
    if last.job_id in desk.others:
        return None, (f"job {last.job_id} is also taken for another run's: narrow [runs.slurm]",)
    told = [allocations.end_of(last)]
    mine = proofs.attempts_allocation(desk)
    if (
        attempt is not None
        and mine is not None
        and (mine.job_id, mine.start) == (last.job_id, last.start)
    ):
        told.append(end_of(attempt, moved=desk.sight.moved))
    ends = tuple(each for each in told if each is not None)
    if not ends:
        return None, (
            f"nobody knows how job {last.job_id} ended: neither the books nor the log say",
        )
    return _End(last, ends), ()


def _may_go_on(desk: Desk, end: _End) -> Iterator[str]:
    job_id = end.allocation.job_id
    if "cancelled" in end.told and not _is_ours(desk, end.allocation):
        yield f"job {job_id} was cancelled, and not by trainwatch: a person stopped it on purpose"
    if "failed" in end.told:
        yield f"job {job_id} ended without one iteration: the next would, too"
    for told in end.told:
        if told not in _MAY_GO_ON and told not in ("cancelled", "failed", "completed"):
            yield f"job {job_id} ended ({told}), which is no reason to go on"


def _is_ours(desk: Desk, allocation: Allocation) -> bool:
    """Whether we cancelled this very allocation, and know that we did."""
    return any(
        deed.outcome == "done" and deed.start == allocation.start and allocation.job_id in deed.jobs
        for deed in desk.sight.memory.deeds.deeds("cancel")
    )


def _blocked(desk: Desk) -> Iterator[str]:
    for rule in _BLOCKING:
        if any(a.finding.rule == rule and a.fired_at is not None for a in desk.alarms):
            yield f"{rule} fires"
    attempt = desk.sight.attempt
    if attempt is not None and attempt.exit is not None and attempt.exit.why == "kill switch":
        yield "it ended at its kill switch"


def _has_a_way_to_go(desk: Desk) -> Iterator[str]:
    """The target is not reached, and what was submitted last got further than the one before."""
    sight = desk.sight
    attempt, done, facts = sight.attempt, sight.state.high_water, sight.facts
    if attempt is not None and attempt.exit is not None and attempt.exit.how == "completed":
        yield "training is complete"
    target = facts.target_iteration
    if facts.sources.get("target_iteration") != "config":
        target = sight.state.target_iteration or target
    if target and done is not None and done >= target:
        yield f"the target is reached: iteration {done:,} of {target:,}"
    values = sight.state.open.values if sight.state.open is not None else {}
    for what, wanted in (("samples", facts.target_samples), ("tokens", facts.target_tokens)):
        if wanted and values.get(f"consumed_{what}", 0.0) >= wanted:
            yield f"the target of {wanted:,} {what} is reached"
    before = next(
        (d for d in sight.memory.deeds.deeds("resubmit") if d.outcome != "not-done"), None
    )
    if before is not None and (done or 0) <= (before.iteration or 0):
        yield (
            f"what was submitted {duration(max(0.0, sight.now - before.at))} ago "
            "completed no new iteration"
        )


def _exclude(desk: Desk, end: _End) -> str:
    """What the log names of this allocation, and what we said when we cancelled or held."""
    lists = [nodes.suspects(desk.sight, end.allocation, ("crash",))]
    deeds = desk.sight.memory.deeds
    lists += [d.exclude for d in deeds.deeds("cancel") if d.start == end.allocation.start]
    return nodes.merged(*lists)
