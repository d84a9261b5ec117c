"""What the processes of a command say of a run: attempts that begin and end with them, how, and alerts."""

from typing import Any

import pytest

from tests.core.judging import T0, Judged
from trainwatch.app import recording
from trainwatch.core.columns import Columns
from trainwatch.core.ending import end_of as end_of_attempt
from trainwatch.core.facts import Facts
from trainwatch.core.figures import figures_of
from trainwatch.core.health import health_of
from trainwatch.core.model.observations import ProcessReading
from trainwatch.core.processes import end_of, says_the_same

KILL, TERM, INT, HUP, SEGV = 9, 15, 2, 1, 11
FAULT = "RuntimeError: CUDA error: an illegal memory access was encountered"
BY_HAND = "KeyboardInterrupt"


def living(at: float, *, began_at: float = T0, **more: Any) -> ProcessReading:
    usual = {"count": 9, "workers": 8, "zombies": 0, "cpu_s": 8 * (at - T0), "rss_bytes": 1}
    return ProcessReading(at=at, began_at=began_at, alive=True, **(usual | more))


def over(at: float, *, began_at: float = T0, **more: Any) -> ProcessReading:
    return ProcessReading(at=at, began_at=began_at, alive=False, count=0, zombies=0, **more)


def trained(last: int = 30) -> Judged:
    """A command that has completed some iterations."""
    run = Judged()
    return run.see(living(run.at)).train(1, last)


def seen_through(run: Judged, seconds: float, every_s: float = 15.0, **more: Any) -> Judged:
    """Readings now and then, and nothing else."""
    for _ in range(int(seconds / every_s)):
        run.wait(every_s)
        run.see(living(run.at, **more))
    return run


def end(run: Judged) -> str | None:
    return end_of_attempt(run.state.attempts[-1], moved=run.state.open is not None)


# how a command ended


@pytest.mark.parametrize(
    ("seen", "how", "said"),
    [
        ({"exit_code": 0}, "exited", "exit code 0"),
        ({"exit_code": 3}, "crashed", "exit code 3"),
        ({"exit_code": 1, "asked": TERM}, "cancelled", "exit code 1"),
        ({"exit_code": 1, "asked": HUP}, "crashed", "exit code 1"),
        ({"signal": INT}, "cancelled", "killed by SIGINT"),
        ({"signal": TERM}, "killed", "killed by SIGTERM"),
        ({"signal": TERM, "asked": TERM}, "cancelled", "killed by SIGTERM"),
        ({"signal": KILL}, "killed", "killed by SIGKILL"),
        ({"signal": KILL, "oom_kills": 0}, "killed", "killed by SIGKILL"),
        ({"signal": KILL, "oom_kills": 1}, "out-of-memory", "killed by SIGKILL; the kernel ended"),
        ({"exit_code": 137, "oom_kills": 1}, "out-of-memory", "exit code 137, a shell's word for"),
        ({"exit_code": 137}, "killed", "exit code 137, a shell's word for SIGKILL"),
        ({"exit_code": 1, "oom_kills": 1}, "crashed", "exit code 1"),
        ({"signal": HUP}, "killed", "killed by SIGHUP: its terminal went away"),
        ({"signal": HUP, "asked": HUP}, "killed", "killed by SIGHUP: its terminal went away"),
        ({"signal": SEGV}, "crashed", "killed by SIGSEGV"),
        ({"exit_code": 139}, "crashed", "exit code 139, a shell's word for SIGSEGV"),
        ({"exit_code": 255}, "crashed", "exit code 255"),
        ({"signal": 77}, "killed", "killed by signal 77"),
        ({}, "unknown", "its processes are gone, and nobody saw how they ended"),
    ],
)
def test_how_a_command_ended(seen: dict[str, int], how: str, said: str) -> None:
    died = end_of(over(T0 + 9, **seen), living(T0), is_done=False)
    assert died.how == how
    assert died.said.startswith(said)


def test_a_kill_for_memory_that_was_known_before_says_nothing_of_this_end() -> None:
    before = living(T0, oom_kills=2)
    assert end_of(over(T0 + 9, signal=KILL, oom_kills=2), before, is_done=False).how == "killed"
    found = end_of(over(T0 + 9, signal=KILL, oom_kills=3), before, is_done=False)
    assert found.how == "out-of-memory"


def test_exit_code_0_at_the_target_is_complete() -> None:
    assert end_of(over(T0, exit_code=0), None, is_done=True).how == "completed"
    assert end_of(over(T0, exit_code=1), None, is_done=True).how == "crashed"


# attempts


def test_a_command_is_an_attempt_though_it_never_wrote_a_line() -> None:
    run = Judged()
    run.see(living(run.at + 1, offset=0))
    (attempt,) = run.state.attempts
    assert attempt.reason == "command started"
    assert attempt.began_at is not None
    assert attempt.began_at.at == T0
    assert (run.state.speaks, run.state.phase) == (False, "startup")


def test_readings_of_one_command_are_one_attempt_and_the_next_command_another() -> None:
    run = trained()
    for seconds in (15, 30):
        run.see(living(T0 + 300 + seconds))
    assert [a.reason for a in run.state.attempts] == ["command started"]
    run.see(over(run.at + 1, exit_code=1)).see(living(run.at + 60, began_at=T0 + 900))
    assert [a.reason for a in run.state.attempts] == ["command started"] * 2
    run.train(31, 33)
    assert [end_of_attempt(a, moved=True) for a in run.state.attempts] == ["crashed", None]


def test_what_begins_in_the_log_of_a_command_is_its_attempt() -> None:
    run = Judged()
    run.see(living(run.at)).read(
        "using world size: 8, data-parallel-size: 8, tensor-model-parallel"
    )
    assert len(run.state.attempts) == 1


def test_an_attempt_that_was_in_the_log_before_is_not_the_commands() -> None:
    run = Judged().train(1, 5)
    run.see(living(run.at, began_at=run.at - 1)).train(6, 8)
    assert len(run.state.attempts) == 2
    run.see(over(run.at, began_at=T0 + 49, signal=KILL))
    assert [a.died is not None for a in run.state.attempts] == [False, True]


@pytest.mark.parametrize("live", [True, False])
def test_what_somebody_read_before_we_looked_is_the_commands(live: bool) -> None:
    run = Judged()
    run.wait(1).read(
        ["using world size: 8, data-parallel-size: 8, tensor-model-parallel"], live=live
    )
    run.see(living(run.at, offset=0)).train(1, 3)
    assert len(run.state.attempts) == 1
    run.see(over(run.at, exit_code=1))
    assert end(run) == "crashed"


def test_what_was_in_the_log_before_is_not_the_commands() -> None:
    run = Judged()
    run.wait(1).read(
        ["using world size: 8, data-parallel-size: 8, tensor-model-parallel"], live=False
    )
    run.see(living(run.at, offset=80)).train(1, 3)
    assert len(run.state.attempts) == 2


def test_iterations_after_the_end_are_of_another_start() -> None:
    run = trained(5).see(over(T0 + 60, exit_code=1))
    run.train(6, 6)
    assert len(run.state.attempts) == 2


@pytest.mark.parametrize(
    ("lines", "seen", "expected"),
    [
        ([], {"exit_code": 1}, "crashed"),
        ([], {"signal": KILL}, "killed"),
        ([], {"exit_code": 0}, "exited"),
        ([FAULT], {"exit_code": 1}, "crashed"),
        ([FAULT], {"exit_code": 0}, "crashed"),
        (["torch.OutOfMemoryError: CUDA out of memory."], {"exit_code": 1}, "out-of-memory"),
        ([BY_HAND], {"exit_code": 130}, "cancelled"),
        ([FAULT], {"signal": INT}, "crashed"),
        (["[after training is done] datetime: 2026-03-02 11:04:31"], {"exit_code": 0}, "completed"),
        (["[after training is done] datetime: 2026-03-02 11:04:31"], {"exit_code": 1}, "crashed"),
        (["[after training is done] datetime: 2026-03-02 11:04:31"], {"signal": INT}, "cancelled"),
        (["exiting program at iteration 30"], {"exit_code": 0}, "exited"),
        (["exiting program at iteration 30"], {"exit_code": 3}, "crashed"),
    ],
)
def test_log_and_exit_code_together(lines: list[str], seen: dict[str, int], expected: str) -> None:
    run = trained()
    if lines:
        run.read(lines)
    run.see(over(run.at + 1, **seen))
    assert end(run) == expected


def test_health_says_how_it_ended() -> None:
    run = trained().see(over(T0 + 400, exit_code=3))
    health = health_of(run.state, figures_of(run.state, Columns(), Facts()), run.at)
    assert health.level == "critical"
    assert health.reason == "attempt 1 ended: crashed: exit code 3"


def test_a_command_whose_log_nobody_understands_is_no_health() -> None:
    run = Judged()
    run.see(living(run.at)).read("hello")
    assert (
        health_of(run.state, figures_of(run.state, Columns(), Facts()), run.at).level == "unknown"
    )
    run.see(over(run.at + 5, exit_code=0))
    health = health_of(run.state, figures_of(run.state, Columns(), Facts()), run.at)
    assert (health.level, health.reason.partition(": ")[0]) == ("warning", "not running")


# alerts


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


# a launcher without workers


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


# recordings


def test_a_reading_survives_a_recording() -> None:
    seen = living(T0, offset=7, oom_kills=0)
    assert recording.parse(recording.line(seen)) == seen


@pytest.mark.parametrize(
    ("raw", "alive"),
    [
        (b'{"at": 1.0, "processes": {}}', None),
        (b'{"at": 1.0, "processes": {"alive": false, "exit_code": 1, "what": 2}}', False),
    ],
)
def test_keys_of_a_recording_are_optional(raw: bytes, alive: bool | None) -> None:
    seen = recording.parse(raw)
    assert isinstance(seen, ProcessReading)
    assert seen.alive is alive


def test_only_what_moves_all_the_time_is_not_worth_a_write() -> None:
    assert says_the_same(living(T0 + 15), living(T0))
    assert not says_the_same(living(T0 + 15, zombies=1), living(T0))
    assert not says_the_same(over(T0 + 15), living(T0))
    assert not says_the_same(living(T0), None)
