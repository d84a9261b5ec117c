"""Real scripts: put into a folder, started, and waited for."""

import os
import time
from pathlib import Path

from tests.waiting import until, waits
from trainwatch.adapters.scripts import Machine, processes, running
from trainwatch.core.model.scripts import Ended

CLOSED = 0o755


def put(folder: Path, name: str, text: str = "exit 0\n", mode: int = CLOSED) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(mode)
    return path


class Clock:
    """Hand-wound, for deadlines."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def start(path: Path, clock: Clock | None = None, deadline_s: float = 60.0) -> running.Running:
    return Machine(clock=clock or time.monotonic).start(
        str(path),
        output=path.parent.parent / "out" / f"{path.name}.out",
        heading="=== then",
        environment={**os.environ, "TRAINWATCH_PERIOD": "hourly"},
        deadline_s=deadline_s,
    )


def end(script: running.Running) -> Ended:
    ended = until(script.poll, "its end")
    assert ended is not None
    return ended


def gone(pid: int) -> bool:
    return waits(lambda: processes.birth(pid) is None)


def written_at(path: Path) -> Path:
    return path.parent.parent / "out" / f"{path.name}.out"


def written(path: Path) -> str:
    return written_at(path).read_text(errors="replace")


def written_pids(path: Path) -> list[int]:
    try:
        return [int(line) for line in written(path).splitlines() if line.isdigit()]
    except FileNotFoundError:
        return []
