"""The folder that the tasks of a report and whoever waits for them share.

The trap: a network filesystem shows a new file to another machine only after a while, up to a minute; and
compute nodes may not see this folder at all. What is not there (yet) is None, never an error.
"""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from trainwatch.app.reporting import shares
from trainwatch.app.reporting.shares import Result, Work
from trainwatch.core.errors import AnswerUnreadable, StoreUnusable, TrainwatchError
from trainwatch.core.redact import redact
from trainwatch.core.words import clean

_WORK = "work.json"
_TAIL_BYTES, _MOST_WORDS = 4096, 3


class Desk:
    """One report's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def made(cls, folder: Path, work: Work) -> "Desk":
        """A new folder with the work in it. Raises StoreUnusable."""
        try:
            folder.mkdir(parents=True, mode=0o700)
            desk = cls(folder)
            desk._put(_WORK, shares.encode(work))
        except OSError as error:
            raise StoreUnusable(
                f"{folder}: {error.strerror}. Name another folder on a filesystem that compute nodes see: "
                "state_dir in the configuration, or TRAINWATCH_STATE_DIR"
            ) from error
        return desk

    def work(self) -> Work:
        """What is to be done. Raises TrainwatchError: this machine does not see the folder."""
        try:
            return shares.decode((self.folder / _WORK).read_bytes())
        except OSError as error:
            raise TrainwatchError(
                f"{self.folder / _WORK}: {error.strerror} on {os.uname().nodename}"
            ) from error

    def put(self, task: int, results: list[Result]) -> None:
        """A task's answer, whole or not at all. Raises OSError."""
        self._put(f"part-{task}.json", shares.encode_results(results))

    def take(self, task: int, count: int) -> list[Result] | None:
        """A task's answer with `count` results; None while there is none."""
        with suppress(OSError, AnswerUnreadable):
            found = shares.decode_results((self.folder / f"part-{task}.json").read_bytes())
            return found if len(found) == count else None
        return None

    def parts(self) -> set[str]:
        """What lies there, by name."""
        with suppress(OSError):
            return set(os.listdir(self.folder))  # noqa: PTH208 - names are all that is wanted
        return set()

    def told(self, task: int, read: int) -> None:
        """A task says how many bytes it has read so far."""
        with suppress(OSError):
            (self.folder / f"read-{task}").write_text(str(read))

    def read(self, task: int) -> int:
        """How many bytes a task said it has read."""
        with suppress(OSError, ValueError):
            return int((self.folder / f"read-{task}").read_text())
        return 0

    def output(self, attempt: int) -> str:
        """Where the output of the tasks goes, in the words of sbatch."""
        return str(self.folder).replace("%", "%%") + f"/output-%a-{attempt}.txt"

    def last_words(self, task: int, attempt: int) -> str:
        """The end of what a task printed."""
        with suppress(OSError), (self.folder / f"output-{task}-{attempt}.txt").open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            text = redact(file.read(_TAIL_BYTES).decode("utf-8", "replace"))
            lines = [line for line in map(str.strip, text.splitlines()) if line]
            return " / ".join(clean(line) for line in lines[-_MOST_WORDS:])
        return ""

    def traces(self) -> bool:
        """Whether any task was ever here."""
        return any(name.startswith(("output-", "read-", "part-")) for name in self.parts())

    def clear(self, wait: Callable[[float], None]) -> None:
        """Leave nothing. A task that is being cancelled may still write for a moment."""
        for _ in range(5):
            shutil.rmtree(self.folder, ignore_errors=True)
            if not self.folder.exists():
                break
            wait(1.0)
        with suppress(OSError):
            self.folder.parent.rmdir()  # of reports, if this was the last

    def _put(self, name: str, data: bytes) -> None:
        temporary = self.folder / f".{name}.{os.uname().nodename}.{os.getpid()}"
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.folder / name)
