"""The configuration's file: a change counts when it has come to rest, and is told once."""

import threading

from trainwatch.app.configfile import HANGS_S, LOOK_S, ConfigFile, Found
from trainwatch.core.errors import UsageError

NOW = 1_790_000_000.0


class Disk:
    """A file that holds what it is told to, vanishes, or hangs."""

    def __init__(self, text: str) -> None:
        self.text: str | None = text
        self.reads, self.free = 0, threading.Event()
        self.free.set()

    def read(self) -> str:
        self.reads += 1
        assert self.free.wait(30)
        if self.text is None:
            raise UsageError("trainwatch.toml: No such file or directory")
        return self.text


def told(file: ConfigFile, now: float, seconds: float = 60.0) -> list[Found]:
    """What is told while time passes, five seconds at a time."""
    ticks = (file.tick(now + at) for at in range(0, int(seconds), 5))
    return [found for found in ticks if found is not None]


def test_what_it_holds_is_told_once_and_again_when_it_changed() -> None:
    disk = Disk("a")
    file = ConfigFile(disk.read, "trainwatch.toml", patience_s=10)
    assert told(file, NOW) == [Found("a")]
    assert told(file, NOW + 60) == []
    disk.text = "b"
    assert told(file, NOW + 120) == [Found("b")]
    disk.text = None
    (missing,) = told(file, NOW + 180)
    assert "No such file" in missing.trouble
    disk.text = "b"
    assert told(file, NOW + 240) == [Found("b")]
    file.close()


def test_half_a_file_and_one_that_vanishes_for_a_moment_are_not_believed() -> None:
    disk = Disk("whole")
    file = ConfigFile(disk.read, "trainwatch.toml", patience_s=10)
    told(file, NOW)
    for passing in ("", "who", None):
        disk.text = passing
        assert file.tick(NOW + 100) is None
        disk.text = "whole"
        assert told(file, NOW + 105) == []
    file.close()


def test_an_hour_costs_two_looks_a_minute() -> None:
    disk = Disk("a")
    file = ConfigFile(disk.read, "trainwatch.toml", patience_s=10)
    told(file, NOW, 3600)
    assert disk.reads <= 3600 / LOOK_S + 1
    file.close()


def test_a_filesystem_that_hangs_is_said_once_and_forgotten_when_it_answers() -> None:
    disk = Disk("a")
    file = ConfigFile(disk.read, "trainwatch.toml", patience_s=0.01)
    disk.free.clear()
    (hangs,) = told(file, NOW, 3 * HANGS_S)
    assert "hangs" in hangs.trouble
    disk.free.set()
    file._probe._done.wait(10)
    file._patience_s = 10
    assert told(file, NOW + 400) == [Found("a")]
    file.close()


def test_a_clock_that_is_set_back_does_not_stop_the_looks() -> None:
    disk = Disk("a")
    file = ConfigFile(disk.read, "trainwatch.toml", patience_s=10)
    told(file, NOW)
    disk.text = "b"
    assert told(file, NOW - 86_400) == [Found("b")]
    file.close()
