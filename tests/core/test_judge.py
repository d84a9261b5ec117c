"""Alerts through real log lines: live and caught up, with gaps, odd clocks, and without times or numbers."""

import msgspec
import pytest

from tests.core.judging import T0, Judged, pending, running
from tests.core.logs.making import iteration, stamped
from trainwatch.core.model.observations import WatcherReading

MIN = 60.0
STARTUP = "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4"
OOM = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"


def test_a_stall_is_told_in_time_and_over_with_the_next_iteration() -> None:
    run = Judged().train(1, 40, step_s=10.0)
    run.wait(13 * MIN)
    assert not run.fires("stall")
    run.wait(2 * MIN)
    assert run.told("stall") == ["firing"]
    run.wait(40.0).read(iteration(41, step_ms=1e4))
    assert run.told("stall") == ["firing", "resolved"]


def test_lines_that_are_no_iteration_are_no_progress() -> None:
    run = Judged().train(1, 40, step_s=10.0)
    for _ in range(15):
        run.wait(MIN).read("2022-04-30 00:00:00 PULSE: tr11 is running")
    assert run.fires("stall")


@pytest.mark.parametrize(("every", "step_s"), [(1, 0.2), (1, 600.0), (10, 100.0), (100, 30.0)])
def test_a_healthy_pace_of_any_kind_is_quiet_over_restarts(every: int, step_s: float) -> None:
    run = Judged()
    for first in (every, 41 * every):
        run.read([STARTUP, f"  log_interval .................................... {every}"])
        run.train(first, first + 30 * every, step_s=step_s, every=every)
    assert run.told("stall") == []


@pytest.mark.parametrize(("every", "step_s"), [(1, 10.0), (1, 200.0), (10, 20.0)])
def test_one_long_gap_does_not_lengthen_the_next_budget(every: int, step_s: float) -> None:
    run = Judged().train(every, 40 * every, step_s=step_s, every=every)
    run.wait(max(10 * step_s, 15 * MIN) - 3 * MIN - step_s * every)
    run.train(41 * every, 41 * every, step_s=step_s, every=every)
    run.wait(max(10 * step_s, 15 * MIN) + 5.0)
    assert run.fires("stall")


@pytest.mark.parametrize("ahead_h", [-14, -2, -0.5, 0, 0.5, 2, 14])
def test_stamps_of_another_zone_neither_cry_nor_hide(ahead_h: float) -> None:
    """The clock of a living log is ours; a zone is off by half an hour at least."""
    begun = 1_722_505_495.0  # of the stamps
    run = Judged(at=begun - ahead_h * 3600)
    run.train(1, 60, step_s=10.0, line=lambda n: iteration(n, prefix=stamped(n, step_s=10.0)))
    assert run.firing() == []
    run.wait(15 * MIN)
    assert run.fires("stall")


def test_a_clock_that_ran_ahead_for_one_look_hides_no_hang() -> None:
    run = Judged().train(1, 40)
    run.at += 86_400.0
    run.read(iteration(41, step_ms=1e4))
    run.at -= 86_400.0
    run.train(42, 45)
    run.wait(15 * MIN)
    assert run.fires("stall")


def test_an_old_clock_brings_no_flood_of_looks() -> None:
    run = Judged(at=0.0).train(1, 10)
    run.at = T0
    run.read(iteration(11, step_ms=1e4))
    assert len(run.changes) < 1_000


def _save(number: int, done: bool) -> str:
    word, indent = ("successfully saved", "  ") if done else ("saving", "")
    return f"{indent}{word} checkpoint at iteration {number:7d} to /ckpt"


def test_a_background_save_that_is_complete_is_no_progress_of_a_hang() -> None:
    run = Judged().train(1, 40).read(_save(40, done=False)).train(41, 42)
    run.wait(8 * MIN).read(_save(40, done=True))
    run.wait(7 * MIN)
    assert run.fires("stall")


def test_a_save_has_its_own_budget() -> None:
    run = Judged().train(1, 40).read(_save(40, done=False)).wait(55 * MIN)
    assert run.firing() == []
    assert run.wait(5 * MIN).fires("stall")


def test_the_first_iteration_has_the_budget_of_the_startup() -> None:
    run = Judged().read([STARTUP, "[before the start of training step] datetime: 2026-09-21"])
    assert run.wait(58 * MIN).firing() == []
    assert run.wait(2 * MIN).fires("stall")


def test_an_evaluation_between_log_lines_has_its_own_budget() -> None:
    run = Judged().read([STARTUP, "  eval_interval ................................... 1000"])
    run.read("  log_interval .................................... 30")
    run.train(30, 990, step_s=1.0, every=30)  # 1000 is before the next line
    assert run.wait(50 * MIN).firing() == []


def test_a_traceback_does_not_resolve_a_stall() -> None:
    run = Judged().train(1, 40).wait(30 * MIN)
    run.read([OOM, "nothing follows"])
    assert run.told("stall") == ["firing"]
    run.wait(11 * MIN)
    assert run.fires("crash")
    run.read(STARTUP).wait(MIN)
    assert run.fires("crash")
    assert run.told("stall") == ["firing"]
    run.train(1, 41, step_s=5.0)
    assert run.firing() == []


def test_a_job_that_runs_and_never_writes_a_word_stalls() -> None:
    run = Judged().queue(running("7", start=T0))
    for _ in range(11):
        run.wait(5 * MIN).queue(running("7", start=T0))
    assert run.firing() == []
    assert run.wait(5 * MIN).fires("stall")


# what was there before


def _bare(number: int) -> str:
    """A format that tells neither when nor how long."""
    return f"s:{number} trl:10.9598 lr:0.000002 norm:15.24"


def test_an_old_log_without_any_time_says_neither_dead_nor_alive() -> None:
    run = Judged().read([_bare(n) for n in range(1, 50)], live=False)
    assert run.wait(3 * 3600.0).firing() == []
    run.train(50, 55, line=_bare)
    assert run.wait(16 * MIN).fires("stall")


def test_after_hours_without_a_watcher_an_unstamped_log_is_not_stalled() -> None:
    run = Judged().train(1, 60, step_s=10.0)
    run.at += 5 * 3600.0  # of which an evaluation took two
    run.read([iteration(n, step_ms=1e4) for n in range(61, 1100)], live=False)
    run.wait(15.0)
    assert run.firing() == []
    run.train(1100, 1110)
    assert run.told("stall") == []
    assert run.wait(16 * MIN).fires("stall")


def test_what_is_caught_up_with_is_judged_in_its_own_time() -> None:
    began = 1_722_505_495.0
    numbers = [*range(1, 100), *range(400, 420)]  # a hang of 50 min, and on
    run = Judged(at=began + 86_400.0)
    run.read([iteration(n, prefix=stamped(n, step_s=10.0)) for n in numbers], live=False)
    told = [(c.change, round((c.at - began) / MIN)) for c in run.changes if c.rule == "stall"]
    assert told == [("firing", 31), ("resolved", 67)]


def test_what_ended_long_ago_is_not_told_as_new() -> None:
    began = 1_722_505_495.0
    run = Judged(at=began + 7 * 86_400.0)
    run.read([iteration(n, prefix=stamped(n)) for n in range(1, 50)], live=False)
    run.read([f" [2024-08-01 09:50:00] {OOM}", "Traceback (most recent call last):"], live=False)
    run.wait(3600.0)
    assert run.firing() == []


def test_a_watcher_that_was_away_is_no_blindness_of_the_scheduler() -> None:
    run = Judged().train(1, 40).queue(running(), pending())
    run.at += 5 * 3600.0
    lines = [iteration(n, prefix=stamped(n, "2026-09-21 14:20:00", 10.0)) for n in range(41, 1840)]
    run.read(lines, live=False).queue(running(), pending()).train(1840, 1845)
    assert run.told("blind") == []


def test_two_ways_of_blindness_are_two_alerts() -> None:
    run = Judged().train(1, 40).queue(running(), pending())
    for _ in range(6):
        run.wait(5 * MIN).queue(unknown="Socket timed out")
    assert run.fires("blind", "queue")
    run.see(WatcherReading(at=run.at, blind="stale file handle"))
    for _ in range(6):
        run.wait(5 * MIN).queue(unknown="Socket timed out")
    assert run.fires("blind", "log")
    assert run.fires("blind", "queue")
    assert "resolved" not in run.told("blind")


# formats with progress bars


def _bar(done: int) -> str:
    elapsed = f"{done * 10 // 60:02}:{done * 10 % 60:02}"
    return f" {done // 10}%|#         | {done}/1000 [{elapsed}<9:00:00, 10.00s/it]"


def _record(number: int) -> str:
    return "{'loss': 2.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': %.4f}" % (number / 500)


def test_a_log_of_bars_stalls_and_goes_on() -> None:
    run = Judged()
    for done in range(1, 60):
        run.wait(10.0).read(_bar(done))
    assert run.wait(16 * MIN).fires("stall")
    run.read(_bar(60))
    assert run.told("stall") == ["firing", "resolved"]


def test_chatter_after_a_bar_and_a_record_is_no_progress() -> None:
    run = Judged()
    for done in range(1, 60):
        run.wait(10.0).read(_bar(done))
        if done % 10 == 0:
            run.read(_record(done))
    run.read(OOM)
    for _ in range(16):
        run.wait(MIN).read("[W socket.cpp:601] still connecting")
    assert {"crash"} <= set(run.firing())


# numbers


def test_numbers_that_are_none_raise_nothing_and_nan_is_told() -> None:
    run = Judged()
    run.train(1, 40, line=lambda n: iteration(n, grad_norm="nan" if n % 2 else "inf"))
    assert run.firing() == []
    run.train(41, 45, line=lambda n: iteration(n, loss="nan"))
    assert run.fires("loss-nan")


def test_lines_of_ten_iterations_count_as_ten() -> None:
    run = Judged().train(10, 400, every=10)
    run.train(410, 420, every=10, line=lambda n: iteration(n, loss="nan"))
    assert run.fires("loss-nan")


def test_an_infinite_norm_is_no_base_to_measure_by() -> None:
    run = Judged().train(1, 40, line=lambda n: iteration(n, grad_norm="inf" if n < 20 else "1.0"))
    run.train(41, 60, line=lambda n: iteration(n, grad_norm="1.0"))
    run.train(61, 62, line=lambda n: iteration(n, grad_norm="10.5"))
    assert run.fires("grad-norm-surge")


# many attempts


def test_the_third_attempt_without_an_iteration_is_a_loop() -> None:
    run = Judged().train(1, 40)
    for _ in range(3):
        run.wait(2 * MIN).read([STARTUP, OOM]).wait(2 * MIN)
    assert run.fires("crash-loop")
    run.read(STARTUP)
    run.train(1, 40)
    assert run.fires("crash-loop")  # it only repeats what was trained before
    run.train(41, 43)
    assert not run.fires("crash-loop")


def test_many_attempts_keep_the_memory_small() -> None:
    run = Judged()
    for attempt in range(200):
        run.read(STARTUP).train(attempt * 5 + 1, attempt * 5 + 6).read(OOM).wait(20 * MIN)
    assert len(msgspec.json.encode(run.memory)) < 32_768


def test_rotation_to_a_shorter_log_is_the_same_run() -> None:
    run = Judged().train(1, 100)
    run._offset = 0
    run.train(101, 140)
    assert run.changes == []
