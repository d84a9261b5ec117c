"""When iterations were completed, by stamps, arrival or adding up; step times that are not printed."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import math

import pytest

from tests.core.folding import NOW, Run
from tests.core.logs.making import iteration, stamped
from tests.core.logs.reading import at
from tests.core.run.logged import trained
from trainwatch.core.columns import AT_DERIVED, STEP_TIME_DERIVED


def test_stamps_are_the_time() -> None:
    lines = [iteration(n, prefix=stamped(n, step_s=10.0)) for n in range(1, 5)]
    run = Run(lines)
    assert run.column("at_s") == [at(f"2024-08-01 09:45:{s:02d}") for s in (5, 15, 25)]
    assert run.column("flags") == [0.0, 0.0, 0.0]
    assert run.state.open is not None
    assert run.state.open.time is not None
    assert run.state.open.time.source == "stamp"


@pytest.mark.parametrize("live", [False, True])
def test_stamps_count_even_where_arrival_is_known(live: bool) -> None:
    lines = [iteration(n, prefix=stamped(n, step_s=10.0)) for n in range(1, 5)]
    assert Run(lines, live=live).column("at_s")[0] == at("2024-08-01 09:45:05")


def test_the_clock_of_the_log_may_be_ahead_of_utc() -> None:
    lines = [iteration(n, prefix=stamped(n, step_s=10.0)) for n in range(1, 5)]
    assert Run(lines, utc_offset_s=7200.0).column("at_s")[0] == at("2024-08-01 07:45:05")


def test_without_stamps_arrival_is_the_time() -> None:
    run = Run()
    for n in range(1, 5):
        run.read(trained(n, n), at=NOW + 10 * n, live=True)
    assert run.column("at_s") == [NOW + 10, NOW + 20, NOW + 30]
    assert run.column("flags") == [0.0] * 3


CLOCK = "[before the start of training step] datetime: 2024-08-01 09:{:02d}:{:02d}"
OVERFLOW = "[2024-08-01 09:{:02d}:{:02d},000] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 8, reducing to 4"


def taking(seconds: float, *numbers: int) -> list[str]:
    return [iteration(n, step_ms=seconds * 1000) for n in numbers]


# log -> when each of its iterations was completed, in s after 09:00
ADDED_UP: list[tuple[list[str], list[float]]] = [
    ([CLOCK.format(0, 0), *taking(10, 1, 2, 3)], [10, 20, 30]),
    # a stamp of the iteration's own end: it took ten seconds up to there, not from there
    ([CLOCK.format(0, 0), *taking(10, 1), OVERFLOW.format(0, 20), *taking(10, 2, 3)], [10, 20, 30]),
    ([CLOCK.format(0, 0), OVERFLOW.format(0, 10), *taking(10, 1, 2)], [10, 20]),
    # a save between them, which the step time holds or does not
    ([CLOCK.format(0, 0), *taking(10, 1), OVERFLOW.format(1, 0), *taking(60, 2, 3)], [10, 70, 130]),
    ([CLOCK.format(0, 0), *taking(10, 1), OVERFLOW.format(1, 0), *taking(10, 2, 3)], [10, 60, 70]),
    # printed step times that are too long: nobody goes back in time for the stamp
    ([CLOCK.format(0, 0), *taking(20, 1), OVERFLOW.format(0, 5), *taking(20, 2, 3)], [20, 40, 60]),
]


@pytest.mark.parametrize("in_columns", [True, False])
@pytest.mark.parametrize(("lines", "seconds"), ADDED_UP)
def test_added_up_times_neither_run_ahead_nor_back(
    lines: list[str], seconds: list[float], in_columns: bool
) -> None:
    run = Run([*lines, *taking(1, 99)], in_columns=in_columns)
    begun = at("2024-08-01 09:00:00")
    assert [time - begun for time in run.column("at_s")] == seconds


def test_while_catching_up_times_are_added_up_from_the_last_stamp() -> None:
    clock = "[after dataloaders are built] datetime: 2024-08-01 09:00:00"
    run = Run([clock, *(iteration(n, step_ms=10_000.0) for n in (1, 2, 4, 5))])
    begun = at("2024-08-01 09:00:00")
    assert run.column("at_s") == [begun + 10, begun + 20, begun + 40]
    assert run.column("flags") == [AT_DERIVED] * 3


def test_added_up_times_are_never_in_the_future() -> None:
    clock = "[after dataloaders are built] datetime: 2024-08-01 09:00:00"
    seen_at = at("2024-08-01 09:00:25")
    run = Run([clock, *(iteration(n, step_ms=10_000.0) for n in range(1, 6))], at=seen_at)
    assert max(run.column("at_s")) == seen_at


def test_without_any_clock_the_time_is_unknown() -> None:
    run = Run(trained(1, 4))
    assert all(math.isnan(t) for t in run.column("at_s"))
    assert run.column("flags") == [0.0] * 3


def test_stamps_without_a_year_are_of_the_last_such_day() -> None:
    line = "12/21 01:39:51 [INFO|DP=0|TP=0|n1]: iteration: {} / 100 | consumed_tokens: 1K | lm_loss: 2.0"
    run = Run([line.format(1), line.format(2)], at=at("2026-05-01 00:00:00"))
    assert run.column("at_s") == [at("2025-12-21 01:39:51")]
    later = Run([line.format(1), line.format(2)], at=at("2026-12-25 00:00:00"))
    assert later.column("at_s") == [at("2026-12-21 01:39:51")]
    leap = Run(
        [line.format(n).replace("12/21", "02/29") for n in (1, 2)], at=at("2026-05-01 00:00:00")
    )
    assert leap.column("at_s") == [at("2024-02-29 01:39:51")]


def test_a_step_time_from_stamps() -> None:
    line = "[titan] 2025-11-25 19:45:{:02d},000 - root - INFO - step: {}  loss:  7.7  tps: 100"
    run = Run([line.format(second, n) for second, n in ((0, 10), (5, 20), (20, 30), (21, 40))])
    assert run.column("step_time_s")[1:] == [0.5, 1.5]
    assert math.isnan(run.column("step_time_s")[0])
    assert run.column("flags") == [0.0, STEP_TIME_DERIVED, STEP_TIME_DERIVED]


def test_a_step_time_from_a_cumulative_time() -> None:
    line = "step:{}/6200 train_loss:4.1 train_time:{}ms step_avg:nanms"
    run = Run([line.format(n, ms) for n, ms in ((1, 0), (2, 250), (4, 1250), (5, 1000), (6, 1300))])
    assert run.column("step_time_s")[1:3] == [0.25, 0.5]
    assert math.isnan(run.column("step_time_s")[3])  # a time that runs backwards tells nothing


def test_a_step_time_from_samples_per_second() -> None:
    facts = "[INFO] [config.py:960:print]   train_batch_size ............. 1024"
    line = "0/{}, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=256.0, MemAllocated=0.36GB"
    run = Run([facts, *(line.format(n) for n in (10, 20, 30))])
    assert run.column("step_time_s") == [4.0, 4.0]


def test_a_printed_step_time_that_cannot_be_is_left_out() -> None:
    lines = [iteration(n, step_ms=-12710.0 if n == 3 else 250.0) for n in range(1, 6)]
    run = Run(lines)
    times = run.column("step_time_s")
    assert [t for t in times if t == t] == [0.25] * 3
    assert math.isnan(times[2])
