"""Which logs are meant: files, globs and folders, each log once, in the order they were named."""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# In a folder a log is what is called like one; a file that is named is taken for one whatever it is called.
_LOG = re.compile(r"(?:.*\.(?:out|log)(?:\.\d+)?|.*log[^/]*\.txt|.*\.o\d+)", re.IGNORECASE)
_NO_LOGS = re.compile(r"\..*|__pycache__|global_step\d+|iter_\d+|checkpoint-\d+|step-\d+")


class Found(NamedTuple):
    """A log, and whether it was named; one that was found in a folder may turn out to be none."""

    path: Path
    named: bool


def find(names: Sequence[str]) -> tuple[list[Found], list[str]]:
    """The logs of these names, and what is wrong with names that stand for none."""
    found: dict[str, Found] = {}
    wrong = []
    for name in names:
        logs = list(_logs(name))
        if not logs:
            wrong.append(_nothing(name))
        for log in logs:
            found.setdefault(os.path.realpath(log.path), log)
    return list(found.values()), wrong


def _logs(name: str) -> Iterator[Found]:
    expanded = str(Path(name).expanduser())
    paths = [expanded]
    if glob.has_magic(expanded) and not Path(expanded).exists():
        paths = sorted(glob.glob(expanded, recursive=True))  # noqa: PTH207 - absolute patterns, too
    for path in map(Path, paths):
        if path.is_dir():
            yield from (Found(log, named=False) for log in _in_folder(path))
        else:
            yield Found(path, named=True)


def _in_folder(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _NO_LOGS.fullmatch(name))
        for name in sorted(files):
            path = Path(parent, name)
            if _LOG.fullmatch(name) and not name.startswith(".") and path.is_file():
                yield path


def _nothing(name: str) -> str:
    if Path(name).expanduser().is_dir():
        return f"{name} holds no file that is called like a log (*.out, *.log, *log*.txt)"
    return f"no file matches {name}"
