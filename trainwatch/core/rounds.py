"""Finishing a round: training overshot its target; what is beyond goes, and the trackers name the target.

This removes the newest checkpoints. The trap: the tracker is rewritten first. A job that starts in between
then loads the target, never a checkpoint that is about to go.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trainwatch.core.checkpoints import trackers
from trainwatch.core.checkpoints.survey import Found, Survey
from trainwatch.core.checkpoints.trackers import Tracker
from trainwatch.core.model.plans import Kept, Plan, Removed, TrackerEdit
from trainwatch.core.model.policies import Round


class Stopped(NamedTuple):
    """Whether the job is proven stopped: `why_not` is empty, and `proof` a sentence."""

    proof: str = ""
    why_not: str = ""


def reachable(one: Round) -> int:
    """The last regular save that is not beyond the target: Megatron and its kin save at multiples."""
    return one.target // one.save_interval * one.save_interval


def end_of(seen: Survey, one: Round) -> Found | None:
    """What a round ends with: the last complete one from the last regular save to the target."""
    last = reachable(one)
    ends = [f for f in seen.found if f.state == "complete" and last <= f.iteration <= one.target]
    return max(ends, key=lambda found: (found.iteration, found.name), default=None)


def plan(root: str, seen: Survey, number: int, one: Round, stopped: Stopped) -> Plan:
    """What finishing round `number` takes. Nothing is done unless the job is proven stopped."""
    end, said = end_of(seen, one), _said(seen, one)
    label = f"round {number}"
    if end is None:
        refused = (_without(seen, one), *_troubles(seen, stopped))
        return Plan(root=root, kind="finish-round", label=label, refused=refused, said=said)
    beyond = [each for each in seen.found if each.iteration > one.target]
    edits = tuple(_edits(seen, end))
    done = not beyond and not edits
    done_said = "the round is finished: nothing is beyond it, and the tracker names its end"
    return Plan(
        root=root,
        kind="finish-round",
        label=label,
        keep=tuple(_kept(each, one, end) for each in seen.found if each.iteration <= one.target),
        remove=tuple(_removed(each, one) for each in reversed(beyond)),
        trackers=edits,
        refused=(*_troubles(seen, stopped), *_writing(beyond)),
        said=(*said, *([done_said] if done else []), *([stopped.proof] if stopped.proof else [])),
    )


def reached(rounds: Sequence[Round], save_interval: int | None, newest: int | None) -> int | None:
    """The number, from 1, of the round that trains now and has come to its target; None: none has.

    By its save interval, which the log tells: each round has its own.
    """
    found = [n for n, one in enumerate(rounds, 1) if one.save_interval == save_interval]
    number = found[-1] if found else None
    if number is None or newest is None or newest < rounds[number - 1].target:
        return None
    return number


def _said(seen: Survey, one: Round) -> tuple[str, ...]:
    """That a target is never saved; and of a tracker that will name what is gone."""
    said, end, last = list(seen.left), end_of(seen, one), reachable(one)
    if end is not None and end.iteration != one.target:
        never = (
            f" is never saved with an interval of {one.save_interval:,}"
            if last != one.target
            else ""
        )
        said.append(
            f"{one.target:,}{never or ' was not saved'}: the round ends with the last save that is not "
            f"beyond it, {end.iteration:,}"
        )
    for tracker in seen.trackers:
        goes = tracker.iteration is not None and tracker.iteration > one.target
        if goes and end is not None and not _after(seen, tracker, end):
            said.append(
                f"{tracker.file} names {tracker.says}, which goes, and none of its kind is at "
                f"{end.iteration:,}: make one anew before a job loads by it"
            )
    return tuple(said)


def _edits(seen: Survey, end: Found) -> Iterator[TrackerEdit]:
    """Every tracker that can names the end afterwards: of two, a job loads by either."""
    for tracker in seen.trackers:
        after = _after(seen, tracker, end)
        if after and after != tracker.says:
            yield TrackerEdit(file=tracker.file, before=tracker.says, after=after)


def _after(seen: Survey, tracker: Tracker, end: Found) -> str:
    """What a tracker has to hold; empty where there is nothing that it could name."""
    if tracker.layout.kind == end.kind:
        return trackers.naming(tracker.file, end.named)
    if tracker.layout.kind == "megatron":  # Megatron-DeepSpeed writes both for one checkpoint
        return str(end.iteration)
    twins = [
        each
        for each in seen.found
        if each.iteration == end.iteration
        and each.kind == tracker.layout.kind
        and each.state == "complete"
    ]
    return trackers.naming(tracker.file, twins[0].named) if twins else ""


def _troubles(seen: Survey, stopped: Stopped) -> list[str]:
    found = [stopped.why_not] if stopped.why_not else []
    found += [f"not all of it could be seen: {each}" for each in seen.unseen[:3]]
    return found + [tracker.trouble for tracker in seen.trackers if tracker.trouble]


def _writing(beyond: Iterable[Found]) -> list[str]:
    return [
        f"{one.name} may be being written: {one.why}" for one in beyond if one.state == "writing"
    ]


def _without(seen: Survey, one: Round) -> str:
    """Why the round has no end."""
    last, newest = reachable(one), seen.newest_complete
    there = [each for each in seen.found if last <= each.iteration <= one.target]
    if there:
        return f"{there[-1].name} is not known to be complete: {there[-1].why}"
    at = f"the newest complete one is {newest.name}" if newest else "no complete one is there"
    asked = f"{last:,}" if last == one.target else f"{last:,} to {one.target:,}"
    return f"the round has no end: there is no checkpoint of iteration {asked}, and {at}"


def _kept(one: Found, round_: Round, target: Found) -> Kept:
    why = (
        "the end of the round"
        if one.iteration == target.iteration
        else f"not beyond {round_.target:,}"
    )
    return Kept(name=one.name, iteration=one.iteration, bytes=one.contents.bytes, why=(why,))


def _removed(one: Found, round_: Round) -> Removed:
    return Removed(
        name=one.name,
        iteration=one.iteration,
        bytes=one.contents.bytes,
        files=one.contents.files,
        why=f"beyond the target of {round_.target:,}",
    )
