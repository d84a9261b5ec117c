"""The ledger that keeps a script from running twice: shared, full, held, damaged."""

from tests.app.cron.scripts.worlds import MIN, Act, Watcher, World, at


def test_two_watchers_with_one_ledger(world: World) -> None:
    world.put("/h/cron.hourly/a", Act(10 * MIN))
    world.put("/h/cron.hourly/b", Act(10 * MIN))
    one, other = Watcher(world), Watcher(world, "login2")
    while world.now < at("2026-05-04T06:00"):
        one.tick()
        other.tick()
        world.now += MIN
    assert len(world.times("a")) == len(world.times("b")) == 6
    assert len(one.codes("") + other.codes("")) == 12


def test_nothing_begins_that_cannot_stand_in_the_ledger(world: World) -> None:
    world.put("/h/cron.hourly/quota")
    world.full = True
    watcher = Watcher(world).until(at("2026-05-04T00:30"))
    assert world.begun == []
    (trouble,) = watcher.scripts.troubles
    assert trouble.startswith("cron.hourly/quota is not begun: ")
    assert trouble.endswith("No space left on device")
    world.full = False
    watcher.until(at("2026-05-04T00:40"))
    assert world.times("quota") == ["04 00:30"]
    assert watcher.scripts.troubles == ()


def test_a_disk_that_fills_meanwhile(world: World) -> None:
    """Ends that cannot be written are kept in mind: it runs neither again, nor never."""
    world.put("/h/cron.hourly/quota", Act(5 * MIN))
    watcher = Watcher(world).until(at("2026-05-04T00:02"))
    world.full = True
    watcher.until(at("2026-05-04T01:30"))
    assert world.times("quota") == ["04 00:00"]
    assert watcher.codes("quota") == [0]
    assert watcher.status("quota").outcome == "ok"
    unwritten, refused = watcher.scripts.troubles
    assert refused.startswith("cron.hourly/quota is not begun: ")
    assert unwritten.startswith("the ledger of scripts cannot be written: ")
    world.full = False
    watcher.until(at("2026-05-04T01:40"))
    assert world.times("quota") == ["04 00:00", "04 01:30"]


def test_a_ledger_that_somebody_else_holds(world: World) -> None:
    world.put("/h/cron.hourly/quota")
    world.held = True
    watcher = Watcher(world).until(at("2026-05-04T00:10"))
    assert world.begun == []
    assert "another trainwatch writes it" in watcher.scripts.troubles[0]


def test_a_ledger_that_is_removed_or_damaged_runs_nothing_twice(world: World) -> None:
    world.put("/h/cron.hourly/quota")
    watcher = Watcher(world).until(at("2026-05-04T00:10"))
    world.ledger_path.unlink()
    watcher.until(at("2026-05-04T00:20"))
    world.ledger_path.write_bytes(b"{")
    watcher.until(at("2026-05-04T00:30"))
    assert world.times("quota") == ["04 00:00"]
    world.ledger_path.write_bytes(b"{")
    watcher.killed()
    other = Watcher(world, "login2").tick()  # it knows of nothing
    assert other.scripts.troubles == (
        "the ledger of scripts was damaged: all wait for their next period",
    )
    other.until(at("2026-05-04T01:30"))
    assert world.times("quota") == ["04 00:00", "04 01:00"]
