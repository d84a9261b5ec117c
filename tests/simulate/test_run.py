"""The stream of happenings: in order, the same for the same seed, and as the scenario asks."""

from itertools import pairwise
from statistics import median

import msgspec
import pytest

from tests.simulate.telling import CASES, START, Run, read, simulated
from trainwatch.simulate.faults.ends import Crash
from trainwatch.simulate.faults.steps import Slowdown
from trainwatch.simulate.happenings import SaveBegan, SaveFinished, Stepped, Wrote
from trainwatch.simulate.run import happenings
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.scenarios import SCENARIOS
from trainwatch.simulate.timeline import Timeline


def short(name: str = "healthy", **changes: object) -> Scenario:
    return msgspec.structs.replace(SCENARIOS[name], **changes)


def step_times(run: Run) -> list[float]:
    return read(run.log).column("step_time_s")


@pytest.mark.parametrize("name", CASES)
def test_time_never_goes_back(name: str) -> None:
    times = [happening.at for happening in simulated(CASES[name]).happened]
    assert times == sorted(times)
    assert times[0] == START


@pytest.mark.parametrize("name", CASES)
def test_only_whole_lines_are_written(name: str) -> None:
    wrote = [h for h in simulated(CASES[name]).happened if isinstance(h, Wrote)]
    assert all(h.text.endswith(b"\n") and b"\r" not in h.text for h in wrote)


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    once, again = simulated(short(), seed=7), simulated(short(), seed=7)
    assert once.happened == again.happened
    assert simulated(short(), seed=8).log != once.log


def test_it_goes_up_to_the_iteration_that_is_asked_for() -> None:
    stream = happenings(short(), Timeline(START), iterations=42)
    assert [h.iteration for h in stream if isinstance(h, Stepped)] == list(range(1, 43))


def test_at_another_speed_only_stamps_differ() -> None:
    slow, fast = simulated(short(iterations=300)), simulated(short(iterations=300), pace=60.0)
    assert fast.happened[-1].at - START == pytest.approx((slow.happened[-1].at - START) / 60)
    a, b = read(slow.log), read(fast.log)
    for name in ("iteration", "loss", "step_time_s", "global_batch_size"):
        assert a.column(name) == b.column(name)
    assert a.state.facts == b.state.facts


def test_a_steady_network_varies_by_a_percent() -> None:
    run = simulated(short("healthy-megatron-core"))
    times = step_times(run)
    middle = median(times)
    assert all(abs(time / middle - 1) < 0.011 for time in times)
    assert len(set(times)) > 50


def test_a_shared_network_varies_by_forty_percent_through_the_day() -> None:
    scenario = short("noisy-network", rampup=None, eval_interval=10**6, save_interval=10**6)
    times = step_times(simulated(scenario))
    still = step_times(simulated(short(rampup=None, throughput_noise=0.0, iterations=2)))[0]
    shares = [still / time for time in times]
    assert 0.59 < min(shares) < 0.85
    assert 1.15 < max(shares) < 1.41


def test_throughput_rises_through_a_ramp_up() -> None:
    values = read(simulated(short("demo", iterations=600)).log).column("tflops")
    assert values[0] < 90 < 145 < values[-1] < 155


def test_the_queue_waits_then_runs_then_waits_for_the_next_task() -> None:
    answers = simulated(short()).answers
    states = [[job.state for job in answer.reading.jobs] for answer in answers]
    assert states[0] == ["PENDING", "PENDING"]
    first = next(answer for answer in answers if answer.reading.jobs[0].state == "RUNNING")
    job, waiting = first.reading.jobs
    assert job.job_id.endswith("_1")
    assert job.start == first.at
    assert len(job.nodes) == len(set(job.nodes)) == 8
    assert (waiting.reason, waiting.job_id[-9:]) == ("JobArrayTaskLimit", "_[2-10%1]")
    ids = [answer.reading.jobs[0].job_id for answer in answers]
    assert list(dict.fromkeys(ids)) == [job.job_id, job.job_id[:-1] + "2"]


def test_the_last_task_of_an_array_has_nothing_behind_it_and_another_array_follows() -> None:
    run = simulated(short(exit_duration_min=10.0, time_limit_s=3600.0, iterations=1400))
    arrays = [a.reading.jobs[0].job_id.split("_")[0] for a in run.answers]
    assert len(set(arrays)) > 1
    tenth = [a.reading.jobs for a in run.answers if a.reading.jobs[0].job_id.endswith("_10")]
    assert all(len(jobs) == 1 for jobs in tenth)


def test_after_the_last_attempt_the_queue_is_empty() -> None:
    run = simulated(short(attempts=1))
    assert run.answers[-1].reading.jobs == ()
    assert run.answers[-1].reading.state == "ok"
    assert len(read(run.log).state.attempts) == 1


def test_training_completes_at_its_target() -> None:
    run = simulated(short(rampup=None, train_samples=1024 * 150, iterations=10**6))
    found = read(run.log)
    assert run.steps[-1] == 150 == run.saved[-1]
    assert found.state.attempts[-1].exit is not None
    assert found.state.attempts[-1].exit.how == "completed"
    assert run.answers[-1].reading.jobs == ()


def test_a_job_that_is_killed_while_it_saves_leaves_an_incomplete_checkpoint() -> None:
    run = simulated(short(exit_duration_min=None, time_limit_s=4000.0, save_s=5000.0, attempts=2))
    began = [h.checkpoint.iteration for h in run.happened if isinstance(h, SaveBegan)]
    ended = [h.checkpoint.iteration for h in run.happened if isinstance(h, SaveFinished)]
    assert (began, ended) == ([100, 100], [])
    assert all(attempt.notice is not None for attempt in read(run.log).state.attempts)


def test_a_slowdown_lasts_as_long_as_it_says() -> None:
    scenario = short(
        rampup=None,
        throughput_noise=0.0,
        faults=(Slowdown(first=51, last=60, factor=1.25),),
        iterations=90,
    )
    times = step_times(simulated(scenario))
    usual = times[0]
    slow = [n for n, time in enumerate(times, 1) if time > 1.2 * usual]
    assert slow == list(range(51, 61))


def test_a_crash_strikes_once_and_two_crashes_twice() -> None:
    scenario = short(faults=(Crash(iteration=120), Crash(iteration=150)), iterations=200)
    steps = simulated(scenario).steps
    assert [n for n, after in pairwise(steps) if after < n] == [120, 150]
    assert steps.count(110) == 3


def test_a_status_script_writes_every_hour_while_the_job_runs() -> None:
    run = simulated(short())
    hours = (run.happened[-1].at - START) / 3600
    assert run.log.count(b"PULSE: sim-13B is running for") == int(hours)
