"""Which checkpoints stay: a union of simple policies, each with its reason, and what is never removed.

Retention removes old checkpoints between those that are kept. What lies beyond a round's target is another
matter (core/rounds.py). The trap: an incomplete newest one counts for nothing, and whoever deletes by name
deletes the newest.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from trainwatch.core.checkpoints.survey import Found, Survey
from trainwatch.core.model.observations import CheckpointReading
from trainwatch.core.model.plans import Kept, Plan, Removed
from trainwatch.core.model.policies import Policy
from trainwatch.core.words import duration

_HOUR_S = 3600.0


class Pinned(msgspec.Struct, frozen=True, kw_only=True):
    """What is known beside the folder. `in_use`: iteration -> why a job needs it.

    `backups`: of which checkpoints one is wanted (by the same words as a policy) at a place, and which names
    are safe there.
    """

    in_use: Mapping[int, str] = {}
    backups: tuple["Safe", ...] = ()


class Safe(msgspec.Struct, frozen=True, kw_only=True):
    """One place for backups."""

    place: str
    wanted: Policy
    backed_up: frozenset[str] = frozenset()


def plan(root: str, seen: Survey, policy: Policy, pinned: Pinned) -> Plan:
    """Keep with reasons, remove with a reason; together they are all that was found."""
    why: dict[str, list[str]] = {one.name: [] for one in seen.found}
    _by_policy(seen, policy, why)
    _by_safety(seen, policy, pinned, why)
    missing = policy.missing()
    refused = [missing] if missing else []
    refused += [f"not all of it could be seen: {each}" for each in seen.unseen[:3]]
    refused += [tracker.trouble for tracker in seen.trackers if tracker.trouble]
    if seen.found and seen.newest_complete is None:
        refused.append("no complete checkpoint is there")
    if refused:
        kept = _kept(seen, why, all_of=True)
        return Plan(root=root, kind="prune", keep=kept, refused=tuple(refused), said=seen.left)
    remove = tuple(_removed(one, policy) for one in seen.found if not why[one.name])
    return Plan(root=root, kind="prune", keep=_kept(seen, why), remove=remove, said=seen.left)


def wanted(seen: Survey, policy: Policy) -> dict[str, tuple[str, ...]]:
    """The complete checkpoints that a policy names, and why: for backups, which go by the same words."""
    why: dict[str, list[str]] = {one.name: [] for one in seen.found}
    _by_policy(seen, policy, why)
    return {one.name: tuple(why[one.name]) for one in _complete(seen) if why[one.name]}


def told(reading: CheckpointReading, made: Plan) -> CheckpointReading:
    """A reading with what a plan says of each checkpoint."""
    keeps = {one.name: "; ".join(one.why) or "nothing is removed" for one in made.keep}
    goes = {one.name: one.why for one in made.remove}
    found = tuple(
        replace(one, keeps=keeps.get(one.name, ""), goes=goes.get(one.name, ""))
        for one in reading.found
    )
    return replace(reading, found=found)


def _by_policy(seen: Survey, policy: Policy, why: dict[str, list[str]]) -> None:
    for kind in {
        one.kind for one in seen.found
    }:  # of each layout as many: jobs load by one of them
        _by_kind([one for one in seen.found if one.kind == kind], seen.at, policy, why)


def _by_kind(found: Sequence[Found], now: float, policy: Policy, why: dict[str, list[str]]) -> None:
    complete = [one for one in found if one.state == "complete"]
    if policy.last:
        for one in complete[-policy.last :]:
            why[one.name].append(f"one of the last {policy.last}")
    for one in complete:
        if policy.every and one.iteration % policy.every == 0:
            why[one.name].append(f"every {policy.every:,}")
        if one.iteration in policy.steps:
            why[one.name].append("a milestone")
    for name, multiple in _closest(complete, policy.every_closest):
        why[name].append(f"the closest to {multiple:,}")
    for one in found:
        age_s = _age_s(one, now)
        if policy.newer_h is not None and (age_s is None or age_s < policy.newer_h * _HOUR_S):
            why[one.name].append(f"newer than {duration(policy.newer_h * _HOUR_S)}")


def _by_safety(seen: Survey, policy: Policy, pinned: Pinned, why: dict[str, list[str]]) -> None:
    newest = {one.kind: one.iteration for one in _complete(seen)}  # in order: the last one counts
    unsafe = _unsafe(seen, pinned.backups)
    for one in seen.found:
        reasons = why[one.name]
        if one.state == "complete" and one.iteration == newest[one.kind]:
            reasons.append("the newest complete one")
        reasons += [f"{tracker} names it" for tracker in one.tracked]
        if one.iteration in pinned.in_use:
            reasons.append(pinned.in_use[one.iteration])
        if one.state == "writing":
            reasons.append(f"it may be being written: {one.why}")
        if one.state in ("partial", "unknown") and not _is_left_over(one, seen, policy):
            reasons.append(f"not known to be complete: {one.why}")
        if one.name in unsafe:
            reasons.append(unsafe[one.name])


def _unsafe(seen: Survey, places: Iterable[Safe]) -> dict[str, str]:
    """What is wanted at a place and is not there."""
    found = dict[str, str]()
    for place in places:
        for name in wanted(seen, place.wanted):
            if name not in place.backed_up:
                found.setdefault(name, f"wanted as a backup at {place.place}, and not there yet")
    return found


def _is_left_over(one: Found, seen: Survey, policy: Policy) -> bool:
    """Never completed, long ago, and training has gone beyond it."""
    newest, age_s = seen.newest_complete, _age_s(one, seen.at)
    if policy.partial_after_h is None or one.state != "partial" or newest is None:
        return False
    old = age_s is not None and age_s >= policy.partial_after_h * _HOUR_S
    return old and one.iteration < newest.iteration


def _closest(complete: Iterable[Found], every: int | None) -> Iterable[tuple[str, int]]:
    """For each multiple the nearest save, of two equally near the later; not for zero."""
    if not every:
        return
    best = dict[int, Found]()
    for one in complete:
        multiple = (one.iteration + every // 2) // every * every
        held = best.get(multiple)
        near = abs(one.iteration - multiple)
        if multiple and (held is None or near <= abs(held.iteration - multiple)):
            best[multiple] = one
    for multiple, one in best.items():
        yield one.name, multiple


def _complete(seen: Survey) -> list[Found]:
    return [one for one in seen.found if one.state == "complete"]


def _age_s(one: Found, now: float) -> float | None:
    """None where it is unknown, or in the future: the clocks of two machines differ."""
    written = one.contents.written_at
    return now - written if written is not None and written <= now else None


def _kept(seen: Survey, why: Mapping[str, list[str]], *, all_of: bool = False) -> tuple[Kept, ...]:
    return tuple(
        Kept(
            name=one.name,
            iteration=one.iteration,
            bytes=one.contents.bytes,
            why=tuple(dict.fromkeys(why[one.name])),
        )
        for one in seen.found
        if why[one.name] or all_of
    )


def _removed(one: Found, policy: Policy) -> Removed:
    why = "no policy keeps it"
    if one.state == "partial":
        why = f"never completed ({one.why})"
    return Removed(
        name=one.name,
        iteration=one.iteration,
        bytes=one.contents.bytes,
        files=one.contents.files,
        why=why,
    )
