"""Real processes: how a script ends, and what is left of it and of its children."""

import os
import time
from pathlib import Path

from tests.adapters.scripts.starting import Clock, end, gone, put, start, written, written_pids
from tests.waiting import until
from trainwatch.adapters.scripts import processes, running
from trainwatch.core.model.scripts import Process


def test_a_script_that_works(folder: Path) -> None:
    path = put(folder, "ok", 'pwd; echo "$TRAINWATCH_PERIOD"; cat; ls /proc/self/fd | wc -l >&2\n')
    script = start(path)
    assert processes.alive(script.process) in (True, False)
    ended = end(script)
    assert (ended.exit_code, ended.how) == (0, "")
    lines = written(path).splitlines()
    assert lines[:3] == ["=== then", str(folder), "hourly"]
    assert int(lines[3]) <= 4  # no file of ours is left open to it
    assert lines[-1].startswith("=== exit 0, ")
    assert (path.parent.parent / "out" / "ok.out").stat().st_mode & 0o777 == 0o600


def test_a_script_that_fails(folder: Path) -> None:
    ended = end(start(put(folder, "bad", "echo first; echo no quota left >&2; exit 7\n")))
    assert (ended.exit_code, ended.how) == (7, "")
    assert ended.tail == "first\nno quota left\n"
    ended = end(start(put(folder, "shot", "kill -9 $$\n")))
    assert (ended.exit_code, ended.how) == (137, "was killed by SIGKILL")


def test_a_hang_is_ended_with_its_children(folder: Path) -> None:
    """Also those that do not listen to SIGTERM."""
    clock = Clock()
    text = "(trap '' TERM; exec sleep 600) & echo $!\ntrap '' TERM\nwhile :; do sleep 600; done\n"
    path = put(folder, "hang", text)
    script = start(path, clock, deadline_s=1800.0)
    until(lambda: written_pids(path), "its child")
    children = written_pids(path)
    clock.now = 1799.0
    assert script.poll() is None
    clock.now = 1800.0
    assert script.poll() is None  # it is asked to end
    clock.now += running.GRACE_S - 1
    time.sleep(0.05)
    assert script.poll() is None
    clock.now += 1
    script.poll()  # it is killed
    ended = end(script)
    assert (ended.exit_code, ended.took_s) == (None, 1810.0)
    assert ended.how == "was ended after its deadline of 30 min"
    assert gone(script.process.pid)
    assert all(gone(pid) for pid in children)
    assert "=== was ended after its deadline of 30 min" in written(path)


def test_one_that_listens_ends_in_time(folder: Path) -> None:
    clock = Clock()
    text = "trap 'echo cleaned up; exit 0' TERM\nsleep 600 & echo $!\nwait\n"
    path = put(folder, "polite", text)
    script = start(path, clock, deadline_s=10.0)
    until(lambda: written_pids(path), "its trap")
    clock.now = 10.0
    ended = end(script)
    assert ended.exit_code is None  # its deadline ended it, whatever it says
    assert ended.tail.endswith("\ncleaned up\n")


def test_what_is_left_in_the_background_goes_with_it(folder: Path) -> None:
    path = put(folder, "leaves", "sleep 600 & echo $!\nexit 0\n")
    ended = end(start(path))
    assert ended.exit_code == 0
    assert all(gone(pid) for pid in written_pids(path))


def test_one_that_escapes_does_not_hold_us(folder: Path) -> None:
    path = put(folder, "escapes", "setsid sh -c 'echo $$; exec sleep 30' & sleep 0.2; exit 3\n")
    began = time.monotonic()
    ended = end(start(path))
    assert ended.exit_code == 3
    assert time.monotonic() - began < 5
    for pid in written_pids(path):
        os.kill(pid, 9)


def test_one_that_halts_itself_is_ended(folder: Path) -> None:
    clock = Clock()
    script = start(put(folder, "halts", "kill -STOP $$\n"), clock, deadline_s=5.0)
    time.sleep(0.1)
    clock.now = 5.0
    assert end(script).exit_code is None
    assert gone(script.process.pid)


def test_stopping_waits_first(folder: Path) -> None:
    ended = start(put(folder, "quick", "sleep 0.2; exit 4\n")).stop(10.0, "was stopped")
    assert (ended.exit_code, ended.how) == (4, "")
    ended = start(put(folder, "slow", "sleep 600\n")).stop(0.0, "was stopped")
    assert (ended.exit_code, ended.how) == (None, "was stopped")


def test_processes_are_told_apart() -> None:
    me = processes.me()
    assert processes.alive(me) is True
    assert processes.alive(Process(host=me.host, pid=me.pid, birth="another")) is False
    assert processes.alive(Process(host=me.host, pid=0)) is False
    assert processes.alive(Process(host="r1i0n0", pid=me.pid, birth=me.birth)) is None
