"""The healthy suite: long enough to be scored on, without any trouble, and cheap to play."""

from itertools import pairwise

import msgspec
import pytest

from tests.simulate.telling import START, Run, read, simulated
from trainwatch.simulate.chance import Chance
from trainwatch.simulate.curves import Curves
from trainwatch.simulate.happenings import Broke, Healed, SaveFinished, Wrote
from trainwatch.simulate.healthy import HEALTHY
from trainwatch.simulate.observe import Observer
from trainwatch.simulate.scenario import Scenario, on_cluster

HOURS = 2_000
ITERATIONS = 1_500  # two restarts, an evaluation, six saves


def begun(name: str, **changes: object) -> Run:
    scenario = msgspec.structs.replace(HEALTHY[name], iterations=ITERATIONS, **changes)
    return simulated(scenario)


@pytest.fixture(scope="module", params=HEALTHY)
def case(request: pytest.FixtureRequest) -> Run:
    return begun(request.param)


@pytest.mark.parametrize("scenario", HEALTHY.values(), ids=list(HEALTHY))
def test_it_lasts_two_thousand_hours(scenario: Scenario) -> None:
    fastest = Curves(on_cluster(scenario, 0), Chance(0))
    samples, seconds = 0, 0.0
    for iteration in range(1, min(scenario.iterations, scenario.target_iteration) + 1):
        step = fastest.step(iteration, samples, 0, seconds)
        samples, seconds = step.samples, seconds + step.step_time_s
    changes = 1.35 if scenario.clusters else 1.0  # half of the attempts take twice as long
    assert seconds * changes / 3600 > HOURS


def test_nothing_breaks(case: Run) -> None:
    assert not any(isinstance(h, Broke | Healed) for h in case.happened)
    assert all(not getattr(fault, "rule", "") for fault in case.scenario.faults)


def test_nothing_is_lost_over_a_restart(case: Run) -> None:
    found = read(case.log)
    assert case.steps == list(range(1, ITERATIONS + 1))
    assert found.column("iteration") == case.printed
    hours = (case.happened[-1].at - START) / 3600
    assert len(found.state.attempts) >= hours / 22
    assert all(attempt.exit is not None for attempt in found.state.attempts[:-1])


def test_something_always_waits_behind_the_running_job(case: Run) -> None:
    for answer in case.answers:
        rows = answer.reading.jobs
        assert len(rows) == 2
        assert rows[1].state == "PENDING"


def test_hourly_lines_are_in_each_log(case: Run) -> None:
    hours = (case.happened[-1].at - START) / 3600
    assert case.log.count(b"PULSE") > 0.8 * hours


def test_the_last_task_of_an_array_has_the_next_array_behind_it() -> None:
    run = begun("ramp-up", exit_duration_min=40.0)
    tenth = [a.reading.jobs for a in run.answers if a.reading.jobs[0].job_id.endswith("_10")]
    first, second = tenth[-1]
    assert first.state == "RUNNING"
    assert second.reason == "Dependency"
    assert second.job_id.endswith("_[1-10%1]")
    array = second.job_id.split("_")[0]
    assert any(a.reading.jobs[0].job_id == f"{array}_1" for a in run.answers)


def test_asynchronous_saves_are_done_while_training_goes_on() -> None:
    run = begun("asynchronous-saves")
    found = read(run.log)
    for save in (h for h in run.happened if isinstance(h, SaveFinished)):
        done = sum(1 for h in run.happened if h.at < save.at and isinstance(h, Wrote))
        before = Run(run.scenario, [h for h in run.happened if h.at < save.at]).steps[-1]
        assert done
        if save.checkpoint.iteration % 250 == 0:
            assert before >= save.checkpoint.iteration + 5
        else:  # before an exit it is waited for
            assert before == save.checkpoint.iteration
    assert [event.iteration for event in found.told("saved")] == run.saved


def test_output_that_is_held_back_comes_all_at_once() -> None:
    wrote = [h for h in begun("held-back-output").happened if isinstance(h, Wrote)]
    said = [h for h in wrote if b"PULSE" not in h.text]
    gaps = [after.at - before.at for before, after in pairwise(said)]
    assert max(gaps) < 1_200 + 3 * 110 + 1_800
    middle = sorted(gaps)[len(gaps) // 2]
    assert 1_200 <= middle < 1_310
    assert max(h.text.count(b" iteration  ") for h in said) >= 11


def test_a_slow_filesystem_is_slow_at_times() -> None:
    found = read(begun("slow-filesystem", save_interval=50).log)
    longest, mean = found.state.save.duration_max_s, found.state.save.duration_sum_s
    assert longest > 4.5 * 45
    assert mean / found.state.save.timed < 3 * 45


def test_a_spike_is_there_and_heals() -> None:
    scenario = msgspec.structs.replace(
        HEALTHY["healing-spikes"], first_iteration=4_250, iterations=4_400
    )
    found = read(simulated(scenario).log)
    loss = dict(zip(found.column("iteration"), found.column("loss"), strict=True))
    assert loss[4_321] > loss[4_320] + 0.7
    assert loss[4_346] == pytest.approx(loss[4_320], abs=0.05)


def test_the_cluster_changes_between_attempts() -> None:
    scenario = HEALTHY["node-changes"]
    nodes = [on_cluster(scenario, attempt).nodes for attempt in (0, 16, 17, 33, 34)]
    assert nodes == [48, 48, 24, 24, 48]


def test_an_observer_makes_few_observations() -> None:
    observer = Observer()
    run = begun("steady")
    seen = sum(1 for happening in run.happened for _ in observer.see(happening))
    assert seen < 3 * ITERATIONS
