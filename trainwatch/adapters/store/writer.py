"""The writer of a run's store. A commit is all or nothing, also when it is killed half-way.

Rows and journal lines are appended first; they count once state.json, which says how many there are, is
replaced. What a killed writer appended beyond that is cut off by the next.
"""

import errno
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from trainwatch.adapters.store import files, history, journal, requests
from trainwatch.adapters.store.lease import Lease
from trainwatch.core.columns import Columns
from trainwatch.core.errors import StoreFull, StoreUnusable, TrainwatchError
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.state import RECENT_ROWS, Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Saved

_RESERVE_BYTES = 64 * 1024
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class StoreWriter:
    """A `Store` (core/ports.py) in a folder of its own.

    Raises StoreUnusable when the folder cannot be used, StoreFull when there is no room, LeaseHeld when
    another process writes it.
    """

    def __init__(self, folder: Path, *, patience_s: float = 1.0) -> None:
        """`patience_s`: how long another writer is waited for."""
        self._folder = folder
        try:
            files.make_private(folder)
            (folder / files.HISTORY).mkdir(exist_ok=True)
            self._lease = Lease(folder / files.LEASE, patience_s)
        except OSError as error:
            raise _trouble(folder, error) from error
        self.warning = ""
        self.lost = False  # history or journal is shorter than it should be: the node went down
        self._dirty = True  # files may hold more than what counts
        self._kept: files.Kept | None = None

    def load(self) -> Saved | None:
        """What was last committed, with whatever a killed writer left behind it cut off."""
        try:
            return self._load()
        except (OSError, TrainwatchError) as error:
            self.close()
            raise self._failed(error) if isinstance(error, OSError) else error from error

    def _load(self) -> Saved | None:
        try:
            kept = files.read_kept(self._folder)
        except files.DamagedState as error:
            kept = None
            self.warning = f"{error} It was set aside, and the log is read again."
            self._set_aside()
        if kept is None:
            self._kept = self._fresh()
            self._restore()
            return None
        self._kept = replace(kept, epoch=kept.epoch + 1)
        self._restore()
        start = max(0, kept.rows - RECENT_ROWS)
        recent = history.read(self._folder / files.HISTORY, start, kept.rows)
        published = files.read_status(self._folder)
        looked_at = published.heartbeat_at if published else None
        return Saved(kept.state, kept.mark, recent, looked_at, kept.memory)

    def commit(
        self,
        rows: Columns,
        events: Sequence[Event],
        state: RunState,
        mark: Mark,
        memory: Memory | None = None,
    ) -> None:
        """Keep all of it or nothing."""
        kept = self._held()
        lines = b"".join(files.encode_exactly(event) + b"\n" for event in events)
        after = replace(
            kept,
            rows=kept.rows + rows.rows,
            journal_bytes=kept.journal_bytes + len(lines),
            columns=tuple(sorted({*kept.columns, *rows.data})),
            mark=mark,
            state=state,
            memory=memory,
        )
        try:
            if self._dirty:
                self._restore()
            self._dirty = True
            if rows.rows:
                history.append(self._folder / files.HISTORY, rows, kept.rows)
            if lines:
                journal.append(self._folder / files.JOURNAL, lines)
            files.replace_file(self._folder / files.STATE, files.encode_exactly(after), sync=True)
        except OSError as error:
            raise self._failed(error) from error
        self._kept, self._dirty = after, False

    def publish(self, status: Status) -> None:
        """Replace what views read. On a full disk the reserve makes room for it."""
        self._held()
        data = files.encode(status)
        path = self._folder / files.STATUS
        try:
            self._keep_reserve()
            files.replace_file(path, data, sync=False)
        except OSError as error:
            with suppress(OSError):
                (self._folder / files.RESERVE).unlink(missing_ok=True)
                files.replace_file(path, data, sync=False)
                return
            raise self._failed(error) from error

    def requests(self) -> list[AlertRequest]:
        """What people asked for since the last time."""
        return requests.take(self._folder)

    def start_over(self) -> None:
        """Set everything aside, for the log to be read from its beginning."""
        self._set_aside()
        self._kept = replace(self._fresh(), epoch=self._kept.epoch if self._kept else 1)
        self._dirty, self.lost = False, False
        self.warning = f"{self._folder} had lost rows; the log is read again from its beginning"

    def close(self) -> None:
        """Give the lease back."""
        self._lease.release()

    @staticmethod
    def _fresh() -> files.Kept:
        return files.Kept(
            version=files.VERSION,
            epoch=1,
            rows=0,
            journal_bytes=0,
            mark=Mark(),
            state=RunState(run=""),
        )

    def _held(self) -> files.Kept:
        try:
            self._lease.check()
        except OSError as error:
            raise self._failed(error) from error
        if self._kept is None:
            raise RuntimeError("load() comes before commit() and publish()")
        return self._kept

    def _restore(self) -> None:
        """Cut files back to what counts."""
        kept = self._kept
        if kept is None:
            return
        if not history.restore(self._folder / files.HISTORY, kept.rows, kept.columns):
            self.lost = True
            self.warning = f"{self._folder / files.HISTORY} had lost rows; they are unknown now"
        whole = journal.restore(self._folder / files.JOURNAL, kept.journal_bytes)
        if whole < kept.journal_bytes:
            self.lost = True
            self.warning = f"{self._folder / files.JOURNAL} had lost lines; they are unknown now"
            self._kept = replace(kept, journal_bytes=whole)
        self._dirty = False

    def _set_aside(self) -> None:
        """Move what belongs to a damaged state out of the way, without losing any of it."""
        number = 1
        while (self._folder / f"damaged-{number}").exists():
            number += 1
        aside = self._folder / f"damaged-{number}"
        aside.mkdir()
        for name in (files.STATE, files.JOURNAL, files.HISTORY):
            with suppress(FileNotFoundError):
                (self._folder / name).rename(aside / name)
        (self._folder / files.HISTORY).mkdir()

    def _keep_reserve(self) -> None:
        reserve = self._folder / files.RESERVE
        if not reserve.exists():
            with suppress(OSError):
                reserve.write_bytes(b"\0" * _RESERVE_BYTES)

    def _failed(self, error: OSError) -> TrainwatchError:
        self._dirty = True
        return _trouble(self._folder, error)


def _trouble(folder: Path, error: OSError) -> TrainwatchError:
    if error.errno in _FULL:
        return StoreFull(
            f"no room left for {folder} ({error.strerror}). Make room: nothing is lost meanwhile, "
            "the log is read as far as it can be kept and the rest later"
        )
    return StoreUnusable(
        f"cannot write the state folder {folder}: {error.strerror or error}. "
        "Choose another with --state-dir or TRAINWATCH_STATE_DIR."
    )
