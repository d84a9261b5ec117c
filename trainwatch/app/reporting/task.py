"""One task of a report's job array: reads its share of the logs, and leaves the rows in the shared folder.

Run as `python -m trainwatch.app.reporting.task FOLDER TASK`. What goes wrong is said on stderr, the output of
the task.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from trainwatch.app import clock
from trainwatch.app.reporting import reading
from trainwatch.app.reporting.desk import Desk
from trainwatch.app.reporting.shares import Result, Work
from trainwatch.core.errors import TrainwatchError

_SAID_EVERY_S = 5.0  # and with many tasks less often, for the filesystem's sake


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 if all rows are there."""
    folder, number = arguments
    try:
        read(Desk(Path(folder)), int(number))
    except (TrainwatchError, OSError) as error:
        sys.stderr.write(f"trainwatch: {error}\n")
        return 1
    return 0


def read(desk: Desk, task: int) -> None:
    """Read a share. Raises TrainwatchError, OSError."""
    work = desk.work()
    desk.told(task, 0)
    os.chdir(os.fsdecode(work.folder))
    told = _Telling(desk, task, _SAID_EVERY_S + len(work.shares) / 20)
    results = _KINDS[work.kind](work, task, told)
    desk.told(task, told.read)
    desk.put(task, results)


class _Telling:
    """Says from time to time how much was read."""

    def __init__(self, desk: Desk, task: int, every_s: float) -> None:
        self._desk, self._task, self._every_s = desk, task, every_s
        self.read, self._said_at = 0, clock.now()

    def __call__(self, more: int) -> None:
        self.read += more
        now = clock.now()
        if now - self._said_at >= self._every_s:
            self._said_at = now
            self._desk.told(self._task, self.read)


def _rows(work: Work, task: int, told: Callable[[int], None]) -> list[Result]:
    how, jobs = work.how(), work.jobs or cpus(os.environ.get("SLURM_CPUS_ON_NODE"))
    return list(reading.rows([Path(name) for name in work.share(task)], how, jobs, told))


def _hours(work: Work, task: int, told: Callable[[int], None]) -> list[Result]:
    from trainwatch.app.reporting import hours
    from trainwatch.app.wire import Site

    site = Site(work.settings, Path(os.fsdecode(work.state_dir)))
    results = list[Result]()
    for name in work.share(task):
        results += hours.each(site, [name], work.now)
        told(hours.log_bytes(site, name))
    return results


_KINDS = {"rows": _rows, "hours": _hours}


def cpus(granted: str | None) -> int:
    """CPUs that are ours: a node may show all of its own to a job that was given two."""
    there = reading.cores()
    return max(1, min(int(granted), there)) if granted and granted.isdecimal() else there


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
