"""Names for runs and their folders: what a person would call a run whose log lies there."""

import os
import re
from pathlib import Path

from trainwatch.core.errors import UsageError
from trainwatch.core.patterns import pattern

_GENERIC = pattern(r"^(?:main_?log|log|out|output|train(?:ing)?|stdout|slurm|main)$", re.IGNORECASE)
_PLACES = frozenset({"logs", "log", "main_log", "slurm", "out", "output", "outputs"})


def absolute(log: str) -> Path:
    """Where a log lies, without `..`; a link stays a link, as it is what people name.

    Raises UsageError for a name that no file of ours can hold.
    """
    path = Path(os.path.abspath(Path(log).expanduser()))  # noqa: PTH100 - resolve() follows links
    text = utf8(str(path))
    if text != str(path):
        raise UsageError(
            f"{text}: this name is not UTF-8; rename it, or name a link to it "
            "(ln -s LOG main_log.txt)"
        )
    return path


def utf8(name: str) -> str:
    """A file's name as text; bytes that are no UTF-8 become `�`."""
    return os.fsencode(name).decode("utf-8", "replace")


def run_name(log: Path) -> str:
    """A file's own name, or that of the folder it lies in where `main_log.txt` says nothing."""
    if not _GENERIC.match(log.stem):
        return log.stem
    for folder in log.parents:
        if folder.name and folder.name.lower() not in _PLACES:
            return folder.name
    return log.stem


def folder_name(run: str, log: Path) -> str:
    """A folder for a run: its name, made safe, and a hash of where its log lies."""
    import hashlib  # milliseconds that most commands need not wait for

    return f"{plain(run)}-{hashlib.blake2b(str(log).encode(), digest_size=4).hexdigest()}"


def plain(run: str) -> str:
    """A name that any file system and object store takes."""
    return re.sub(r"[^\w.-]+", "-", run, flags=re.ASCII).strip("-.")[:60] or "run"


def user() -> str:
    """Who runs us; nothing where this machine has no name for them. May ask a directory over the network."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def run_folder(state_dir: Path, name: str | None, log: str) -> Path:
    """Where the store of a run is."""
    path = absolute(log)
    return state_dir / "runs" / folder_name(name or path.stem, path)
