"""Which logs are meant: files, globs and folders, each log once, in the order they were named."""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from trainwatch.app.logfile import there

# In a folder a log is what is called like one; a file that is named is taken for one whatever it is called.
_LOG = re.compile(
    r"(?:.*\.(?:out|log)(?:\.\d+)?|.*log[^/]*\.txt|.*\.o\d+)", re.IGNORECASE | re.DOTALL
)
_NO_LOGS = re.compile(r"\..*|__pycache__|global_step\d+|iter_\d+|checkpoint-\d+|step-\d+")


class Found(NamedTuple):
    """A log, and whether it was named; one that was found in a folder may turn out to be none."""

    path: Path
    named: bool


def find(names: Sequence[str]) -> tuple[list[Found], list[str]]:
    """The logs of these names, and what is wrong with names that stand for none."""
    found: dict[str, Found] = {}
    wrong: list[str] = []
    for name in names:
        closed: list[str] = []
        logs = list(_logs(name, closed))
        wrong += closed
        if not logs and not closed:
            wrong.append(_nothing(name))
        for log in logs:
            found.setdefault(os.path.realpath(log.path), log)
    return list(found.values()), wrong


def _logs(name: str, closed: list[str]) -> Iterator[Found]:
    """The logs that a name stands for. What may not be looked into is told in `closed`."""
    if not name:
        return
    expanded = str(Path(name).expanduser())
    paths = [expanded]
    if glob.has_magic(expanded) and not there(Path(expanded)):
        paths = sorted(glob.glob(expanded, recursive=True))  # noqa: PTH207 - absolute patterns, too
    for path in map(Path, paths):
        if there(path) and path.is_dir():
            yield from (Found(log, named=False) for log in _in_folder(path, closed))
        else:
            yield Found(path, named=True)


def _in_folder(folder: Path, closed: list[str]) -> Iterator[Path]:
    def refused(error: OSError) -> None:
        closed.append(f"{error.filename}: {error.strerror}")

    for parent, folders, files in os.walk(folder, onerror=refused):
        folders[:] = sorted(name for name in folders if not _NO_LOGS.fullmatch(name))
        for name in sorted(files):
            path = Path(parent, name)
            if not _LOG.fullmatch(name) or name.startswith("."):
                continue
            if there(path) and path.is_file():
                yield path


def _nothing(name: str) -> str:
    if not name:
        return "an empty name stands for no log; is a variable of your script not set?"
    if there(Path(name).expanduser()) and Path(name).expanduser().is_dir():
        return f"{name} holds no file that is called like a log (*.out, *.log, *log*.txt)"
    return f"no file matches {name}"
