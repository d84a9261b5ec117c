"""A folder of checkpoints as one picture: which are complete or being written, what the trackers name.

The trap: a file set proves completeness only by another that is known to be complete; a directory beyond the
tracker was not finished, or was given up by a rollback.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from trainwatch.core.checkpoints import trackers
from trainwatch.core.checkpoints.contents import Contents, State
from trainwatch.core.checkpoints.layouts import Kind, Named, in_order
from trainwatch.core.checkpoints.trackers import Tracker
from trainwatch.core.model.observations import Checkpoint, CheckpointReading
from trainwatch.core.words import duration

WRITING_S = 1800.0  # what was written to so lately may be written to still
_ALIKE = 0.02  # bytes of two saves of one job differ by less


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint. `why` says what its state was concluded from. `tracked`: the trackers that name it."""

    name: str
    kind: Kind
    iteration: int
    contents: Contents
    state: State
    why: str
    tracked: tuple[str, ...] = ()
    unfinished: bool = False  # a marker beside it says so

    @property
    def named(self) -> Named:
        """By its name alone."""
        return Named(self.name, self.kind, self.iteration)

    @property
    def complete(self) -> bool | None:
        """None: nobody can say."""
        return {"complete": True, "partial": False, "writing": False}.get(self.state)


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """All checkpoints of a root, by iteration. `unseen`: what could not be looked at, and why.

    `left`: what has the name of a checkpoint and is none of ours to touch, e.g. a link.
    """

    schema_version: int = 1
    at: float
    found: tuple[Found, ...] = ()
    trackers: tuple[Tracker, ...] = ()
    unseen: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def newest_complete(self) -> Found | None:
        """The furthest that a job could go on from."""
        return max(
            (one for one in self.found if one.state == "complete"),
            key=lambda one: one.iteration,
            default=None,
        )

    @property
    def latest(self) -> Tracker | None:
        """What a job would load."""
        return trackers.latest({tracker.file: tracker for tracker in self.trackers})

    def reading(self) -> CheckpointReading:
        """As the rules and the screen are told of it."""
        latest = self.latest
        named = [
            one.name for one in self.found if latest is not None and latest.file in one.tracked
        ]
        return CheckpointReading(
            at=self.at,
            latest=named[0] if named else None,
            found=tuple(_told(one) for one in self.found),
        )


def survey(
    there: Iterable[tuple[Named, Contents]],
    named: Mapping[str, Tracker],
    now: float,
    *,
    unfinished: Iterable[str] = (),
    known: Iterable[str] = (),
    unseen: Iterable[str] = (),
    left: Iterable[str] = (),
) -> Survey:
    """Conclude what each is. `unfinished`: names that have such a marker beside them.

    `known`: names that were seen to be complete before, e.g. because a tracker named them.
    """
    contents = {one.name: (one, each) for one, each in there}
    hints = _Hints(named, frozenset(unfinished), frozenset(known), now)
    proven = {
        name: why for name, (one, each) in contents.items() if (why := _proof(one, each, hints))
    }
    models = [(contents[name][0].kind, contents[name][1]) for name in proven]
    found = (
        _found(one, contents[one.name][1], hints, proven.get(one.name, ""), models)
        for one in in_order(one for one, _ in contents.values())
    )
    return Survey(
        at=now,
        found=tuple(found),
        trackers=tuple(named.values()),
        unseen=tuple(unseen),
        left=tuple(left),
    )


class _Hints(NamedTuple):
    """What is known besides the files: by trackers, by markers, and from before."""

    named: Mapping[str, Tracker]
    unfinished: frozenset[str]
    complete: frozenset[str]
    now: float


def _found(
    one: Named, contents: Contents, hints: _Hints, proof: str, models: list[tuple[Kind, Contents]]
) -> Found:
    state, why = _state(one, contents, hints, proof, models)
    return Found(
        name=one.name,
        kind=one.kind,
        iteration=one.iteration,
        contents=contents,
        state=state,
        why=why,
        tracked=tuple(t.file for t in hints.named.values() if trackers.names(t, one)),
        unfinished=one.name in hints.unfinished,
    )


def _proof(one: Named, contents: Contents, hints: _Hints) -> str:
    """Why it is complete, by itself; empty where nothing proves it."""
    if one.name in hints.unfinished or not contents.files or not contents.whole:
        return ""
    naming = [tracker.file for tracker in hints.named.values() if trackers.names(tracker, one)]
    if naming:
        return f"{naming[0]} names it"
    closing = [marker for marker in one.layout.closing if marker in contents.markers]
    if closing and (one.kind != "megatron" or "common.pt" in contents.markers):
        return f"{closing[0]} is there, which is written last"
    if one.kind == "lightning":
        return "no marker beside it says that it is unfinished"
    return "it was seen complete before" if one.name in hints.complete else ""


def _state(
    one: Named, contents: Contents, hints: _Hints, proof: str, models: list[tuple[Kind, Contents]]
) -> tuple[State, str]:
    if proof:
        return "complete", proof
    age_s = hints.now - contents.written_at if contents.written_at is not None else None
    fresh = age_s is not None and age_s < WRITING_S
    if not contents.whole:
        return "unknown", "not all of it could be looked at"
    open_state: State = "writing" if fresh else "partial"
    written = f"; last written {duration(max(0.0, age_s or 0.0))} ago" if age_s is not None else ""
    if one.name in hints.unfinished:
        return open_state, f"a marker beside it says that it is unfinished{written}"
    of_kind = [t for t in hints.named.values() if t.layout.kind == one.kind]
    beyond = [t for t in of_kind if t.iteration is not None and t.iteration < one.iteration]
    if beyond:
        return open_state, f"{beyond[0].file} names {beyond[0].iteration}, before it{written}"
    if one.layout.closing and one.kind != "megatron":
        return open_state, f"{one.layout.closing[0]} is missing{written}"
    if fresh and not of_kind:
        return "writing", f"it was written to {duration(max(0.0, age_s or 0.0))} ago"
    if not contents.files:
        return "partial", "it is empty"
    alike = [each for kind, each in models if kind == one.kind and each.shape == contents.shape]
    if any(_same_size(each, contents) for each in alike):
        return "complete", "its files are those of one that is complete"
    if alike:
        return "partial", "its files have other sizes than those of one that is complete"
    return "unknown", "nothing proves that it is complete: no tracker names it, no other is like it"


def _same_size(model: Contents, contents: Contents) -> bool:
    if contents.empty != model.empty:
        return False
    return abs(contents.bytes - model.bytes) <= _ALIKE * max(model.bytes, 1)


def _told(one: Found) -> Checkpoint:
    return Checkpoint(
        name=one.name,
        iteration=one.iteration,
        bytes=one.contents.bytes,
        files=one.contents.files,
        complete=one.complete,
        mtime=one.contents.written_at,
        atime=one.contents.read_at,
        state=one.state,
    )
