"""Backups beside the watch: only where allowed, one at a time, by a child that ends with the watch."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.adapters.checkpoints.backup.far import order, unheard, vault
from tests.adapters.checkpoints.disk import names
from tests.app.checkpoints.test_looking import World, made
from trainwatch.adapters.checkpoints.backup.distant import Distant
from trainwatch.adapters.checkpoints.backup.errors import FarTrouble
from trainwatch.app.checkpoints.desk import Desk
from trainwatch.app.checkpoints.looking import Looking
from trainwatch.app.checkpoints.safe import Shelves, Vault
from trainwatch.app.checkpoints.settings import BackupSettings, CheckpointSettings
from trainwatch.app.config import RunSettings
from trainwatch.core.model.backups import Copy, Made, Place


class Backed:
    """A watched run with a place for backups."""

    def __init__(self, tmp_path: Path, *, apply: bool = True, acts: bool = True) -> None:
        self.far, self.held = tmp_path / "far", 0
        self.far.mkdir()
        keeps = CheckpointSettings(keep_last=2, apply=True)
        self.world: World = made(tmp_path, keeps)
        settings = BackupSettings(to=str(self.far), every=30, apply=apply)
        self.vault: Vault = vault(self.far)
        self.shelves = Shelves(
            root=str(self.world.root),
            run="tr",
            settings=(settings,),
            vaults=(self.vault,),
            hold=self._hold,
            now=lambda: self.world.now,
        )
        self.looking = Looking(self._desk, acts=acts)
        self.looking.add(self.world.run)

    def _desk(self, run: RunSettings) -> Desk:
        return self.world.desk(run)._replace(shelves=self.shelves)

    @contextmanager
    def _hold(self) -> Iterator[Callable[[], None]]:
        self.held += 1
        assert self.held == 1, "one at a time"
        try:
            yield lambda: None
        finally:
            self.held -= 1

    def until(self, done: Callable[[], bool]) -> None:
        """Ticks, a minute apart by the hand-wound clock, until it is so."""
        deadline = time.monotonic() + 30
        while not done():
            assert time.monotonic() < deadline
            self.looking.tick(self.world.now)
            self.world.now += 60.0
            time.sleep(0.005)

    def labels(self) -> list[str]:
        return sorted(head.label for head in vault(self.far).look().backups)


def test_what_is_wanted_is_backed_up_and_only_then_pruned(tmp_path: Path) -> None:
    backed = Backed(tmp_path)
    backed.until(lambda: names(backed.world.root) == [30, 60, 70])
    backed.until(lambda: backed.labels() == ["global_step30", "global_step60"])
    backed.until(lambda: names(backed.world.root) == [60, 70])
    assert vault(backed.far).verify("global_step30", unheard) == ()
    assert backed.looking.remarks("tr") == ()
    backed.looking.close()


@pytest.mark.parametrize(("apply", "acts"), [(False, True), (True, False)])
def test_nothing_is_copied_where_nobody_allowed_it(tmp_path: Path, apply: bool, acts: bool) -> None:
    backed = Backed(tmp_path, apply=apply, acts=acts)
    seen = list[object]()

    def looked() -> bool:
        seen.extend(backed.looking.tick(backed.world.now))
        return len(seen) >= 2

    backed.world.now += 1200.0
    backed.until(looked)
    assert list(backed.far.iterdir()) == []
    backed.looking.close()


def test_a_backup_that_fails_is_remarked_and_tried_again_after_an_hour(tmp_path: Path) -> None:
    backed = Backed(tmp_path)
    backed.shelves = backed.shelves._replace(vaults=(_Failing(vault(backed.far)),))
    backed.until(lambda: bool(backed.looking.remarks("tr")))
    why = f"backup of global_step60 to {backed.far}/tr: the network is down"
    assert backed.looking.remarks("tr") == (why,)
    backed.until(lambda: backed.labels() == ["global_step30", "global_step60"])
    backed.until(lambda: backed.looking.remarks("tr") == ())
    backed.looking.close()


class _Failing:
    """A place whose network is down at first."""

    def __init__(self, real: Vault) -> None:
        self.place, self.look, self.missing = real.place, real.look, real.missing
        self.close, self._real, self._asked = real.close, real, 0

    def make(self, wanted: Copy, told: Callable[[str, int], None]) -> Made:
        """See Vault."""
        self._asked += 1
        if self._asked == 1:
            raise FarTrouble("the network is down", again=True)
        return self._real.make(wanted, told)


def test_a_place_that_is_gone_is_remarked_and_nothing_wanted_there_is_pruned(
    tmp_path: Path,
) -> None:
    backed = Backed(tmp_path)
    backed.far.rmdir()
    backed.until(lambda: bool(backed.looking.remarks("tr")))
    assert "does not exist (is it mounted?)" in backed.looking.remarks("tr")[0]
    assert {30, 60} <= set(names(backed.world.root))
    backed.looking.close()


def test_a_child_does_the_same_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    world = made(tmp_path, CheckpointSettings())
    (tmp_path / "far").mkdir()
    place = Place(to=str(tmp_path / "far"), into="tr")
    distant = Distant(place, time.monotonic)
    assert distant.look().backups == ()
    head = distant.make(order(world.root), unheard).head
    assert distant.look().backups == (head,)
    assert distant.missing(head.label) == ()
    slow = Distant(Place(to=place.to, into="slow", bytes_per_s=1.0), time.monotonic)

    def closes(_: str, __: int) -> None:
        slow.close()

    with pytest.raises(FarTrouble, match="trainwatch ended meanwhile"):
        slow.make(order(world.root), closes)
    assert vault(place.to, "slow").look().backups == ()
    gone = Distant(Place(to=str(tmp_path / "nowhere")), time.monotonic)
    with pytest.raises(FarTrouble, match="does not exist"):
        gone.look()
