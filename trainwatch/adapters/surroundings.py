"""A bounded walk below a folder: what may be a log, what holds checkpoints, where TensorBoard's files are.

The trap: a folder on a shared disk may hold millions of files. Names are looked at first, few files are
looked into, and the walk ends by its budgets, the clock among them.
"""

import os
import re
import stat
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from trainwatch.core.checkpoints import layouts

MOST_DEPTH, MOST_NAMES, MOST_LOGS = 4, 20_000, 100
_EVENTS = "events.out.tfevents"
_CLOSED = re.compile(r"\..*|__pycache__|node_modules|site-packages|proc|sys", re.DOTALL)
_NO_LOG = re.compile(
    r".*\.(?:py|pyc|sh|slurm|json|ya?ml|toml|md|html?|csv|parquet|npy|npz|pt|pth|ckpt|bin|idx|safetensors|model"
    r"|gz|zst|xz|bz2|zip|tar|so|o|png|jpe?g|svg|pdf|ipynb|lock|db|sqlite|jsonl)",
    re.IGNORECASE | re.DOTALL,
)
_LIKE_LOG = re.compile(r"(?:.*log.*|.*\.(?:out|txt|err|o\d+)(?:\.\d+)?)", re.IGNORECASE | re.DOTALL)


class Walked(NamedTuple):
    """`logs` are files that may be logs, the likeliest and newest first. `cut`: why there may be more."""

    logs: tuple[Path, ...] = ()
    roots: tuple[Path, ...] = ()
    boards: tuple[Path, ...] = ()
    cut: str = ""


class _Walk:
    def __init__(self, elapsed: Callable[[], float], within_s: float, most_names: int) -> None:
        self._elapsed, self._until, self._within_s = elapsed, elapsed() + within_s, within_s
        self._names, self._most_names = 0, most_names
        self.logs = list[tuple[bool, float, Path]]()
        self.roots, self.boards = list[Path](), list[Path]()
        self.cut = ""

    def folder(self, place: Path) -> list[Path]:
        """Look at one; the folders in it that are to be looked into."""
        try:
            with os.scandir(place) as entries:
                listed = [entry for entry in entries if self._counted()]
        except OSError:
            return []
        beside = {entry.name for entry in listed}.intersection(layouts.TRACKERS)
        below, is_root = list[Path](), False
        for entry in listed:
            if _is_checkpoint(entry, beside):
                is_root = True
            elif entry.is_dir(follow_symlinks=False):
                if _CLOSED.fullmatch(entry.name) is None:
                    below.append(Path(entry.path))
            else:
                self._file(place, entry)
        if is_root:
            self.roots.append(place)
        return sorted(below)

    def _file(self, place: Path, entry: "os.DirEntry[str]") -> None:
        if entry.name.startswith(_EVENTS):
            if place not in self.boards:
                self.boards.append(place)
            return
        if entry.name.startswith(".") or _NO_LOG.fullmatch(entry.name):
            return
        try:
            status = entry.stat()
        except OSError:
            return
        if stat.S_ISREG(status.st_mode) and status.st_size and entry.name not in layouts.TRACKERS:
            likely = _LIKE_LOG.fullmatch(entry.name) is not None
            self.logs.append((likely, status.st_mtime, Path(entry.path)))

    def _counted(self) -> bool:
        self._names += 1
        if self._names > self._most_names:
            self.cut = f"only {self._most_names:,} names were looked at"
        elif self._elapsed() > self._until:
            self.cut = f"it ended after {self._within_s:g} s"
        return not self.cut


def _is_checkpoint(entry: "os.DirEntry[str]", beside: Collection[str]) -> bool:
    """Of Lightning's a file is one, too."""
    one = layouts.named(entry.name, beside)
    if one is None:
        return False
    is_file = one.kind == "lightning" and entry.name.endswith(".ckpt")
    return is_file or entry.is_dir(follow_symlinks=False)


def walk(
    folder: Path,
    elapsed: Callable[[], float],
    within_s: float,
    *,
    most_names: int = MOST_NAMES,
    most_logs: int = MOST_LOGS,
) -> Walked:
    """What lies below a folder. `elapsed` is a clock in s. Raises nothing; may hang with its filesystem."""
    found, left = _Walk(elapsed, within_s, most_names), [(folder, 0)]
    while left and not found.cut:
        place, depth = left.pop(0)
        below = found.folder(place)
        if depth < MOST_DEPTH:
            left += [(each, depth + 1) for each in below]
    logs = [path for _, _, path in sorted(found.logs, reverse=True)]
    cut = found.cut or (f"only {most_logs:,} files were looked into" * (len(logs) > most_logs))
    return Walked(tuple(logs[:most_logs]), tuple(found.roots), tuple(found.boards), cut)
