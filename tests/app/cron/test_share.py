"""Which runs a shard watches: its own, and those that nobody watches any more."""

from collections.abc import Sequence

import pytest

from tests.fakes import MemoryLog, MemoryStore
from trainwatch.app.config import RunSettings
from trainwatch.app.cron.share import Found, Share
from trainwatch.app.watched import Watched
from trainwatch.core.chain import share_of
from trainwatch.core.errors import LeaseHeld, UsageError
from trainwatch.core.logs.scan import Scanner

NAMES = [f"run{n}" for n in range(12)]
T0, LOST_S = 1_000_000.0, 240.0


class Cluster:
    """Twelve runs, their heartbeats, and who holds their leases."""

    def __init__(self) -> None:
        self.names = list(NAMES)
        self.beats = dict[str, float | None]()
        self.held = set[str]()
        self.tried = list[str]()
        self.broken = False

    def runs(self) -> Sequence[RunSettings]:
        if self.broken:
            raise UsageError("no run is configured")
        return [RunSettings(log=f"/logs/{name}.out", name=name) for name in self.names]

    def key(self, run: RunSettings) -> str:
        return run.name or ""

    def heartbeat(self, run: RunSettings) -> float | None:
        return self.beats.get(run.name or "")

    def watch(self, run: RunSettings) -> Watched:
        name = run.name or ""
        self.tried.append(name)
        if name in self.held:
            raise LeaseHeld(f"another trainwatch writes {name}")
        self.held.add(name)
        log = MemoryLog()
        log.write(b"hello\n")
        return Watched(name, run.log, log, MemoryStore(), Scanner())


def names(found: Sequence[Found]) -> list[str]:
    return [each.watched.name for each in found]


def own(index: int, shards: int = 2) -> list[str]:
    return [name for name in NAMES if share_of(name, shards) == index]


def test_two_shards_share_all_runs() -> None:
    cluster = Cluster()
    shares = [Share(cluster, index, 2, T0, LOST_S) for index in range(2)]
    taken = [names(share.first()) for share in shares]
    assert taken == [own(0), own(1)]
    assert sorted([*taken[0], *taken[1]]) == sorted(NAMES)
    assert own(0)
    assert own(1)


def test_a_run_of_ours_that_was_held_is_had_when_it_is_free() -> None:
    cluster = Cluster()
    mine = own(0)
    cluster.held.add(mine[0])
    share = Share(cluster, 0, 2, T0, LOST_S)
    assert names(share.first()) == mine[1:]
    assert "another trainwatch" in share.left[mine[0]]
    assert share.more(T0 + 60.0) == []
    cluster.held.remove(mine[0])
    assert share.more(T0 + 90.0) == []  # each minute
    assert names(share.more(T0 + 120.0)) == [mine[0]]
    assert share.left == {}


def test_runs_of_a_lost_shard_are_taken_over_and_those_of_a_busy_one_are_not() -> None:
    cluster = Cluster()
    share = Share(cluster, 0, 2, T0, LOST_S)
    share.first()
    theirs = own(1)
    now = T0 + 1000.0
    cluster.beats = dict.fromkeys(theirs, now - LOST_S + 1.0)
    cluster.beats[theirs[0]] = now - LOST_S
    assert names(share.more(now)) == [theirs[0]]
    assert share.taken == {theirs[0]}
    assert set(cluster.tried) == {*own(0), theirs[0]}


def test_runs_that_no_shard_ever_watched_are_had_some_time_after_our_start() -> None:
    cluster = Cluster()
    share = Share(cluster, 0, 2, T0, LOST_S)
    share.first()
    assert share.more(T0 + LOST_S - 1.0) == []
    assert sorted(names(share.more(T0 + LOST_S + 60.0))) == sorted(own(1))


def test_a_store_that_another_took_from_us_is_not_ours_any_more() -> None:
    cluster = Cluster()
    share = Share(cluster, 0, 1, T0, LOST_S)
    lost = share.first()[3].watched
    assert share.more(T0 + 60.0, [lost]) == []
    assert cluster.tried.count(lost.name) == 2
    cluster.held.remove(lost.name)
    assert names(share.more(T0 + 120.0)) == [lost.name]


def test_a_log_that_came_later_is_watched_too() -> None:
    cluster = Cluster()
    share = Share(cluster, 0, 1, T0, LOST_S)
    share.first()
    cluster.names.append("new")
    assert names(share.more(T0 + 60.0)) == ["new"]


def test_a_minute_tries_so_many_and_the_next_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainwatch.app.cron.share._MOST_TRIED", 5)
    cluster = Cluster()
    cluster.held = set(NAMES)
    share = Share(cluster, 0, 1, T0, LOST_S)
    share.first()
    cluster.tried.clear()
    for minute in range(1, 4):
        share.more(T0 + 60.0 * minute)
    assert sorted(cluster.tried) == sorted(NAMES)


def test_without_a_configuration_that_works_we_go_on_with_what_we_have() -> None:
    cluster = Cluster()
    share = Share(cluster, 0, 1, T0, LOST_S)
    share.first()
    cluster.broken = True
    assert share.more(T0 + 60.0) == []
    assert share.elsewhere() == {}
    with pytest.raises(UsageError):
        Share(cluster, 0, 1, T0, LOST_S).first()


def test_where_others_are() -> None:
    cluster = Cluster()
    share = Share(cluster, 0, 2, T0, LOST_S)
    share.first()
    cluster.beats = {own(1)[0]: T0}
    assert share.elsewhere() == dict.fromkeys(own(1)) | {own(1)[0]: T0}
