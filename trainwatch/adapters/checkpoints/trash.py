"""Moves checkpoints into the trash of their root and back, rewrites trackers, and deletes for good.

Each operation is a file in the trash that is written before anything is touched: killed at any moment, what
was done can be undone and what was not is done by the next run. The trap: a checkpoint is moved by one rename
inside its filesystem, or not at all.
"""

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import msgspec
from flufl.lock import Lock, LockError

from trainwatch.adapters.checkpoints.listing import checked, elsewhere, read_small
from trainwatch.adapters.checkpoints.pace import Pace
from trainwatch.core.checkpoints import layouts
from trainwatch.core.errors import LeaseHeld, TrainwatchError
from trainwatch.core.model.plans import Operation, Outcome, Plan, Removed
from trainwatch.core.words import clean

FOLDER = ".trainwatch-trash"
_LOCK_S, _PATIENCE_S = 600, 2.0
_ENDING = ".json"


class Trash:
    """Of one root."""

    def __init__(
        self, root: Path, monotonic: Callable[[], float], pause: Callable[[float], None]
    ) -> None:
        """`pause` sleeps, `monotonic` is a clock in s."""
        self.root, self.folder = root, root / FOLDER
        self._monotonic, self._pause = monotonic, pause

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else changes this root meanwhile. Raises LeaseHeld, UsageError, TrainwatchError."""
        checked(self.root)
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if stat.S_ISLNK(self.folder.lstat().st_mode):
                raise TrainwatchError(f"{self.folder} is a symbolic link: nothing is moved there")
            lock = Lock(str(self.folder / "lock"), lifetime=_LOCK_S)
            lock.lock(timeout=timedelta(seconds=_PATIENCE_S))
        except LockError as error:
            raise LeaseHeld(f"{self.root}: another trainwatch is at its checkpoints now") from error
        except OSError as error:
            raise TrainwatchError(f"{self.folder}: {error.strerror}") from error
        try:
            yield
        finally:
            with suppress(LockError, OSError):
                lock.unlock()

    def operations(self) -> tuple[Operation, ...]:
        """All that are known, oldest first. Raises TrainwatchError for one that cannot be read."""
        found = []
        try:
            paths = sorted(self.folder.glob(f"*{_ENDING}"))
            for path in paths:
                found.append(msgspec.json.decode(path.read_bytes(), type=Operation))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise TrainwatchError(f"{path} is damaged ({error}): move it away to go on") from error
        except OSError as error:
            raise TrainwatchError(f"{error.filename}: {error.strerror}") from error
        return tuple(sorted(found, key=lambda one: (one.at, one.id)))

    def apply(
        self, plan: Plan, now: float, by: str, still: Callable[[], str] = lambda: ""
    ) -> Outcome:
        """Do what a plan says, trackers first. `still` says why no more may be done; asked before each step.

        Raises TrainwatchError when nothing was done, or a tracker could not be rewritten: then nothing went.
        """
        if plan.refused:
            raise TrainwatchError(plan.refused[0])
        operation = Operation(
            id=f"{now:015.3f}-{secrets.token_hex(3)}",
            kind=plan.kind,
            label=plan.label,
            at=now,
            by=by,
            removed=plan.remove,
            trackers=plan.trackers,
        )
        self._write(operation)
        for edit in plan.trackers:
            if why := still():
                raise TrainwatchError(why)
            self._rewrite(edit.file, edit.before, edit.after)
        moved, failed, freed = list[str](), list[str](), 0
        for each in plan.remove:
            why = still() or self._move_in(each.name, operation.id)
            if why:
                failed.append(f"{clean(each.name, 80)}: {why}")
                continue
            moved.append(each.name)
            freed += each.bytes
        return Outcome(operation=operation.id, done=tuple(moved), bytes=freed, failed=tuple(failed))

    def undo(self, operation: Operation, still: Callable[[], str] = lambda: "") -> Outcome:
        """Move back what is in the trash, then the trackers say what they said. Raises TrainwatchError."""
        self._write(msgspec.structs.replace(operation, state="undoing"))
        moved, failed = list[str](), list[str]()
        for each in operation.removed:
            why = still() or self._move_back(each.name, operation.id)
            if why == "":
                moved.append(each.name)
            elif why is not None:
                failed.append(f"{clean(each.name, 80)}: {why}")
        if failed:  # a tracker must not name what is not there
            return Outcome(operation=operation.id, done=tuple(moved), failed=tuple(failed))
        for edit in reversed(operation.trackers):
            self._rewrite(edit.file, edit.after, edit.before)
        with suppress(OSError):
            (self.folder / operation.id).rmdir()
        self._write(msgspec.structs.replace(operation, state="undone"))
        return Outcome(operation=operation.id, done=tuple(moved))

    def empty(self, operation: Operation, per_s: float) -> Outcome:
        """Delete for good what an operation moved, so many files a second. Raises TrainwatchError."""
        pace = Pace(per_s, self._monotonic, self._pause)
        self._write(msgspec.structs.replace(operation, state="emptying"))
        place, done, failed = self.folder / operation.id, list[str](), list[str]()
        for each in operation.removed:
            path = place / each.name
            if _is_there(path):
                try:
                    _delete(path, pace)
                except OSError as error:
                    failed.append(f"{clean(each.name, 80)}: {error.strerror}")
                    continue
                done.append(each.name)
        if not failed:
            with suppress(OSError):
                place.rmdir()
            self._write(msgspec.structs.replace(operation, state="emptied"))
        freed = sum(each.bytes for each in operation.removed if each.name in done)
        return Outcome(operation=operation.id, done=tuple(done), bytes=freed, failed=tuple(failed))

    def holds(self, operation: Operation) -> tuple[Removed, ...]:
        """What of an operation is in the trash now."""
        place = self.folder / operation.id
        return tuple(each for each in operation.removed if _is_there(place / each.name))

    def _move_in(self, name: str, operation: str) -> str:
        """Why it was not moved; empty where it was."""
        if layouts.named(name, layouts.TRACKERS) is None or "/" in name:
            return "it has not the name of a checkpoint"
        if why := elsewhere(self.root, name):
            return why
        try:
            (self.folder / operation).mkdir(mode=0o700, exist_ok=True)
            target = self.folder / operation / name
            if _is_there(target):
                return "one of that name is in the trash already"
            (self.root / name).rename(target)
        except OSError as error:
            return str(error.strerror)
        return ""

    def _move_back(self, name: str, operation: str) -> str | None:
        """Why it was not moved; empty where it was, None where there was nothing to move."""
        path, target = self.folder / operation / name, self.root / name
        if not _is_there(path):
            others = [one.id for one in self.operations() if _is_there(self.folder / one.id / name)]
            if others and not _is_there(target):
                return f"it went with a later operation, {others[0]}: undo that one first"
            return None if _is_there(target) else "it is neither in the trash nor in its place"
        if _is_there(target):
            return "one of that name stands in its place"
        try:
            path.rename(target)
        except OSError as error:
            return str(error.strerror)
        return ""

    def _rewrite(self, file: str, before: str, after: str) -> None:
        """At once, so that no job reads half of it; untouched where somebody else wrote it meanwhile."""
        path = self.root / file
        try:
            says = read_small(path).decode("utf-8", "replace").strip()
            if says == after:
                return
            if says != before:
                raise TrainwatchError(
                    f"{path} holds {clean(repr(says), 60)} by now, not {before!r}: somebody else wrote "
                    "it, and it is left as it is"
                )
            self._replace(path, after.encode())
        except OSError as error:
            raise TrainwatchError(f"{path}: {error.strerror}") from error

    def _write(self, operation: Operation) -> None:
        try:
            path = self.folder / f"{operation.id}{_ENDING}"
            self._replace(path, msgspec.json.format(msgspec.json.encode(operation)) + b"\n")
        except OSError as error:
            raise TrainwatchError(
                f"{self.folder}: {error.strerror}; what cannot be written down is not done"
            ) from error

    def _replace(self, path: Path, data: bytes) -> None:
        """By a file in the trash, which is on the same filesystem; on the disk before it counts."""
        beside = self.folder / f"{path.name}.new"
        mode = stat.S_IMODE(path.stat().st_mode) if _is_there(path) else 0o644
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode)
        beside.replace(path)


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


def _delete(path: Path, pace: Pace) -> None:
    """A directory with all that is in it, never through a link. Raises OSError for what is left."""
    if not stat.S_ISDIR(path.lstat().st_mode):
        pace.step()
        path.unlink()
        return
    for _, directories, files, handle in os.fwalk(path, topdown=False, follow_symlinks=False):
        for name in files:
            pace.step()
            os.unlink(name, dir_fd=handle)
        for (
            name
        ) in directories:  # emptied before, as the walk is from below; a link among them is a file
            pace.step()
            try:
                os.rmdir(name, dir_fd=handle)
            except NotADirectoryError:
                os.unlink(name, dir_fd=handle)
    path.rmdir()
