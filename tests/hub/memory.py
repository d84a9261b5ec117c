"""What a Hub on loopback remembers, which tests look into: repositories, commits, faults to come."""

import hashlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TOKEN = "hf_" + "planted" * 5


@dataclass
class Commit:
    """One commit: its title, and by path the sha256 and size of each file."""

    oid: str
    title: str
    files: dict[str, tuple[str, int]]


@dataclass
class Repo:
    """A repository or a bucket. `ignored`: what its .gitignore names."""

    commits: list[Commit] = field(default_factory=list)
    files: dict[str, tuple[str, int]] = field(default_factory=dict)
    ignored: str = r"(?!)"

    @property
    def head(self) -> str:
        return self.commits[-1].oid if self.commits else "0" * 40


@dataclass
class Fault:
    """What happens to requests whose `METHOD path` matches, `times` of them after `skip`.

    `cut`: "before" the request is looked at, or "after" it was carried out, the connection ends.
    """

    pattern: str
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    cut: str = ""
    times: int = 1_000_000
    skip: int = 0
    body: dict[str, Any] = field(default_factory=dict)


class Hub:
    """The server's memory, which tests look into."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.xet = folder, folder / "xet"
        self.repos = dict[str, Repo]()
        self.faults = list[Fault]()
        self.requests = list[str]()
        self.objects = dict[str, int]()  # of LFS
        self.lfs_from = 1024  # bytes, from which on a file is no regular one
        self.token = TOKEN
        self.lfs_bytes = 0
        self.before_commit: Callable[[], None] = lambda: None
        self.lock = threading.RLock()
        self.url = ""

    def make(self, name: str, ignored: str = r"(?!)") -> Repo:
        """A repository: `models/org/name`, `datasets/org/name`, `buckets/org/name`."""
        repo = self.repos[name] = Repo(ignored=ignored)
        if not name.startswith("buckets/"):
            self._commit(repo, "initial commit", {})
        return repo

    def stored_bytes(self) -> int:
        """What lies at the far side: in Xet's store, and by LFS."""
        files = self.xet.rglob("*") if self.xet.exists() else ()
        return self.lfs_bytes + sum(f.stat().st_size for f in files if f.is_file())

    def _commit(self, repo: Repo, title: str, files: dict[str, tuple[str, int]]) -> str:
        oid = hashlib.sha1(f"{len(repo.commits)}{title}".encode()).hexdigest()
        repo.commits.append(Commit(oid, title, files))
        repo.files.update(files)
        return oid

    def fault(self, request: str) -> Fault | None:
        """The fault that this request meets."""
        with self.lock:
            for fault in self.faults:
                if re.search(fault.pattern, request):
                    if fault.skip > 0:
                        fault.skip -= 1
                    elif fault.times > 0:
                        fault.times -= 1
                        return fault
        return None
