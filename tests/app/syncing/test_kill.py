"""kill -9 at random moments of sending: nothing is committed twice, and the next run completes everything.

To look harder: TRAINWATCH_KILLS=100.
"""

import hashlib
import os
import random
import time
from collections import Counter
from pathlib import Path

import psutil

from tests.app.syncing.conftest import Command
from tests.hub.memory import Hub

KILLS = int(os.environ.get("TRAINWATCH_KILLS", "5"))
NAME = "models/me/tr11"


def test_nothing_is_committed_twice_and_everything_arrives(command: Command) -> None:
    chance = random.Random(20)
    hub, log = command.hub, command.root / "main_log.txt"
    hub.make(NAME)
    hub.before_commit = lambda: time.sleep(
        chance.random() / 5
    )  # a busy Hub: kills hit it more often
    route = f'name = "hub"\nto = "hf://{NAME}"\nmost_commits_per_hour = 128\ncalm_min = 0'
    command.configure(route, part_mb=0.05)
    (command.root / "config.json").write_text("{}")
    log.write_bytes(_lines(0))
    began = time.monotonic()
    assert command().returncode == 0
    takes_s = time.monotonic() - began
    for number in range(1, KILLS + 1):
        with log.open("ab") as file:
            file.write(_lines(number))
        (command.root / f"{number}.json").write_text(str(number))
        process = command.start()
        time.sleep(chance.random() * takes_s)
        _kill(process.pid, group=chance.random() < 0.5)
        process.wait()
    last = command()
    assert (last.returncode, last.stderr) == (0, "")
    _check(hub, command.root, log)
    assert not (command.state / "sync" / "hub.spool").exists()


def _check(hub: Hub, root: Path, log: Path) -> None:
    repo = hub.repos[NAME]
    contents = Counter(
        (path, content) for commit in repo.commits for path, content in commit.files.items()
    )
    assert [one for one, count in contents.items() if count > 1] == []
    data, part = log.read_bytes(), int(0.05 * 1024 * 1024)
    names = ["main_log.txt", *(f"main_log.txt.part-{n:04d}" for n in range(1, 1000))]
    expected = {
        name: data[start : start + part]
        for name, start in zip(names, range(0, len(data), part), strict=False)
    }
    expected |= {path.name: path.read_bytes() for path in root.glob("*.json")}
    there = {name: (hashlib.sha256(one).hexdigest(), len(one)) for name, one in expected.items()}
    assert repo.files == there
    assert len(there) > KILLS


def _lines(number: int) -> bytes:
    return b"".join(b" iteration %8d | lm loss: 2.5\n" % (number * 500 + n) for n in range(500))


def _kill(pid: int, *, group: bool) -> None:
    """The watcher alone, or with all that it started: as the kernel does for lack of memory, or Slurm."""
    try:
        parent = psutil.Process(pid)
        children = parent.children(recursive=True) if group else []
        for process in (parent, *children):
            process.kill()
    except psutil.NoSuchProcess:
        return
