"""What is to be done to the checkpoints of a root, and why: a plan that is shown before anything is done."""

from typing import Literal

import msgspec


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint that stays, with every reason that it stays for."""

    name: str
    iteration: int
    bytes: int
    why: tuple[str, ...]


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint that goes."""

    name: str
    iteration: int
    bytes: int
    files: int
    why: str


class TrackerEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A file that names the checkpoint to load, and will name another."""

    file: str
    before: str
    after: str


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Trackers are rewritten first, then the checkpoints go, the furthest iteration first.

    `refused`: why nothing may be done at all. `said`: what one ought to know besides.
    """

    schema_version: int = 1
    root: str
    kind: Literal["prune", "finish-round"]
    keep: tuple[Kept, ...] = ()
    remove: tuple[Removed, ...] = ()
    trackers: tuple[TrackerEdit, ...] = ()
    refused: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    label: str = ""

    @property
    def freed_bytes(self) -> int:
        """What goes."""
        return sum(each.bytes for each in self.remove)

    @property
    def idle(self) -> bool:
        """There is nothing to do."""
        return not self.remove and not self.trackers


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """What was done to a root at once. `removed` is all that was to go; the trash shows how far it came.

    `state`: `done` can be undone until the trash is emptied; then it is `emptied`.
    """

    id: str
    kind: Literal["prune", "finish-round"]
    label: str = ""
    at: float = 0.0
    by: str = ""
    state: Literal["done", "undoing", "undone", "emptying", "emptied"] = "done"
    removed: tuple[Removed, ...] = ()
    trackers: tuple[TrackerEdit, ...] = ()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """`done`: names that were moved, or deleted; `failed`: what was not, and why."""

    operation: str = ""
    done: tuple[str, ...] = ()
    bytes: int = 0
    failed: tuple[str, ...] = ()
