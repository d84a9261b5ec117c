"""What the processes of a command say of a run: deaths, stalls, launchers without workers."""

from typing import Any

import pytest

from tests.core.judging import T0, Judged
from tests.core.processes.making import (
    INT,
    KILL,
    end,
    living,
    over,
    seen_through,
    trained,
)
from trainwatch.core.model.observations import ProcessReading


def test_a_death_is_told_at_once_and_ended_by_the_next_iteration() -> None:
    run = trained().see(over(T0 + 305, signal=KILL))
    assert run.told("crash") == ["firing"]
    told = next(change for change in run.changes if change.rule == "crash")
    assert "killed by SIGKILL" in told.summary
    assert told.severity == "critical"
    run.wait(60).see(living(run.at, began_at=run.at)).train(31, 32)
    assert run.told("crash") == ["firing", "resolved"]


@pytest.mark.parametrize(
    "seen", [{"exit_code": 0}, {"signal": INT}, {"exit_code": 1, "asked": INT}]
)
def test_what_ends_as_it_should_is_no_crash(seen: dict[str, int]) -> None:
    assert trained().see(over(T0 + 305, **seen)).wait(7200).firing() == []


def test_a_death_before_the_first_line_is_a_crash() -> None:
    run = Judged()
    run.see(living(run.at)).see(over(run.at + 2, exit_code=127))
    assert run.told("crash") == ["firing"]


def test_a_crash_survives_the_watcher() -> None:
    run = trained().see(over(T0 + 305, signal=KILL)).reborn().wait(600)
    assert run.fires("crash")
    assert run.told("crash") == ["firing"]


@pytest.mark.parametrize(
    ("burnt", "said"),
    [
        (8.0, "its 9 processes burn 8 processors, as those do that wait in a collective"),
        (0.001, "its 9 processes idle, as those do that wait for a lock or a disk"),
    ],
)
def test_a_stall_says_what_the_processes_do(burnt: float, said: str) -> None:
    run, cpu_s = trained(), 1e4
    for _ in range(4 * 30):
        run.wait(15)
        cpu_s += 15 * burnt
        run.see(living(run.at, cpu_s=cpu_s))
    (told,) = [c for c in run.changes if c.rule == "stall" and c.change == "firing"]
    assert said in told.summary
    assert "ctrl+c" in told.advice


def test_a_stall_does_not_say_what_nobody_saw_lately() -> None:
    run = seen_through(trained(), 60).wait(3600)
    (told,) = [c for c in run.changes if c.rule == "stall" and c.change == "firing"]
    assert "processes" not in told.summary
    assert "processors" not in told.summary


def test_a_log_that_nobody_understands_is_blindness_and_no_stall() -> None:
    run = Judged()
    run.see(living(run.at)).read("hello")
    seen_through(run, 4 * 3600, every_s=60)
    assert run.firing() == ["blind"]


def test_a_reading_that_could_not_be_had_is_neither_health_nor_death() -> None:
    run = trained()
    for _ in range(20):
        run.wait(15)
        run.see(ProcessReading(at=run.at, began_at=T0, state="unknown", why="denied"))
    assert run.firing() == []
    assert end(run) is None
    assert len(run.state.attempts) == 1


def alone(run: Judged, seconds: float, **more: Any) -> Judged:
    left = {"count": 1, "workers": 0, "zombies": 8, "cpu_s": 2e4} | more
    return seen_through(run, seconds, **left)


def test_a_launcher_whose_workers_are_gone_is_told() -> None:
    run = alone(seen_through(trained(), 60), 480)
    assert run.told("crash") == []
    alone(run, 120)
    assert run.told("crash") == ["firing"]
    told = run.changes[-1]
    assert told.summary.startswith(
        "its launcher lives, and all 8 processes that it launched are gone"
    )
    assert "8 of them zombies" in told.summary


def test_an_iteration_ends_it() -> None:
    run = alone(seen_through(trained(), 60), 720)
    run.see(living(run.at + 1)).train(31, 33)
    assert run.told("crash") == ["firing", "resolved"]


def test_while_nobody_sees_them_it_is_not_over() -> None:
    run = alone(seen_through(trained(), 60), 720).wait(900)
    assert run.told("crash") == ["firing"]
    assert run.fires("crash", "launcher")


@pytest.mark.parametrize(
    "more",
    [
        {"workers": 1},  # some live
        {"exit_code": 1},  # the launcher itself ended
        {"workers": None},  # nobody could count them
    ],
)
def test_what_is_no_launcher_that_is_left_alone(more: dict[str, Any]) -> None:
    assert alone(seen_through(trained(), 60), 900, **more).told("crash") == []


def test_one_that_works_on_by_itself_is_no_launcher() -> None:
    run, cpu_s = seen_through(trained(), 60), 2e4
    for _ in range(60):
        run.wait(15)
        cpu_s += 14
        run.see(living(run.at, count=1, workers=0, cpu_s=cpu_s))
    assert run.told("crash") == []


def test_helpers_that_come_and_go_while_it_trains_are_nothing() -> None:
    run = seen_through(trained(), 60)
    for number in range(31, 130):
        run.see(living(run.at, count=1, workers=0, cpu_s=2e4)).train(number, number)
    assert run.told("crash") == []
