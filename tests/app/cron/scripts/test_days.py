"""Days of scripts, minute by minute: each has its turn, and clocks that are set harm nobody."""

from tests.app.cron.scripts.worlds import DAY, MIN, Act, H, Watcher, World, at


def test_a_day(world: World) -> None:
    """A missed night, an overlap, a failure and a hang, all in one day and the next morning."""
    world.now = at("2026-05-04T07:30")
    world.put("/h/cron.hourly/quota", Act(20.0))
    world.put("/h/cron.hourly/slow", Act(70 * MIN))
    world.put("/h/cron.daily/fails", Act(9.0, 3, "\x1b[31mno token\x1b[0m\n"))
    world.put("/h/cron.daily/hangs", Act(99 * DAY))
    first = Watcher(world, deadline_s=100 * MIN)
    first.until(at("2026-05-04T23:00"))
    first.killed()
    # each once at first sight; then the slow one and the hang delay the others, and nothing overlaps
    assert len(world.times("fails")) == len(world.times("hangs")) == 1
    assert first.codes("fails") == [3]
    assert first.told[[s.script for s in first.told].index("cron.daily/fails")].why == "no token"
    assert first.codes("hangs") == [None]
    assert set(first.codes("slow")) == {0}
    began = [moment for moment, _ in world.begun]
    assert began == sorted(began)
    per_hour = [when[:5] for when in world.times("quota")]
    assert len(per_hour) == len(set(per_hour))
    world.begun.clear()
    world.now = at("2026-05-05T09:00")
    second = Watcher(world).until(at("2026-05-05T10:00"))
    assert [path for _, path in world.begun].count("/h/cron.hourly/quota") == 1
    assert len(world.times("fails")) == len(world.times("hangs")) == 1
    assert second.codes("quota") == [0]


def test_hourly_and_daily_in_a_quiet_week(world: World) -> None:
    world.put("/h/cron.hourly/a")
    world.put("/h/cron.hourly/b", Act(90.0))
    world.put("/h/cron.daily/c")
    watcher = Watcher(world).until(world.now + 2 * DAY)
    assert len(world.times("a")) == len(world.times("b")) == 48
    # at first sight, though it is before four; then each day at four, behind the hourly ones
    assert [when[:4] for when in world.times("c")] == ["04 0", "04 0", "05 0"]
    assert world.times("c")[0] == "04 00:03"
    assert all(when[3:5] == "04" for when in world.times("c")[1:])
    assert set(watcher.codes("")) == {0}
    assert watcher.scripts.troubles == ()
    assert not watcher.scripts.busy
    status = watcher.status("cron.daily/c")
    assert (status.outcome, status.exit_code, status.period) == ("ok", 0, "daily")
    assert status.next_at == at("2026-05-06T04:00")


def test_a_missed_night(world: World) -> None:
    world.put("/h/cron.hourly/quota")
    world.put("/h/cron.daily/report")
    Watcher(world).until(at("2026-05-04T23:00")).killed()
    assert world.times("report") == ["04 00:01", "04 04:00"]
    world.begun.clear()
    world.now = at("2026-05-05T09:00")
    Watcher(world, "login2").until(at("2026-05-05T11:30"))
    assert world.times("report") == ["05 09:00"]  # whoever waited longest comes first
    assert world.times("quota") == ["05 09:01", "05 10:00", "05 11:00"]


def test_one_that_takes_longer_than_its_period_does_not_overlap(world: World) -> None:
    world.put("/h/cron.hourly/slow", Act(90 * MIN))
    watcher = Watcher(world, deadline_s=5 * H).until(at("2026-05-04T10:00"))
    assert world.times("slow") == [
        *("04 00:00", "04 01:30", "04 03:00", "04 04:30", "04 06:00", "04 07:30", "04 09:00")
    ]
    assert watcher.codes("slow") == [0] * 6
    assert watcher.status("slow").outcome == "running"
    assert watcher.scripts.busy


def test_days_on_which_clocks_are_set(world: World) -> None:
    world.put("/h/cron.hourly/h")
    world.put("/h/cron.daily/d")
    for day, count in (("2026-10-25", 25), ("2026-03-29", 23)):
        world.begun.clear()
        world.ledger_path.unlink(missing_ok=True)
        world.now = at(f"{day}T00:00")
        Watcher(world).until(world.now + count * H)
        assert len(world.times("/h")) == count
        assert len(world.times("/d")) == 2  # at first sight, and at four


def test_a_clock_that_is_set_back(world: World) -> None:
    world.put("/h/cron.hourly/h")
    watcher = Watcher(world).until(at("2026-05-04T10:20"))
    for back_s in (10 * MIN, H, 5 * H, 400 * DAY):
        world.begun.clear()
        world.now -= back_s
        watcher.until(world.now + 5 * H)
        assert 3 <= len(world.begun) <= 5
        gaps = [b - a for (a, _), (b, _) in zip(world.begun, world.begun[1:], strict=False)]
        assert all(gap == H for gap in gaps)


def test_many_scripts_have_their_turn(world: World) -> None:
    """Also when they take longer than there is time: none is left out for ever."""
    for number in range(9):
        world.put(f"/h/cron.hourly/s{number}", Act(10 * MIN))
    Watcher(world).until(world.now + 9 * H)
    counts = [len(world.times(f"s{number}")) for number in range(9)]
    assert sum(counts) >= 48
    assert max(counts) - min(counts) <= 1
