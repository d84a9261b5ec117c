"""How a script ends: by itself, at its deadline, with its watcher, or handed over to the next one."""

import pytest

from tests.app.cron.scripts.worlds import MIN, Act, H, Watcher, World, at


def hours(first: int, last: int, day: int = 4) -> list[str]:
    return [f"{day:02} {hour:02}:00" for hour in range(first, last)]


def test_a_hang_is_ended_and_tried_again_next_time(world: World) -> None:
    world.put("/h/cron.hourly/du", Act(99 * H, tail="4.0K\tx\n"))
    watcher = Watcher(world).until(at("2026-05-04T02:45"))
    assert world.times("du") == hours(0, 3)
    assert watcher.codes("du") == [None] * 3
    assert watcher.told[0].took_s == 1800.0
    assert (watcher.told[0].how, watcher.told[0].why) == ("", "4.0K x")
    assert watcher.status("du").why == "was ended after its deadline: 4.0K x"


def test_a_failure_and_its_end(world: World) -> None:
    act = Act(code=2, tail="a\n\nb\nTOKEN=hf_abcdefghijklmnop\nquota: 97 %\n")
    world.put("/h/cron.hourly/quota", act)
    watcher = Watcher(world).until(at("2026-05-04T00:30"))
    (seen,) = watcher.told
    assert (seen.script, seen.exit_code, seen.took_s) == ("cron.hourly/quota", 2, 60.0)
    assert seen.why == "b | TOKEN=*** | quota: 97 %"
    assert watcher.status("quota").outcome == "failed"
    act.code = 0
    watcher.until(at("2026-05-04T01:30"))
    assert watcher.codes("quota") == [2, 0]
    assert watcher.status("quota").why == ""


@pytest.mark.parametrize("host", ["login1", "login2"])
def test_a_watcher_killed_in_the_middle(world: World, host: str) -> None:
    """Its script is not begun again in that period, and is said to be lost; the next period has its run."""
    world.put("/h/cron.hourly/copy", Act(20 * MIN))
    Watcher(world).until(at("2026-05-04T00:05")).killed()
    watcher = Watcher(world, host)
    watcher.until(at("2026-05-04T00:59"))
    assert world.times("copy") == ["04 00:00"]
    (lost,) = watcher.told
    assert (lost.exit_code, lost.how) == (None, "was lost with its watcher on login1")
    # on another machine nobody knows before its deadline is over
    assert lost.at == at("2026-05-04T00:05" if host == "login1" else "2026-05-04T00:32")
    watcher.until(at("2026-05-04T01:30"))
    assert world.times("copy") == ["04 00:00", "04 01:00"]
    assert watcher.codes("copy") == [None, 0]


def test_an_orphan_is_not_doubled_and_is_ended_at_its_deadline(world: World) -> None:
    world.put("/h/cron.hourly/copy", Act(99 * H))
    Watcher(world, deadline_s=2 * H).until(at("2026-05-04T00:05")).killed(with_scripts=False)
    watcher = Watcher(world, deadline_s=2 * H).until(at("2026-05-04T02:00"))
    assert (world.times("copy"), watcher.told) == (["04 00:00"], [])
    watcher.until(at("2026-05-04T02:05"))
    assert watcher.told[0].how == "was ended after its deadline; its watcher was gone"
    assert world.times("copy") == ["04 00:00", "04 02:02"]
    assert sum(1 for path in world.living.values() if path) == 1


def test_handing_over(world: World) -> None:
    world.put("/h/cron.hourly/long", Act(20 * MIN))
    first = Watcher(world).until(at("2026-05-04T00:05"))
    told = first.scripts.close(world.now, 30.0)
    assert [(t.exit_code, t.how) for t in told] == [
        (None, "was ended when its watcher handed over")
    ]
    second = Watcher(world, "login2").until(at("2026-05-04T00:55"))
    assert world.times("long") == ["04 00:00"]
    assert second.told == []
    assert second.status("long").outcome == "ended"
    assert "handed over" in second.status("long").why
    second.until(at("2026-05-04T01:30"))
    assert second.codes("long") == [0]
    third = Watcher(world, "login3").until(at("2026-05-04T02:19"))
    told = third.scripts.close(world.now, 120.0)  # it ends while it is waited for
    assert [(t.exit_code, t.how) for t in told] == [(0, "")]


def test_what_does_not_fit_before_the_hand_over_is_left_to_the_successor(world: World) -> None:
    world.put("/h/cron.hourly/long", Act(20 * MIN))
    first = Watcher(world).until(at("2026-05-04T00:59"))
    first.scripts.close(world.now)
    world.now = at("2026-05-04T01:00")
    second = Watcher(world)
    for _ in range(9):
        second.tick(ends_at=at("2026-05-04T01:15"))
        world.now += MIN
    assert world.times("long") == ["04 00:00"]
    assert second.status("long").next_at == world.now
    third = Watcher(world).tick(ends_at=at("2026-05-04T02:00"))
    third.killed()
    assert world.times("long") == ["04 00:00", "04 01:09"]
    # one that never fits is begun in the end
    world.begun.clear()
    world.now = at("2026-05-04T05:00")
    Watcher(world).tick(ends_at=world.now + 60)
    assert world.times("long") == ["04 05:00"]


def test_what_cannot_be_started_has_failed(world: World) -> None:
    world.put("/h/cron.hourly/crlf")
    world.acts["/h/cron.hourly/crlf"].breaks = FileNotFoundError(2, "No such file or directory")
    world.put("/h/cron.hourly/good")
    watcher = Watcher(world).until(at("2026-05-04T02:30"))
    assert watcher.codes("crlf") == [126] * 3
    assert watcher.codes("good") == [0] * 3
    assert watcher.told[0].how == "could not be started"
    assert "CR line ends" in watcher.told[0].why


def test_two_watchers_and_one_that_hangs(world: World) -> None:
    """A watcher that lives and does nothing keeps its script only for as long as the script may take."""
    world.put("/h/cron.hourly/copy", Act(99 * H))
    Watcher(world).tick()
    for pid in [pid for pid, path in world.living.items() if path]:
        del world.living[pid]
    other = Watcher(world)
    world.now += MIN
    other.until(at("2026-05-04T00:59"))
    assert [seen.at for seen in other.told] == [at("2026-05-04T00:32")]
    assert world.times("copy") == ["04 00:00"]
