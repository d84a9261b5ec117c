"""What single incidents are about, in their logs, queues and books."""

import re

import pytest

from tests.simulate.playing import played
from tests.simulate.telling import Run, read
from trainwatch.core.model.observations import AccountingReading
from trainwatch.simulate.happenings import Broke, Healed, Observed, SaveFinished, Stepped
from trainwatch.simulate.incidents.table import INCIDENTS
from trainwatch.simulate.run import happenings
from trainwatch.simulate.scenario import hurried
from trainwatch.simulate.timeline import Timeline


def test_a_hang_is_a_running_job_with_hourly_lines_and_no_iteration() -> None:
    run = played("evaluation-hang")
    first, healed = run.broke[0], run.healed[0]
    meanwhile = [h for h in run.happened if first.at < h.at < healed.at]
    assert first.iteration == 45_000
    assert healed.at - first.at > 6 * 3600
    assert not any(isinstance(h, Stepped | SaveFinished) for h in meanwhile[:-1])
    hanging = [h for h in run.happened if first.at < h.at < first.at + 6 * 3600]
    said = Run(run.scenario, hanging).log
    assert said.count(b"PULSE") == len(said.splitlines()) == 6
    states = {job.state for a in Run(run.scenario, hanging).answers for job in a.reading.jobs[:1]}
    assert states == {"RUNNING"}


def test_a_launcher_that_stays_alive_says_nothing_after_the_cascade() -> None:
    run = played("launcher-alive")
    crash = run.broke[0]
    hanging = [h for h in run.happened if crash.at + 900 < h.at < crash.at + 4 * 3600]
    said = Run(run.scenario, hanging).log
    assert set(said.splitlines()) == {line for line in said.splitlines() if b"PULSE" in line}
    fault = read(run.log).state.attempts[0].fault
    assert fault is not None
    assert (fault.kind, fault.rank) == ("ecc", 201 % 8)


def test_a_crash_loop_names_the_same_node_each_time() -> None:
    run = played("crash-loop-same-node")
    nodes = re.findall(rb"srun: error: (\S+): task \d+: Exited", run.log)
    assert len(nodes) == 4
    assert len(set(nodes)) == 1
    found = read(run.log)
    kinds = [attempt.fault and attempt.fault.kind for attempt in found.state.attempts]
    assert kinds == ["ecc", *["cuda-out-of-memory"] * 3, None]


def test_a_slow_node_takes_five_percent() -> None:
    found = read(played("slow-node").log)
    by_iteration = dict(zip(found.column("iteration"), found.column("tflops"), strict=True))
    before = [by_iteration[n] for n in range(42_702, 42_783)]
    after = [by_iteration[n] for n in range(42_803, 42_883)]
    assert sum(before) / len(before) == pytest.approx(149.1, rel=0.005)
    assert sum(after) / len(after) == pytest.approx(141.1, rel=0.005)


def test_a_nan_loss_is_left_out_and_not_counted() -> None:
    run = played("loss-nan")
    lines = [line for line in run.log.splitlines() if b"consumed samples" in line]
    nan = [line for line in lines if b"lm loss" not in line]
    assert len(nan) == 61
    assert all(
        b"number of skipped iterations:   0 | number of nan iterations:   0" in n for n in nan
    )
    losses = read(run.log).column("loss")
    assert [loss == loss for loss in losses[:199]] == [True] * 199
    assert not any(loss == loss for loss in losses[199:])


def test_skipped_iterations_are_counted_and_halve_the_scale() -> None:
    found = read(played("overflow-streak").log)
    at = {
        int(n): (skipped, scale)
        for n, skipped, scale in zip(
            *map(found.column, ("iteration", "skipped", "loss_scale")), strict=True
        )
    }
    assert [at[n][0] for n in range(7_149, 7_173)] == [0.0, *[1.0] * 22, 0.0]
    assert [at[n][1] for n in (7_150, 7_151, 7_171)] == [2**21, 2**20, 1.0]
    assert found.state.counters.overflows == 22


def test_a_spike_that_does_not_heal() -> None:
    found = read(played("spike-to-nan").log)
    loss = dict(zip(found.column("iteration"), found.column("loss"), strict=True))
    assert loss[6_999] == pytest.approx(6.44, abs=0.03)
    assert loss[7_000] == pytest.approx(11.4, abs=0.1)
    assert max(value for value in loss.values() if value == value) == pytest.approx(14, abs=0.1)
    assert loss[7_249] == pytest.approx(7.0, abs=0.1)
    assert loss[7_250] != loss[7_250]


def test_half_the_nodes_take_twice_as_long() -> None:
    found = read(played("planned-node-change").log)
    times = dict(zip(found.column("iteration"), found.column("step_time_s"), strict=True))
    assert times[85_050] == pytest.approx(105, rel=0.02)
    assert times[85_390] == pytest.approx(216, rel=0.02)


def test_the_model_is_smaller_than_what_was_asked_for() -> None:
    scenario = INCIDENTS["wrong-model-size"].scenario
    assert scenario.parameters == pytest.approx(58e9, rel=0.03)
    assert scenario.configured == {"parameters": 104e9}


def test_samples_per_second_are_wrong_by_a_thousand() -> None:
    run = played("wrong-unit")
    said = re.findall(
        rb"elapsed time per iteration \(s\): ([\d.]+) .*samples per second: ([\d.]+)", run.log
    )
    assert said
    for seconds, rate in said:
        assert float(rate) == pytest.approx(1.024 / float(seconds), abs=0.0006)


def test_a_resume_from_random_weights_is_read() -> None:
    attempts = read(played("random-weights").log).state.attempts
    assert [attempt.fresh_weights for attempt in attempts] == [False, True, False]
    assert [attempt.loaded_iteration for attempt in attempts] == [40_000, None, 40_200]


def test_the_rate_is_wrong_in_one_attempt_only() -> None:
    found = read(played("lr-wrong-after-resume").log)
    rates = zip(found.column("attempt"), found.column("learning_rate"), strict=True)
    wrong = {attempt for attempt, rate in rates if rate > 9e-5}
    assert wrong == {1.0}


def test_nobody_queues_a_job_for_days() -> None:
    run = played("no-successor")
    ended = next(b.at for b in run.broke if b.rule == "not-queued")
    for answer in run.answers:
        if answer.at < ended:
            assert len(answer.reading.jobs) <= 2 - (answer.reading.jobs[0].state == "RUNNING")
        elif answer.at < ended + 79 * 3600:
            assert answer.reading.jobs == ()


def test_a_start_that_is_put_off() -> None:
    answers = [a.reading for a in played("pending-long").answers]
    starts = [r.jobs[0].start for r in answers if r.jobs and r.jobs[0].reason == "Resources"]
    assert len(starts) > 300
    assert starts == sorted(start for start in starts if start is not None)
    assert len(set(starts)) == len(starts)


def test_only_accounting_tells_of_submissions_that_fail() -> None:
    run = played("inode-quota")
    ends = [
        end
        for h in run.happened
        if isinstance(h, Observed) and isinstance(h.observation, AccountingReading)
        for end in h.observation.ended
    ]
    assert [(end.state, end.exit_code) for end in ends] == [("FAILED", "0:53")] * 4
    assert len({end.job_id for end in ends}) == 4
    assert all((end.end or 0) - (end.start or 0) == 11 for end in ends)
    assert len(read(run.log).state.attempts) == 2


def test_a_hang_that_is_watched_live_stays() -> None:
    scenario = hurried(INCIDENTS["evaluation-hang"].scenario)
    assert scenario.first_iteration == 44_960
    stalls = [h for h in happenings(scenario, Timeline(0.0)) if isinstance(h, Broke | Healed)]
    assert stalls[1].at - stalls[0].at > 17 * 3600
