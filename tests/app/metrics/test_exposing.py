"""What is shown to whoever scrapes holds nothing up, and ends nothing."""

import threading
import time
from pathlib import Path

from tests.app.metrics.sites import NOW, STATUS
from trainwatch.app.exposing import Exposer, Shown, Written
from trainwatch.core.model.status import Status


class Hanging:
    """A file on a disk that gives no answer until `free` is set."""

    path = Path("/scratch/t.prom")

    def __init__(self) -> None:
        self.free, self.fails = threading.Event(), True

    def write(self, data: bytes) -> str:
        self.free.wait(60)
        if self.fails:
            raise PermissionError(13, "Permission denied")
        return ""


def test_a_disk_that_hangs_holds_nothing_up_and_one_that_fails_is_told() -> None:
    file = Hanging()
    exposer = Exposer(Shown(), "1", written=Written(file, lambda: b"", 30.0))
    began = time.monotonic()
    for at in (0.0, 10.0, 200.0):
        exposer.tick(NOW + at, lambda: [STATUS])
        assert not exposer.remarks
    exposer.tick(NOW + 400, lambda: [STATUS])
    assert time.monotonic() - began < 5
    (remark,) = exposer.remarks
    assert remark == "metrics: writing /scratch/t.prom hangs; does its disk answer?"
    file.free.set()
    exposer.finish(NOW + 401, lambda: [STATUS], 30.0)
    (remark,) = exposer.remarks
    assert remark == "metrics: cannot write /scratch/t.prom: permission denied"
    file.fails = False
    exposer.tick(NOW + 500, lambda: [STATUS])
    exposer.finish(NOW + 501, lambda: [STATUS], 30.0)
    assert not exposer.remarks
    exposer.close()


def test_a_bug_is_a_warning_and_not_the_end_of_the_watch() -> None:
    def broken() -> list[Status]:
        raise ZeroDivisionError

    exposer = Exposer(Shown(), "1")
    exposer.tick(NOW, broken)
    (remark,) = exposer.remarks
    assert remark == "metrics: failed with ZeroDivisionError"
    exposer.tick(NOW + 60, lambda: [STATUS])
    assert not exposer.remarks


def test_statuses_are_looked_at_each_few_seconds_also_by_a_clock_that_was_set_back() -> None:
    looked, exposer = list[float](), Exposer(Shown(), "1")

    def at(now: float) -> list[Status]:
        looked.append(now)
        return []

    for now in (NOW, NOW + 1, NOW + 4, NOW + 6, NOW - 3600, NOW - 3599):
        exposer.tick(now, lambda now=now: at(now))  # type: ignore[misc]
    assert looked == [NOW, NOW + 6, NOW - 3600]
