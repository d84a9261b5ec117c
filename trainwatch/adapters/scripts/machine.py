"""This machine: what lies in its folders, and what runs on it."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from trainwatch.adapters.scripts import folder, processes
from trainwatch.adapters.scripts.output import ROTATE_BYTES
from trainwatch.adapters.scripts.running import Running
from trainwatch.core.errors import UsageError
from trainwatch.core.model.scripts import Listing, Process

_MOST_BYTES = 4 * 1024 * 1024  # of a batch script: Slurm's own limit


class Machine:
    """See `Machine` in app/cron/needs.py."""

    def __init__(
        self, *, group_may_write: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` is one that nobody sets."""
        self._group_may_write, self._clock = group_may_write, clock
        self.me = processes.me()

    def listed(self, path: str) -> Listing:
        """What lies in a folder."""
        return folder.listed(path, group_may_write=self._group_may_write)

    def start(
        self,
        path: str,
        *,
        output: Path,
        heading: str,
        environment: Mapping[str, str],
        deadline_s: float,
    ) -> Running:
        """Begin a script. Raises OSError."""
        return Running(
            path,
            host=self.me.host,
            output=output,
            heading=heading,
            environment=environment,
            deadline_s=deadline_s,
            clock=self._clock,
        )

    def text(self, path: str) -> str:
        """A batch script. Raises UsageError."""
        try:
            with Path(path).open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
            if len(data) <= _MOST_BYTES:
                return data.decode()
        except OSError as error:
            raise UsageError(f"it cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise UsageError("it is not text in UTF-8") from error
        raise UsageError("it is longer than 4 MB")

    def make_room(self, output: Path) -> None:
        """Put the output of earlier jobs aside where it is long; jobs append to it."""
        try:
            output.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if output.lstat().st_size > ROTATE_BYTES:
                output.replace(output.with_name(output.name + ".1"))
        except OSError:
            return  # the job says that it cannot write

    def alive(self, process: Process) -> bool | None:
        """Whether it lives; None for one of another machine."""
        return processes.alive(process)

    def end(self, process: Process) -> None:
        """End the group that it leads."""
        processes.end(process)
