"""Many runs read for the screen: a few at once, each by itself, and none harmed by another."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.viewed import iteration
from trainwatch.app import clock, config, wirefleet
from trainwatch.app.config import Settings
from trainwatch.app.fleet import FleetSource, Listed
from trainwatch.app.wire import Site
from trainwatch.core.errors import StoreUnusable, UsageError
from trainwatch.core.model.fleet import Fleet, FleetRow
from trainwatch.core.model.snapshot import Wanted
from trainwatch.core.model.status import Status

NOW = 1_773_277_380.0


class Store:
    """A run's store, and what it was asked."""

    def __init__(self, listed: Listed, make: Callable[[Status], FleetRow]) -> None:
        self.status = Status(run=listed.name, health="ok", iteration=1, heartbeat_at=NOW)
        self.make = make
        self.error: Exception | None = None
        self.looks, self.tails = 0, 0

    def look(self) -> FleetRow | None:
        self.looks += 1
        if self.error is not None:
            raise self.error
        return self.make(self.status)

    def tail(self, names: Sequence[str], rows: int) -> "Mapping[str, array[float]]":
        self.tails += 1
        if self.error is not None:
            raise self.error
        return {name: array("d", [2.0] * 24) for name in names}


class World:
    """So many runs, a clock, and a source of them."""

    def __init__(self, runs: int, at_once: int = 200) -> None:
        self.listed: list[Listed] | Exception = [
            Listed(f"k{n}", f"run-{n}", f"/log/{n}") for n in range(runs)
        ]
        self.stores = dict[str, Store]()
        self.now, self.asked = NOW, list[str]()
        self.source = FleetSource(
            self.list, self.open, lambda: self.now, owner=self.owner, asked_at_once=at_once
        )

    def read(self, *in_view: str) -> Fleet:
        """What is seen two seconds after the last read."""
        self.now += 2.0
        return self.source.read(in_view)

    def list(self) -> Sequence[Listed]:
        if isinstance(self.listed, Exception):
            raise self.listed
        return self.listed

    def open(self, listed: Listed, make: Callable[[Status], FleetRow]) -> Store:
        return self.stores.setdefault(listed.key, Store(listed, make))

    def owner(self, log: str) -> str:
        self.asked.append(log)
        return "ada"


def row(seen: Fleet, key: str) -> FleetRow:
    return next(row for row in seen.rows if row.key == key)


def test_so_many_files_are_asked_for_at_once_and_every_run_has_its_turn() -> None:
    world = World(10, at_once=4)
    assert [world.read().unread for _ in range(4)] == [6, 2, 0, 0]
    for _ in range(5):
        before = {key: store.looks for key, store in world.stores.items()}
        for _turn in range(3):
            world.read()
        looks = [store.looks - before[key] for key, store in world.stores.items()]
        assert sum(looks) == 12
        assert min(looks) == 1


def test_runs_in_view_are_read_each_time_and_first() -> None:
    world = World(10, at_once=3)
    seen = world.read("k8", "k9")
    assert [row.key for row in seen.rows if row.why != "not read yet"] == ["k0", "k8", "k9"]
    for _ in range(4):
        world.read("k8", "k9")
    assert world.stores["k8"].looks == 5
    assert world.stores["k0"].looks == 1


def test_who_scrolls_has_only_new_runs_read() -> None:
    world = World(10)
    world.read("k0", "k1")
    world.now += 1.2
    for in_view in (("k0", "k1"), ("k1", "k2"), ("k2", "k3")):
        world.source.read(in_view)
    looks = [store.looks for store in world.stores.values()]
    assert looks == [2, 2, 2, 2, 1, 1, 1, 1, 1, 1]


def test_a_clock_that_was_put_back_stops_nothing() -> None:
    world = World(3, at_once=3)
    world.read()
    world.now -= 3600
    world.read("k0")
    assert {store.looks for store in world.stores.values()} == {2}


def test_a_run_that_cannot_be_read_says_why_and_harms_no_other() -> None:
    world = World(5)
    world.read()
    world.stores["k0"].error = StoreUnusable("status.json is damaged")
    world.stores["k1"].error = PermissionError(13, "Permission denied", "/state/status.json")
    world.stores["k2"].error = ZeroDivisionError("oh")
    world.stores["k3"].status = replace(world.stores["k3"].status, iteration=7)
    seen = world.read("k0", "k1", "k3")
    assert [row.health for row in seen.rows] == ["unknown"] * 3 + ["ok"] * 2
    assert row(seen, "k0").why == "status.json is damaged"
    assert row(seen, "k1").why == "/state/status.json: Permission denied"
    assert "this is a bug" in row(seen, "k2").why
    assert row(seen, "k3").iteration == 7
    assert seen.speeds["k0"] == ()
    world.stores["k0"].error = None
    assert row(world.read(), "k0").health == "ok"


def test_a_silent_watcher_is_unknown_though_nothing_is_read_again() -> None:
    world = World(2)
    world.read()
    world.now += 7200
    world.stores["k1"].status = replace(world.stores["k1"].status, heartbeat_at=world.now)
    seen = world.read()
    assert (row(seen, "k0").health, row(seen, "k1").health) == ("unknown", "ok")
    assert row(seen, "k0").why == "watcher silent for 2 h (it said: ok)"


def test_speeds_are_read_of_runs_in_view_when_they_got_on() -> None:
    world = World(3)
    assert world.read().speeds == {}
    for _ in range(3):
        seen = world.read("k1", "gone")
    assert seen.speeds.keys() == {"k1"}
    assert set(seen.speeds["k1"]) == {1.0}
    assert [world.stores[key].tails for key in ("k0", "k1")] == [0, 1]
    world.stores["k1"].status = replace(world.stores["k1"].status, iteration=2)
    world.read("k1")
    assert world.stores["k1"].tails == 2


def test_new_runs_come_and_old_ones_go_after_a_while() -> None:
    world = World(2)
    world.read()
    world.listed = [Listed("k1", "run-1", "/log/1"), Listed("k7", "run-7", "/log/7")]
    assert [row.key for row in world.read().rows] == ["k0", "k1"]
    world.now += 61
    assert [row.key for row in world.read().rows] == ["k1", "k7"]
    world.now += 61
    world.listed = UsageError("no log matches")
    seen = world.read()
    assert (len(seen.rows), seen.trouble) == (2, "no log matches")
    world.now += 61
    world.listed = OSError(5, "Input/output error", "/state/runs")
    assert world.read().trouble == "/state/runs: Input/output error"
    world.now += 61
    world.listed = []
    assert world.read() == Fleet(at=world.now)


def test_an_owner_is_asked_for_once() -> None:
    world = World(1)
    for n in range(3):
        world.read()
        world.stores["k0"].status = replace(world.stores["k0"].status, iteration=n)
    assert world.read().rows[0].user == "ada"
    assert world.asked == ["/log/0"]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Two configured runs, and one that is only kept."""
    for name in ("one", "two", "three"):
        log = tmp_path / name / "main_log.txt"
        log.parent.mkdir()
        log.write_text("".join(iteration(n) for n in range(1, 31)))
    text = "".join(
        f'[[runs]]\nlog = "{tmp_path / name}/main_log.txt"\nproject = "P {name}"\n'
        for name in ("one", "two")
    )
    state_dir = tmp_path / "state"
    bare = Site(Settings(), state_dir)
    for name in ("one", "three"):
        watched = bare.watched(bare.run_of(str(tmp_path / name / "main_log.txt")))
        watched.tick(clock.now(), 0.0)
        watched.close()
    return Site(config.parse(text), state_dir)


def test_runs_as_they_are_configured(site: Site) -> None:
    seen = wirefleet.fleet(site).read()
    assert [(row.run, row.project) for row in seen.rows] == [("one", "P one"), ("two", "P two")]
    assert seen.rows[0].iteration == 30
    assert seen.rows[1].why == "nobody has watched it yet"


def test_all_runs_are_those_that_are_kept_too(site: Site) -> None:
    source = wirefleet.fleet(site, kept=True)
    seen = source.read()
    seen = source.read([row.key for row in seen.rows])
    assert [row.run for row in seen.rows] == ["one", "two", "three"]
    assert seen.rows[2].log.endswith("three/main_log.txt")
    assert len(seen.speeds[seen.rows[2].key]) == 12


@pytest.mark.parametrize("number", [0, 2])
def test_a_run_is_opened_once_it_is_read(site: Site, number: int) -> None:
    row = wirefleet.fleet(site, kept=True).read().rows[number]
    source = wirefleet.opened(site, row)
    assert source.read(Wanted(columns=frozenset(("loss",)))).history.rows == 30
    source.close()


def test_a_store_that_does_not_say_whose_it_is_cannot_be_opened(site: Site) -> None:
    row = FleetRow(key="odd-12345678", run="odd")
    source = wirefleet.opened(site, row)
    assert "odd-12345678 does not say which log" in source.read(Wanted()).trouble
    source.close()
