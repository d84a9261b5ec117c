"""A change that is right holds from the next tick on; what it does not touch goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.receiving import Web, web
from tests.app.reloading.rigs import SETTLED_S, Rig
from trainwatch.app import clock
from trainwatch.core.errors import LeaseHeld
from trainwatch.core.model.observations import AlertRequest

PATIENT, QUICK = (f"[alerts.stall]\ntrain_min = {minutes}\n" for minutes in (600, 5))


@pytest.fixture
def people() -> Iterator[Web]:
    with web() as receiver:
        yield receiver


def receivers(folder: Path, people: Web, cooldown_min: int = 30) -> str:
    """One receiver, which wants critical alerts only."""
    url = folder / "url"
    url.write_text(people.url("json", "/people"))
    url.chmod(0o600)
    chosen = f'severities = ["critical"]\ncooldown_min = {cooldown_min}\n'
    return f'[receivers.people]\nurl_file = "{url}"\n{chosen}'


def test_an_alert_fires_by_a_threshold_that_was_lowered_and_is_told_once(
    tmp_path: Path, people: Web
) -> None:
    tell = receivers(tmp_path, people)
    rig = Rig(tmp_path, PATIENT + tell)
    rig.begin()
    rig.pass_s(1200)
    assert rig.status().alerts == ()
    rig.edit(QUICK + tell, "one")
    rig.pass_s(SETTLED_S + 60)
    assert [alert.rule for alert in rig.status().alerts] == ["stall"]
    assert people.arrived.acquire(timeout=20)
    (change,) = rig.events("config-changed")
    assert "alerts.stall.train_min changed" in change.text
    for minutes in (6, 7, 8):  # further changes tell nobody again
        rig.edit(f"[alerts.stall]\ntrain_min = {minutes}\n{tell}", "one")
        rig.pass_s(SETTLED_S + 60)
    rig.daemon.tell_out(rig.now, 5)
    assert len(people.got) == 1
    assert len(rig.events("alert-firing")) == 1
    assert len(rig.events("config-changed")) == 4
    rig.close()


def test_a_message_that_is_under_way_while_receivers_change_comes_once(
    tmp_path: Path, people: Web
) -> None:
    rig = Rig(tmp_path, QUICK + receivers(tmp_path, people))
    rig.begin()
    people.free.clear()
    for _ in range(120):
        rig.pass_s(5)
        if rig.under_way:
            break
    assert people.arrived.acquire(timeout=20)
    rig.edit(QUICK + receivers(tmp_path, people, cooldown_min=31), "one")
    rig.pass_s(SETTLED_S)
    assert rig.took
    assert rig.under_way
    people.free.set()
    rig.daemon.tell_out(rig.now + 10, 10)
    rig.pass_s(900, step_s=30)
    rig.daemon.tell_out(rig.now, 5)
    assert len(people.got) == 1
    rig.close()


def test_what_is_muted_stays_muted(tmp_path: Path) -> None:
    rig = Rig(tmp_path, QUICK)
    rig.begin()
    rig.pass_s(600)
    ask = AlertRequest(at=rig.now, ask="ack", rule="stall", by="ada", why="known")
    rig.site.ask(rig.site.runs()[0], ask)
    rig.pass_s(30)
    assert rig.status().alerts[0].muted
    rig.edit(QUICK + "[alerts.loss-spike]\nseverity = 'critical'\n", "one")
    rig.pass_s(SETTLED_S + 60)
    (alert,) = rig.status().alerts
    assert alert.muted
    assert rig.took
    rig.close()


def test_a_run_that_is_added_is_watched_and_one_that_is_removed_is_let_go(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "", ("one", "two"))
    rig.begin()
    rig.write("three", 1, 70)
    first = rig.daemon.runs[0]
    rig.edit("", "one", "three")
    rig.pass_s(SETTLED_S)
    assert rig.watched() == ["one", "three"]
    assert rig.daemon.runs[0] is first
    assert rig.status("three").iteration == 70
    assert not rig.store("two").is_held()
    assert rig.store("one").is_held()
    assert rig.store("three").is_held()
    (change,) = rig.events("config-changed")
    assert "runs.two, runs.three changed" in change.text
    rig.close()
    assert not rig.store("three").is_held()


def test_a_run_whose_lease_is_held_is_said_and_left(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "")
    rig.begin()
    rig.write("two", 1, 70)
    held = rig.site.watched(rig.site.run_of(str(rig.log("two"))))
    name = held.name
    rig.edit(f'[[runs]]\nname = "{name}"\nlog = "{rig.log("two")}"\n', "one")
    rig.pass_s(SETTLED_S + 60)
    assert rig.watched() == ["one"]
    assert any("is not watched: another trainwatch" in why for why in rig.status().warnings)
    held.close()
    rig.close()


def test_a_run_that_was_given_up_is_watched_anew_once_its_lease_is_free(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "", ("one", "two"))
    rig.begin()
    lost = rig.daemon.runs[1]
    rig.daemon.given_up[lost] = LeaseHeld("another trainwatch writes it")
    rig.edit("poll_interval_s = 5\n", "one", "two")  # it is held, as far as anybody can see
    rig.pass_s(SETTLED_S)
    assert rig.took == [5]
    assert rig.watched() == ["one"]
    lost.close()
    rig.edit("poll_interval_s = 6\n", "one", "two")
    rig.pass_s(SETTLED_S)
    assert rig.watched() == ["one", "two"]
    assert rig.daemon.given_up == {}
    rig.close()


def test_what_takes_a_restart_is_said_and_the_rest_holds(tmp_path: Path) -> None:
    rig = Rig(tmp_path, f'state_dir = "{tmp_path}/state"\n' + PATIENT)
    rig.begin()
    rig.pass_s(1200)
    moved = f'state_dir = "{tmp_path}/elsewhere"\nlog_utc_offset_h = 3\n{QUICK}'
    rig.edit(moved, "one")
    rig.pass_s(SETTLED_S + 120)
    assert [alert.rule for alert in rig.status().alerts] == ["stall"]
    assert not (tmp_path / "elsewhere").exists()
    warnings = rig.status().warnings
    assert {"state_dir takes a restart", "log_utc_offset_h takes a restart"} <= set(warnings)
    assert len(rig.events("config-changed")) == 1
    rig.edit(f'state_dir = "{tmp_path}/state"\n{QUICK}', "one")
    rig.pass_s(SETTLED_S + 60)
    assert rig.status().warnings == ()
    rig.close()


def test_how_often_the_loop_looks_is_told_to_the_loop(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "poll_interval_s = 5\n")
    rig.edit("poll_interval_s = 7\nheartbeat_interval_s = 120\n", "one")
    rig.pass_s(SETTLED_S)
    assert rig.took == [7]
    rig.close()


def test_a_comment_changes_nothing(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "")
    rig.begin()
    beside = rig.daemon.beside
    rig.edit("# a comment\n", "one")
    rig.pass_s(SETTLED_S + 30)
    assert rig.daemon.beside is beside
    assert rig.said == []
    assert rig.events("config-") == []
    rig.close()


def test_a_threshold_does_not_disturb_what_looks_at_the_rest_of_the_world(tmp_path: Path) -> None:
    disk = f'[[disks]]\npath = "{tmp_path}"\n'
    rig = Rig(tmp_path, disk + PATIENT)
    before = rig.daemon.beside
    rig.edit(disk + QUICK, "one")
    rig.pass_s(SETTLED_S)
    assert rig.took
    assert rig.daemon.beside == before
    rig.edit(disk.replace("path", 'name = "scratch"\npath') + QUICK, "one")
    rig.pass_s(SETTLED_S + 60)
    assert rig.daemon.beside.sources is not before.sources
    assert rig.daemon.beside.pulses is before.pulses
    assert [disk.disk for disk in rig.status().disks][-1:] == ["scratch"]
    rig.close()


def test_a_run_goes_on_where_nothing_can_be_kept_at_that_moment(tmp_path: Path) -> None:
    """Its store is not opened again: on a full disk it could not be."""
    rig = Rig(tmp_path, PATIENT)
    rig.begin()
    run = rig.daemon.runs[0]
    rig.write("one", 61, 70)
    rig.edit(QUICK, "one")
    rig.pass_s(SETTLED_S)
    assert rig.daemon.runs == [run]
    assert run.state.high_water == 70
    kept = rig.store().load()
    assert kept is not None
    assert kept.state.rows == 69
    rig.close()


def test_times_are_told_as_people_write_them(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "")
    rig.edit("nonsense = 1\n", "one")
    rig.pass_s(SETTLED_S)
    assert f"the settings of {clock.local(rig.now - SETTLED_S):%H:%M}" in rig.said[0]
    rig.close()
