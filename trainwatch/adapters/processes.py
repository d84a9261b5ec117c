"""The processes of one command, seen from beside it: who lives, what they burn, what the kernel did to them.

The trap: a process that may not be looked at, or that is gone between two looks, is neither alive nor dead.
Of the end of the command only its parent can say the exit code.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
from msgspec.structs import replace

from trainwatch.core.model.observations import ProcessReading

_CGROUPS = Path("/sys/fs/cgroup")
_DEAD = frozenset({psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})
_Key = tuple[int, float]  # a number is given again; with the time of its birth it is not


class Tree:
    """All that the parent of a command has below it, but for the watcher itself."""

    def __init__(self, parent: int, main: int, *, began_at: float, offset: int | None) -> None:
        """`main` is the command's own process, `parent` adopts whatever it leaves behind."""
        self._parent_pid = parent
        self._parent: psutil.Process | None = None
        with suppress(psutil.Error):
            self._parent = psutil.Process(parent)
        self._blank = ProcessReading(at=began_at, began_at=began_at, offset=offset)
        self._known = dict[_Key, psutil.Process]()
        self._launchers = set[_Key]()  # who ever had a child
        self._counter = _counter(main)
        self._killed_before = _killed(self._counter)

    def look(self, now: float) -> ProcessReading:
        """How they are. Raises nothing."""
        blank = replace(self._blank, at=now, oom_kills=self._oom_kills())
        try:
            living, zombies = self._seen()
        except psutil.Error as error:
            return replace(blank, state="unknown", why=f"its processes cannot be seen: {error}")
        if not living and not zombies:
            gone = not self._has_parent()
            return replace(blank, alive=False if gone else None, count=0, workers=0, zombies=0)
        return replace(
            blank,
            alive=True
            if living
            else None,  # zombies alone: the parent is about to say how it ended
            count=len(living),
            workers=sum(_key(each) not in self._launchers for each in living),
            zombies=zombies,
            cpu_s=self._cpu_s(living),
            rss_bytes=sum(_rss_bytes(each) for each in living),
        )

    def _has_parent(self) -> bool:
        return self._parent is not None and self._parent.is_running()

    def _seen(self) -> tuple[list[psutil.Process], int]:
        """Who lives, and how many zombies. Raises psutil.Error where that cannot be seen."""
        found = {_key(each): each for each in self._below()}
        self._known = found
        living, zombies = [], 0
        for each in found.values():
            with suppress(psutil.NoSuchProcess):
                if each.status() in _DEAD:
                    zombies += 1
                else:
                    living.append(each)
        parents = {each.pid: _key(each) for each in living}
        for each in found.values():
            with suppress(psutil.Error):
                self._launchers.update(filter(None, [parents.get(each.ppid())]))
        self._launchers &= found.keys()
        return living, zombies

    def _below(self) -> Iterator[psutil.Process]:
        """Those below the parent; where it is gone, those that were known, and what they have below them."""
        if self._has_parent() and self._parent is not None:
            for child in self._parent.children():
                if child.pid != os.getpid():
                    yield from _with_children(child)
            return
        for each in [each for each in self._known.values() if each.is_running()]:
            yield from _with_children(each)

    def _cpu_s(self, living: list[psutil.Process]) -> float:
        """Of all: what a process burnt is its own, or among the children of whoever waited for it."""
        total = 0.0
        if self._parent is not None:
            with suppress(psutil.Error):
                waited = self._parent.cpu_times()
                total += waited.children_user + waited.children_system
        for each in living:
            with suppress(psutil.Error):
                burnt = each.cpu_times()
                total += burnt.user + burnt.system + burnt.children_user + burnt.children_system
        return total

    def _oom_kills(self) -> int | None:
        now, before = _killed(self._counter), self._killed_before
        return now - before if now is not None and before is not None else None


def _with_children(process: psutil.Process) -> Iterator[psutil.Process]:
    yield process
    with suppress(psutil.NoSuchProcess):
        yield from process.children(recursive=True)


def _key(process: psutil.Process) -> _Key:
    return process.pid, process.create_time()


def _rss_bytes(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _counter(pid: int) -> Path | None:
    """The kernel's file that counts whom it killed for memory in a process's control group, if any."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            _, controllers, place = line.split(":", 2)
            inside = place.lstrip("/")
            if not controllers:
                path = _CGROUPS / inside / "memory.events"
            elif "memory" in controllers.split(","):
                path = _CGROUPS / "memory" / inside / "memory.oom_control"
            else:
                continue
            if path.is_file():
                return path
    return None


def _killed(counter: Path | None) -> int | None:
    if counter is None:
        return None
    with suppress(OSError, ValueError):
        for line in counter.read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill":
                return int(value)
    return None
