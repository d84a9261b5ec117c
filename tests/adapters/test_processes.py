"""Trees of real processes: who lives, who is a zombie, who launched whom, what they burn."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from trainwatch.adapters.processes import Tree
from trainwatch.core.model.observations import ProcessReading

NOW = 1_790_000_000.0
# It stands for the process that runs the command, and says what it started.
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(child.pid, flush=True)
sys.stdin.read()
"""
SLEEPER = "[sys.executable, '-c', 'import time; time.sleep(600)']"
LAUNCHER = f"""
import subprocess, sys, time
workers = [subprocess.Popen({SLEEPER}) for _ in range(3)]
time.sleep(600)
"""
BURNER = "while True: pass"
# Two of its three children are over, and it never asks.
CARELESS = f"""
import subprocess, sys, time
lives = subprocess.Popen({SLEEPER})
gone = [subprocess.Popen(["true"]) for _ in range(2)]
time.sleep(600)
"""


@contextmanager
def parent_of(text: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A parent, and the number of the process that it started."""
    argv = [sys.executable, "-c", PARENT, text]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(argv, text=True, start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout is not None
        try:
            yield process, int(process.stdout.readline())
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def looks(tree: Tree, true: Callable[[ProcessReading], bool]) -> ProcessReading:
    """The first reading of which it is true."""
    deadline = time.monotonic() + 30
    while not true(seen := tree.look(NOW)):
        assert time.monotonic() < deadline, seen
        time.sleep(0.02)
    return seen


def test_a_launcher_and_its_workers_are_told_apart() -> None:
    with parent_of(LAUNCHER) as (parent, main):
        seen = looks(Tree(parent.pid, main, began_at=1.0, offset=7), lambda s: s.count == 4)
        assert (seen.alive, seen.workers, seen.zombies) == (True, 3, 0)
        assert (seen.at, seen.began_at, seen.offset) == (NOW, 1.0, 7)
        assert seen.rss_bytes is not None
        assert seen.rss_bytes > 1_000_000


def test_a_launcher_stays_one_when_its_workers_are_gone() -> None:
    with parent_of(LAUNCHER) as (parent, main):
        tree = Tree(parent.pid, main, began_at=1.0, offset=None)
        looks(tree, lambda s: s.workers == 3)
        subprocess.run(["pkill", "-KILL", "-P", str(main)], check=True)
        seen = looks(tree, lambda s: s.zombies == 3)
        assert (seen.alive, seen.count, seen.workers) == (True, 1, 0)


def test_zombies_are_counted_apart() -> None:
    with parent_of(CARELESS) as (parent, main):
        seen = looks(Tree(parent.pid, main, began_at=1.0, offset=None), lambda s: s.zombies == 2)
        assert (seen.count, seen.workers) == (2, 1)


def test_what_they_burn_only_grows_also_when_one_ends() -> None:
    with parent_of(BURNER) as (parent, main):
        tree = Tree(parent.pid, main, began_at=1.0, offset=None)
        first = looks(tree, lambda s: (s.cpu_s or 0) > 0.2)
        more = looks(tree, lambda s: (s.cpu_s or 0) > 0.4)
        assert (more.cpu_s or 0) > (first.cpu_s or 0)


def test_nobody_left_is_unknown_while_the_parent_may_still_say_how() -> None:
    with parent_of("import time; time.sleep(600)") as (parent, main):
        tree = Tree(parent.pid, main, began_at=1.0, offset=None)
        assert looks(tree, lambda s: s.count == 1).alive
        os.kill(main, signal.SIGKILL)
        seen = looks(tree, lambda s: s.count == 0)
        assert (seen.alive, seen.zombies) == (None, 1)  # nobody waited for it yet


def test_without_the_parent_those_who_are_known_are_looked_at_and_then_it_is_over() -> None:
    with parent_of(LAUNCHER) as (parent, main):
        tree = Tree(parent.pid, main, began_at=1.0, offset=None)
        looks(tree, lambda s: s.count == 4)
        parent.kill()
        parent.wait()
        assert tree.look(NOW).alive
        os.killpg(parent.pid, signal.SIGKILL)
        seen = looks(tree, lambda s: s.alive is False)
        assert (seen.count, seen.exit_code, seen.signal) == (0, None, None)
