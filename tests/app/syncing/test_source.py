"""Routes beside a watch: when they have their turns, what is told of them, and to which runs."""

from pathlib import Path

import pytest

from tests.app.syncing.rigs import MIN, NOW, Rig
from trainwatch.app.config import RunSettings
from trainwatch.app.sources import EVERY
from trainwatch.core.errors import LeaseHeld, StoreFull
from trainwatch.core.model.observations import SyncReading
from trainwatch.core.model.syncing import Answer, Order, Outcome


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_a_turn_is_told_and_the_next_comes_when_it_is_due(rig: Rig) -> None:
    expected = SyncReading(
        at=NOW,
        route="hub",
        ok=True,
        last_ok_at=NOW,
        to="hf://models/me/x/logs",
        sent_bytes=7,
        sent_files=1,
        waiting_bytes=0,
        commits=1,
        most_commits=20,
        next_at=NOW + 15 * MIN,
    )
    assert rig.reading() == expected
    assert [order.ask for order in rig.targets["hub"].orders] == ["send"]
    for _ in range(14):
        assert rig.tick(1) == {}
    assert rig.reading(1).last_ok_at == NOW + 15 * MIN
    assert len(rig.targets["hub"].orders) == 1, "there is nothing new"


def test_a_failure_is_told_since_when_and_heals(rig: Rig) -> None:
    rig.reading()
    target = rig.targets["hub"]
    target.outcome = Outcome(result="again", why="the Hub fails (503)", status=503)
    (rig.root / "a.json").write_text("{}")
    failing = rig.reading(15)
    assert (failing.ok, failing.permanent, failing.why) == (False, False, "the Hub fails (503)")
    assert failing.last_ok_at == NOW
    target.outcome = Outcome(result="sent")
    assert rig.reading(1).ok


def test_what_does_not_heal_by_itself_is_told_and_seldom_tried_again(rig: Rig) -> None:
    target = rig.targets["hub"]
    target.outcome = Outcome(result="never", why="the token may not write (403)", status=403)
    assert rig.reading().permanent
    for _ in range(5):
        assert rig.tick(60) == {}
    assert len(target.orders) == 1
    rig.begin("hub")
    assert rig.reading().permanent, "a watcher that starts knows it from the ledger"
    assert len(target.orders) == 1
    assert rig.reading(61).permanent
    assert len(target.orders) == 2


def test_a_lost_answer_is_asked_for_before_anything_is_sent_again(rig: Rig) -> None:
    target = rig.targets["hub"]
    target.outcome = Outcome(result="lost", why="no answer")
    assert not rig.reading().ok
    target.outcome = Outcome(result="sent")
    target.answer = Outcome(result="again", why="the Hub cannot be reached")
    rig.reading(1)
    assert rig.reading(2).why == "the Hub cannot be reached"
    target.answer = Answer(arrived=True)
    assert rig.reading(10).ok
    assert [order.ask for order in target.orders] == ["send", *["arrived"] * 3]
    assert {order.token for order in target.orders} == {"t0"}


def test_what_did_not_arrive_is_sent_again_with_another_token(rig: Rig) -> None:
    target = rig.targets["hub"]
    target.outcome, target.answer = Outcome(result="lost"), Answer(arrived=False)
    rig.reading()
    target.outcome = Outcome(result="sent")
    assert rig.reading(2).ok
    assert [(one.ask, one.token) for one in target.orders] == [
        ("send", "t0"),
        ("arrived", "t0"),
        ("send", "t1"),
    ]


def test_what_arrives_after_all_is_not_sent_again(rig: Rig) -> None:
    target = rig.targets["hub"]
    target.outcome, target.answer = Outcome(result="lost"), Answer(arrived=False)
    rig.reading()
    target.outcome = Outcome(result="overtaken")
    rig.tick(2)
    assert target.orders[-1].after == "t0"
    target.outcome = Outcome(result="sent")
    rig.tick(60)
    assert len(target.orders) == 3, "there is nothing left to send"
    (ledger,) = [file.ledger for file in rig.files.values()]
    assert ledger is not None
    assert set(ledger.sent) == {"main_log.txt"}


def test_nothing_leaves_before_its_intent_is_written(rig: Rig) -> None:
    seen = list[bool]()
    files = rig.files["hub"]
    rig.targets["hub"].wait = lambda: seen.append(
        files.ledger is not None and files.ledger.intent is not None
    )
    rig.reading()
    assert seen == [True]
    assert files.ledger is not None
    assert files.ledger.intent is None


def test_a_full_disk_sends_nothing_and_says_so(rig: Rig) -> None:
    rig.files["hub"].trouble = StoreFull("sync/hub.json: No space left on device")
    reading = rig.reading()
    assert (reading.ok, reading.permanent) == (False, False)
    assert "No space left" in reading.why
    rig.files["hub"].trouble = None
    assert rig.reading(1).ok


def test_another_trainwatch_that_sends_is_no_failure(rig: Rig) -> None:
    rig.files["hub"].trouble = LeaseHeld("another trainwatch (process 7 on n1) writes sync")
    assert rig.tick() == {}
    rig.files["hub"].trouble = None
    assert rig.reading(1).ok


def test_a_root_that_is_gone_is_no_empty_one(rig: Rig) -> None:
    rig.reading()
    (rig.root / "main_log.txt").unlink()
    rig.root.rmdir()
    reading = rig.reading(15)
    assert not reading.ok
    assert "no such file or directory" in reading.why


def test_a_route_is_of_the_runs_below_its_root_else_of_all(rig: Rig) -> None:
    log = str(rig.root / "main_log.txt")
    rig.source.add(RunSettings(log="/elsewhere/main_log.txt", name="other"))
    assert set(rig.tick()) == {EVERY}
    rig.begin("hub2")
    rig.source.add(RunSettings(log="/elsewhere/main_log.txt", name="other"))
    rig.source.add(RunSettings(log=log, name="tr11"))
    assert set(rig.tick()) == {"tr11"}


def test_routes_have_their_turns_one_after_another(rig: Rig) -> None:
    rig.begin("a", "b")
    order = list[str]()
    for name in ("a", "b"):
        rig.targets[name].wait = lambda name=name: order.append(name)  # type: ignore[misc]
    rig.tick()
    assert order == ["a"]
    rig.tick()
    assert order == ["a", "b"]


def test_a_single_tick_waits_for_all_routes_at_its_end(rig: Rig) -> None:
    rig.begin("a", "b", once=True)
    rig.source.tick(rig.now)
    rig.source.finish(rig.now, 1.0)
    assert [len(rig.targets[name].orders) for name in ("a", "b")] == [1, 1]
    rig.source.close()
    assert rig.targets["a"].closed


def test_what_is_not_sent_is_a_remark(rig: Rig) -> None:
    (rig.root / "out.txt").symlink_to("/etc/passwd")
    rig.tick()
    assert rig.source.remarks("any") == [
        "sync hub: out.txt: it is a link that leads out of the root"
    ]


def test_a_file_that_is_too_large_is_told_and_does_not_stop_the_others(rig: Rig) -> None:
    target = rig.targets["hub"]
    (rig.root / "a.json").write_text("{}")
    big = Outcome(result="never", why="it is too large for the Hub (413)", status=413)
    seen = list[tuple[str, ...]]()
    for _ in range(8):
        target.wait = lambda: setattr(target, "outcome", _of(target.orders[-1], big, seen))
        told = rig.tick(15)
    assert seen == [("a.json", "main_log.txt"), ("a.json",), ("main_log.txt",)]
    (reading,) = told[EVERY]
    assert isinstance(reading, SyncReading)
    assert (reading.ok, reading.permanent) == (False, True)
    assert reading.why == "a.json: it is too large for the Hub (413)"


def _of(order: Order, big: Outcome, seen: list[tuple[str, ...]]) -> Outcome:
    names = tuple(piece.to for piece in order.pieces)
    seen.append(names)
    return big if "a.json" in names else Outcome(result="sent")
