"""Hours are added up beside the screen: from a real store, seldom, and what goes wrong is said."""

import threading
from pathlib import Path

import pytest

from tests.app.viewed import until
from tests.waiting import waits
from trainwatch.app.accounting import Accounts
from trainwatch.app.cli import run
from trainwatch.app.config import Settings
from trainwatch.app.wire import Site
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.goodput import Hours
from trainwatch.core.model.snapshot import Wanted

LOOKED = Wanted(hours=True)


def test_the_screen_is_told_what_the_report_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    assert run(["simulate", str(tmp_path / "tr1"), "--scenario", "crash-and-restart"]) == 0
    log = tmp_path / "tr1" / "main_log.txt"
    assert run(["report", "--goodput", str(log)]) == 0
    site = Site(Settings(), tmp_path / "state")
    source = site.screen(site.run_of(str(log)))
    try:
        assert source.read(Wanted()).hours is None
        seen = until(lambda: source.read(LOOKED), lambda s: s.hours is not None)
    finally:
        source.close()
    hours = seen.hours
    assert hours is not None
    assert hours.told is not None
    assert not hours.by_scheduler
    share = hours.told.goodput
    assert share is not None
    assert f"**{share * 100:.1f} %** of the time" in capsys.readouterr().out


def test_they_are_added_up_seldom_and_never_twice_at_once() -> None:
    begun = list[float]()
    go_on = threading.Event()

    def add_up(now: float) -> Hours:
        begun.append(now)
        go_on.wait(20)
        return Hours(why=f"at {now:.0f}")

    accounts = Accounts(add_up)
    assert accounts.look(100.0, 1000) is None
    assert accounts.look(1000.0, 1000) is None  # the first one is at it still
    go_on.set()
    assert waits(lambda: accounts.look(101.0, 1000) == Hours(why="at 100"))
    accounts.look(159.0, 1000)
    assert begun == [100.0]
    accounts.look(300.0, 1_000_000)  # a long history less often
    assert begun == [100.0]
    accounts.look(161.0, 1000)
    assert waits(lambda: accounts.look(161.0, 1000) == Hours(why="at 161"))
    accounts.look(5.0, 1000)  # a clock that was put back
    assert waits(lambda: len(begun) == 3)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (
            PermissionError(13, "Permission denied", "/x/journal.jsonl"),
            "/x/journal.jsonl: Permission",
        ),
        (StoreUnusable("state.json is damaged"), "state.json is damaged"),
        (ZeroDivisionError("x"), "cannot be added up (ZeroDivisionError: x); this is a bug"),
    ],
)
def test_what_goes_wrong_is_said(error: Exception, why: str) -> None:
    def add_up(now: float) -> Hours:
        raise error

    accounts = Accounts(add_up)
    accounts.look(0.0, 0)
    assert waits(lambda: accounts.look(0.0, 0) is not None)
    told = accounts.look(0.0, 0)
    assert told is not None
    assert told.why.startswith(why)
    assert told.told is None


def test_a_run_of_which_nothing_is_kept_yet(tmp_path: Path) -> None:
    site = Site(Settings(), tmp_path / "state")
    log = tmp_path / "empty.log"
    log.write_text("")
    source = site.screen(site.run_of(str(log)))
    try:
        seen = until(lambda: source.read(LOOKED), lambda s: s.hours is not None)
        assert seen.hours is not None
        assert seen.hours.told is None
        assert seen.hours.why
    finally:
        source.close()
