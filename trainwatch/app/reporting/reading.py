"""Many logs at once, in processes of their own: each comes back as a row.

Configuration is applied here: the user's own formats, the logs' clock, and what overrides a log's facts.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from trainwatch.app import clock, formats
from trainwatch.app.config import Settings
from trainwatch.app.names import utf8
from trainwatch.app.reporting import naming
from trainwatch.app.reporting.scanning import BLOCK_BYTES, scan
from trainwatch.core.errors import LogUnreadable, TrainwatchError
from trainwatch.core.facts import Facts, overridden
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.rows import ReportRow, row_of

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

WORTH_BYTES = 32 * 1024 * 1024  # of logs together; fewer are read sooner than processes start


class How(msgspec.Struct, frozen=True, kw_only=True):
    """How logs are read. Goes to other processes."""

    now: float
    settings: Settings = Settings()
    facts: Facts = Facts()  # said on the command line: over everything else
    pattern: naming.Pattern | None = None
    tokens: float | None = None

    def scanner(self) -> Scanner:
        """A reader of log formats, the user's own among them."""
        return Scanner(formats.own(self.settings))

    def utc_offset_s(self) -> float:
        """How far the logs' clock is ahead of UTC: as configured, else as this machine's is."""
        hours = self.settings.log_utc_offset_h
        return clock.local_utc_offset_s(self.now) if hours is None else hours * 3600

    def configured(self, path: Path) -> Facts:
        """What the configuration says of this log."""
        whole = str(path.absolute())
        for run in self.settings.runs:
            if fnmatchcase(whole, str(Path(run.log).expanduser().absolute())):
                return overridden(run.facts(), self.facts)
        return self.facts


class Worker:
    """Reads one log after another."""

    def __init__(self, how: How, *, ahead: bool) -> None:
        """`ahead`: with a second thread for each large log."""
        self._how, self._ahead = how, ahead
        self._scanner, self._utc_offset_s = how.scanner(), how.utc_offset_s()

    def row(self, path: Path, told: Callable[[int], None]) -> ReportRow:
        """The row of a log; of one that cannot be read, the reason. `told` hears of bytes read."""
        how = self._how
        try:
            whole = scan(
                path,
                self._scanner,
                now=how.now,
                utc_offset_s=self._utc_offset_s,
                ahead=self._ahead and size(path) > BLOCK_BYTES,
                told=told,
            )
        except LogUnreadable as error:
            return ReportRow(log=utf8(str(path)), error=utf8(str(error)))
        row = row_of(
            whole.state,
            whole.median_s,
            now=how.now,
            logged=whole.logged,
            configured=how.configured(path),
            named=naming.read(path.name, how.pattern),
            tokens=how.tokens,
        )
        return replace(row, log=utf8(str(path)), log_bytes=size(path))


def rows(
    paths: Sequence[Path], how: How, jobs: int, told: Callable[[int], None]
) -> list[ReportRow]:
    """The rows of these logs, in their order, read by up to `jobs` processes."""
    jobs = min(jobs, len(paths))
    if jobs < 2 or sum(map(size, paths)) < WORTH_BYTES:
        worker = Worker(how, ahead=cores() > 1)
        return [worker.row(path, told) for path in paths]
    return _in_processes(paths, how, jobs, told)


def cores() -> int:
    """Cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def size(path: Path) -> int:
    """Bytes of a file, 0 if it cannot be looked at."""
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _in_processes(
    paths: Sequence[Path], how: How, jobs: int, told: Callable[[int], None]
) -> list[ReportRow]:
    from concurrent.futures import ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    context = get_context("fork" if sys.platform == "linux" else "spawn")
    read = context.Value("q", 0)
    ahead = jobs * 2 <= cores()
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(how, ahead, read))
    try:
        with pool:
            largest_first = sorted(paths, key=size, reverse=True)
            asked = {path: pool.submit(_read, path) for path in largest_first}
            waiting, before = set(asked.values()), 0
            while waiting:
                _, waiting = wait(waiting, timeout=0.1)
                before, so_far = read.value, before
                told(before - so_far)
            return [asked[path].result() for path in paths]
    except BrokenProcessPool as error:
        raise TrainwatchError(
            "a process that read logs was killed (out of memory?); try again with --jobs 1"
        ) from error


class _Here(NamedTuple):
    """What a process that reads logs was given when it started."""

    worker: Worker
    read: "Synchronized[int]"


_here: list[_Here] = []


def _begin(how: How, ahead: bool, read: "Synchronized[int]") -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a word
    _here.append(_Here(Worker(how, ahead=ahead), read))


def _read(path: Path) -> ReportRow:
    worker, read = _here[-1]

    def told(count: int) -> None:
        with read.get_lock():
            read.value += count

    return worker.row(path, told)
