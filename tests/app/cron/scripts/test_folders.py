"""Folders of scripts: empty, gone, unmounted, hanging, several; and scripts that are disabled."""

import threading
from contextlib import nullcontext
from pathlib import Path

from tests.app.cron.scripts.worlds import MIN, Act, Watcher, World, at
from trainwatch.adapters.scripts import LedgerFile
from trainwatch.core.model.scripts import Listing
from trainwatch.core.periods import Period


def test_an_empty_folder_and_one_that_is_not_there(world: World) -> None:
    del world.folders["/h/cron.daily"]
    watcher = Watcher(world).until(at("2026-05-04T03:00"))
    assert (world.begun, watcher.told, watcher.scripts.statuses(world.now)) == ([], [], ())
    (trouble,) = watcher.scripts.troubles
    assert trouble == "/h/cron.daily (daily scripts): no such file or directory"
    world.put("/h/cron.daily/late")
    watcher.tick()
    assert list(watcher.scripts.troubles) == []
    assert world.times("late") == ["04 03:00"]


def test_no_folders_at_all(world: World) -> None:
    watcher = Watcher(world, folders={}).until(at("2026-05-04T00:05"))
    assert not watcher.scripts.busy
    assert watcher.scripts.close(world.now) == []


def test_one_that_is_disabled_is_over(world: World) -> None:
    """Its alert too: nobody can make it work any more. Enabled again, it waits for its period."""
    world.put("/h/cron.hourly/bad", Act(code=1))
    watcher = Watcher(world).until(at("2026-05-04T00:10"))
    world.remove("/h/cron.hourly/bad")
    watcher.until(at("2026-05-04T00:30"))
    assert watcher.codes("bad") == [1, 0]
    assert watcher.told[-1].why == "it is not there any more: removed, or disabled"
    watcher.until(at("2026-05-04T03:30"))
    assert (len(watcher.told), world.times("bad")) == (2, ["04 00:00"])
    assert watcher.scripts.statuses(world.now) == ()
    world.put("/h/cron.hourly/bad")
    watcher.until(at("2026-05-04T03:40"))
    assert world.times("bad") == ["04 00:00", "04 03:30"]


def test_a_folder_that_is_unmounted_takes_nothing_back(world: World) -> None:
    world.put("/h/cron.hourly/bad", Act(code=1))
    watcher = Watcher(world).until(at("2026-05-04T00:10"))
    kept = world.folders.pop("/h/cron.hourly")
    watcher.until(at("2026-05-04T00:30"))
    assert watcher.codes("bad") == [1]
    world.folders["/h/cron.hourly"] = kept
    watcher.until(at("2026-05-04T00:50"))
    assert watcher.codes("bad") == [1]


def test_disabled_while_it_runs(world: World) -> None:
    world.put("/h/cron.hourly/bad", Act(10 * MIN, code=1))
    watcher = Watcher(world).until(at("2026-05-04T00:05"))
    world.remove("/h/cron.hourly/bad")
    watcher.until(at("2026-05-04T00:30"))
    assert watcher.codes("bad") == [1, 0]


def test_several_folders_with_the_same_names(world: World) -> None:
    world.put("/h/ada/cron.hourly/quota", Act(code=1))
    world.put("/h/bob/cron.hourly/quota")
    folders: dict[Period, tuple[str, ...]] = {
        "hourly": ("/h/ada/cron.hourly", "/h/bob/cron.hourly")
    }
    watcher = Watcher(world, folders=folders).until(at("2026-05-04T02:30"))
    assert len(world.begun) == 6
    assert watcher.codes("ada/cron.hourly/quota") == [1] * 3
    assert watcher.codes("bob/cron.hourly/quota") == [0] * 3
    assert len({s.name for s in watcher.scripts.statuses(world.now)}) == 2
    outputs = {s.output for s in watcher.scripts._look.scripts}
    assert "hourly/quota.out" in outputs
    assert len(outputs) == 2


def test_a_look_that_hangs(world: World) -> None:
    """A folder on a dead disk: it is said, nothing waits for it, and closing begins nothing more."""
    world.put("/h/cron.hourly/quota")
    watcher = Watcher(world)
    dead = threading.Event()
    listed = watcher.host.listed

    def hangs(path: str) -> Listing:
        dead.wait(20)
        return listed(path)

    watcher.host.listed = hangs  # type: ignore[method-assign]
    watcher.scripts._patience_s = 0.0
    for _ in range(3):
        assert watcher.tick().scripts.busy
        world.now += 50
    watcher.tick()
    assert not watcher.scripts.busy  # whoever ticks once does not wait for ever
    (trouble,) = watcher.scripts.troubles
    assert trouble.startswith("looking for scripts hangs")
    threading.Timer(0.2, dead.set).start()
    assert watcher.scripts.close(world.now, 10.0) == []
    assert (world.begun, watcher.told) == ([], [])


def test_a_bug_in_looking_ends_nothing(world: World) -> None:
    class Broken(LedgerFile):
        def read(self) -> None:
            raise RuntimeError("a bug")

    watcher = Watcher(world, ledger=Broken(world.ledger_path, Path.write_bytes, nullcontext))  # type: ignore[arg-type]
    assert watcher.scripts.tick(world.now) == []
    assert watcher.scripts.troubles == ("looking for scripts failed with RuntimeError: a bug",)
    assert not watcher.scripts.busy
