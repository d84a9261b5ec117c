"""What somebody chose on the screen is kept for him alone, and never in the way."""

import json
import os
import stat
from pathlib import Path

import pytest

from trainwatch.adapters.store.habits import VERSION, Habits

BROKEN = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'{"version": "x"}',
    b'{"chosen": {}}',
    b'{"version": 1, "chosen": []}',
    b"\xff\xfe\x00",
    b'{"version": 1, "chosen": {"a": ' + b"[" * 20_000 + b"]" * 20_000 + b"}}",
    b'{"version": 1, "chosen": {"a": "' + b"x" * 100_000 + b'"}}',
)
NEWER = json.dumps({"version": VERSION + 1, "chosen": {"theme": "plaid"}}).encode()


@pytest.fixture
def habits(tmp_path: Path) -> Habits:
    return Habits(tmp_path / "state")


def test_nothing_is_kept_at_first(habits: Habits) -> None:
    assert habits.read() == {}
    assert not habits.path.parent.exists()


def test_what_is_kept_is_read(habits: Habits) -> None:
    assert habits.keep({"theme": "light", "charts": ["loss"]})
    assert habits.keep({"charts": ["norm", "lr"], "fleet-turned": True})
    again = Habits(habits.path.parent).read()
    assert again == {"theme": "light", "charts": ["norm", "lr"], "fleet-turned": True}


def test_what_a_later_version_added_stays(habits: Habits) -> None:
    habits.keep({"of another version": [1, {"deep": None}]})
    habits.keep({"theme": "dark"})
    assert habits.read() == {"of another version": [1, {"deep": None}], "theme": "dark"}


def test_it_is_for_nobody_else(habits: Habits) -> None:
    before = os.umask(0)
    try:
        habits.keep({"theme": "light"})
    finally:
        os.umask(before)
    assert stat.S_IMODE(habits.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(habits.path.parent.stat().st_mode) == 0o700
    assert [each.name for each in habits.path.parent.iterdir()] == [f"screen-{os.geteuid()}.json"]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_none_and_is_replaced(habits: Habits, data: bytes) -> None:
    habits.path.parent.mkdir()
    habits.path.write_bytes(data)
    assert habits.read() == {}
    assert habits.keep({"theme": "light"})
    assert habits.read() == {"theme": "light"}


def test_one_of_a_newer_trainwatch_is_left_as_it_is(habits: Habits) -> None:
    habits.path.parent.mkdir()
    habits.path.write_bytes(NEWER)
    assert habits.read() == {}
    assert not habits.keep({"theme": "light"})
    assert habits.path.read_bytes() == NEWER


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_one_of_somebody_else_is_left_as_it_is(habits: Habits) -> None:
    habits.keep({"theme": "light"})
    kept = habits.path.read_bytes()
    os.chown(habits.path, 12345, -1)
    assert habits.read() == {}
    assert not habits.keep({"theme": "dark"})
    assert habits.path.read_bytes() == kept


def test_what_is_no_file_is_none(habits: Habits, tmp_path: Path) -> None:
    habits.path.parent.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b'{"version": 1, "chosen": {"theme": "light"}}')
    habits.path.symlink_to(elsewhere)
    assert habits.read() == {}
    assert not habits.keep({"theme": "dark"})
    assert b"dark" not in elsewhere.read_bytes()
    habits.path.unlink()
    os.mkfifo(habits.path)  # opened by name it would hang until somebody writes
    assert habits.read() == {}
    assert not habits.keep({"theme": "dark"})
    habits.path.unlink()
    habits.path.mkdir()
    assert habits.read() == {}
    assert not habits.keep({"theme": "dark"})


def test_a_full_disk_costs_nothing_but_the_habits(
    habits: Habits, monkeypatch: pytest.MonkeyPatch
) -> None:
    habits.keep({"theme": "light"})
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    usual = os.open

    def opened(path: str | Path, flags: int, mode: int = 0o777) -> int:
        return usual(full if flags & os.O_CREAT else path, flags & ~(os.O_CREAT | os.O_EXCL), mode)

    monkeypatch.setattr(os, "open", opened)
    assert not habits.keep({"theme": "dark"})
    assert habits.read() == {"theme": "light"}


def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    habits = Habits(tmp_path / "state")
    assert habits.read() == {}
    assert not habits.keep({"theme": "dark"})


def test_without_a_change_nothing_is_written(habits: Habits) -> None:
    assert not habits.keep({})
    assert not habits.path.parent.exists()
