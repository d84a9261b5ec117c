"""Attempts that begin and end with the processes of a command."""

import pytest

from tests.core.judging import T0, Judged
from tests.core.processes.making import BY_HAND, FAULT, INT, KILL, end, living, over, trained
from trainwatch.core.columns import Columns
from trainwatch.core.ending import end_of as end_of_attempt
from trainwatch.core.facts import Facts
from trainwatch.core.figures import figures_of
from trainwatch.core.health import health_of


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
