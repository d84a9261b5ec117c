"""A folder of checkpoints by its names: the layout, how many, and whether what would be loaded is there.

The trap: whether a checkpoint is whole takes a look at each of its files, which `trainwatch checkpoints`
does. Here nothing is said of that.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trainwatch.core.checkpoints import trackers
from trainwatch.core.checkpoints.layouts import Named
from trainwatch.core.checkpoints.trackers import Tracker
from trainwatch.core.doctor.check import Check, Verdict
from trainwatch.core.words import clean, number

NAME = "checkpoints"
_LIST = "trainwatch checkpoints list"


class RootSeen(NamedTuple):
    """`why`: it cannot be looked at. `cut`: there was more in it than was looked at."""

    path: str
    why: str = ""
    found: tuple[Named, ...] = ()
    trackers: tuple[Tracker, ...] = ()
    cut: bool = False


def judged(group: str, seen: RootSeen, *, configured: bool) -> Check:
    """`configured`: the configuration names it; else the log does, maybe as another machine sees it."""
    if seen.why:
        if configured:
            do = "put `path` right in [runs.checkpoints]"
            return _check(group, "wrong", clean(seen.why, 500), do)
        saw = f"{clean(seen.why, 500)} (the log names it)"
        do = "if it is elsewhere, say where: path in [runs.checkpoints]"
        return _check(group, "warning", saw, do)
    if not seen.found:
        saw = f"{seen.path}: nothing in it is called like a checkpoint"
        do = "nothing, if none was saved yet; else name the folder that holds them"
        return _check(group, "warning", saw, do)
    told = f"{seen.path}: {_count(seen)}"
    for verdict, why, do in _tracked(seen):
        return _check(group, verdict, f"{told}; {why}", do)
    return _check(group, "ok", f"{told}{_naming(seen)}")


def _tracked(seen: RootSeen) -> Iterator[tuple[Verdict, str, str]]:
    """What is wrong with the trackers."""
    for one in seen.trackers:
        if one.trouble:
            yield "wrong", one.trouble, f"a job would not know what to load: {_LIST}"
        elif one.iteration is not None and not _there(one, seen.found) and not seen.cut:
            said = f"{one.file} names {clean(one.says, 60)}, which is not there"
            yield "wrong", said, f"a job that loads from here would fail: {_LIST}"


def _there(one: Tracker, found: Sequence[Named]) -> bool:
    """Megatron-DeepSpeed writes both trackers beside directories of DeepSpeed's: the iteration counts."""
    return any(trackers.names(one, each) or one.iteration == each.iteration for each in found)


def _naming(seen: RootSeen) -> str:
    told = [f"{one.file} names {one.says}" for one in seen.trackers]
    return f"; {', '.join(told)}" if told else "; no tracker beside them"


def _count(seen: RootSeen) -> str:
    kinds = Counter(one.kind for one in seen.found)
    several = ", ".join(f"{number(count)} {kind}" for kind, count in kinds.most_common())
    iterations = [one.iteration for one in seen.found]
    span = f"iterations {number(min(iterations))} to {number(max(iterations))}"
    more = ", and more that was not looked at" if seen.cut else ""
    return f"{several} ({span}){more}"


def _check(group: str, verdict: Verdict, saw: str, do: str = "") -> Check:
    return Check(group=group, name=NAME, verdict=verdict, saw=saw, do=do)
