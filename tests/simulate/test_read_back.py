"""A simulated log through the real core: what comes back is what the scenario said, in every flavour."""

import math

import msgspec
import pytest

from tests.simulate.telling import CASES, FLAVOURS, Read, Run, read, simulated
from trainwatch.core.derived import facts_of
from trainwatch.core.ending import end_of
from trainwatch.core.facts import Facts
from trainwatch.core.tally import of_attempt
from trainwatch.simulate.scenarios import SCENARIOS


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Run, Read]:
    run = simulated(CASES[request.param])
    return run, read(run.log)


def ends(found: Read) -> list[str | None]:
    return [
        end_of(attempt, moved=of_attempt(found.state, attempt.index).records > 0)
        for attempt in found.state.attempts
    ]


def test_every_iteration_comes_back_once(case: tuple[Run, Read]) -> None:
    run, found = case
    assert found.column("iteration") == run.printed
    assert found.state.counters.torn == 0


def test_attempts_begin_where_iterations_go_on_or_back(case: tuple[Run, Read]) -> None:
    run, found = case
    answers = run.answers
    began = {j.job_id for a in answers for j in a.reading.jobs if j.state == "RUNNING"}
    assert len(found.state.attempts) == len(began)
    trained_again = sum(of_attempt(found.state, a.index).retrained for a in found.state.attempts)
    assert trained_again == len(run.printed) - len(set(run.printed))


def test_saves_come_back(case: tuple[Run, Read]) -> None:
    run, found = case
    assert [event.iteration for event in found.told("saved")] == run.saved
    assert found.state.save.timed == len(run.saved)
    mean_s = found.state.save.duration_sum_s / found.state.save.timed
    assert mean_s == pytest.approx(run.scenario.save_s, rel=0.1)


def test_validations_come_back(case: tuple[Run, Read]) -> None:
    run, found = case
    scenario = run.scenario
    sets = 1 if scenario.flavour == "torchtitan" else scenario.validation_sets
    evaluated = [n for n in run.steps if n % scenario.eval_interval == 0]
    told = found.told("validation")
    assert [event.iteration for event in told] == [n for n in evaluated for _ in range(sets)]
    assert all(1.5 < event.values["loss"] < 12 for event in told)


def test_facts_are_the_scenarios(case: tuple[Run, Read]) -> None:
    run, found = case
    scenario, model, cluster = run.scenario, run.scenario.model, run.scenario.cluster
    facts = facts_of(found.state, Facts())
    assert facts.framework == scenario.flavour
    assert (facts.gpus, facts.nodes, facts.gpus_per_node) == (cluster.gpus, scenario.nodes, 8)
    assert facts.gpu_type is not None
    assert facts.gpu_type in cluster.gpu
    assert facts.tensor_parallel == cluster.tensor_parallel
    assert facts.pipeline_parallel == cluster.pipeline_parallel
    assert facts.data_parallel == scenario.data_parallel
    assert (facts.num_layers, facts.hidden_size) == (model.num_layers, model.hidden_size)
    assert (facts.num_attention_heads, facts.seq_length) == (
        model.num_attention_heads,
        model.seq_length,
    )
    assert facts.micro_batch_size == scenario.micro_batch_size
    assert facts.global_batch_size == scenario.global_batch_size
    assert facts.rampup == scenario.rampup


def test_targets_are_the_scenarios(case: tuple[Run, Read]) -> None:
    run, found = case
    facts = found.state.facts
    if run.scenario.flavour == "torchtitan":
        assert facts.target_iteration == run.scenario.target_iteration
        return
    assert facts.target_samples == run.scenario.train_samples
    assert found.state.target_iteration == run.scenario.target_iteration
    assert facts.save_interval == run.scenario.save_interval
    assert facts.eval_interval == run.scenario.eval_interval
    assert facts.precision == "bfloat16"
    assert facts.recompute == run.scenario.recompute
    assert facts.vocab_size == run.scenario.padded_vocab_size


def test_batch_sizes_follow_the_ramp_up(case: tuple[Run, Read]) -> None:
    run, found = case
    schedule = run.scenario.schedule
    for iteration, batch, samples in zip(
        *map(found.column, ("iteration", "global_batch_size", "consumed_samples")), strict=True
    ):
        if run.scenario.flavour != "torchtitan":
            assert samples == schedule.consumed(int(iteration))
            assert batch == schedule.batch_size(int(samples) - int(batch))


def test_the_two_ways_of_reading_agree(case: tuple[Run, Read]) -> None:
    run, found = case
    line_by_line = read(run.log, in_columns=False)
    assert line_by_line.state == found.state
    assert line_by_line.rows == found.rows
    assert line_by_line.events == found.events


def test_losses_fall_and_are_numbers(case: tuple[Run, Read]) -> None:
    losses = case[1].column("loss")
    assert all(map(math.isfinite, losses))
    assert losses[-1] < 0.7 * losses[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("healthy", ["exited", None]),
        ("healthy-megatron-core", ["exited", "exited", "exited", "exited", None]),
        ("healthy-torchtitan", ["time-limit", "time-limit", "completed"]),
        ("crash, megatron-deepspeed", ["out-of-memory", None]),
        ("crash, megatron-core", ["out-of-memory", None]),
        ("crash, torchtitan", ["out-of-memory", None]),
    ],
)
def test_ends(name: str, expected: list[str | None]) -> None:
    assert ends(read(simulated(CASES[name]).log)) == expected


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_crash_costs_what_was_trained_since_the_last_save(flavour: str) -> None:
    run = simulated(CASES[f"crash, {flavour}"])
    found = read(run.log)
    first, second = found.state.attempts
    assert first.fault is not None
    assert first.fault.kind == "cuda-out-of-memory"
    assert first.cascade is None or first.cascade.kind == "collective-timeout"
    assert run.steps[230:240] == [231, 232, 233, 234, 235, 236, 237, 201, 202, 203]
    assert second.loaded_iteration == 200
    # the same data in the same order: the same losses, whatever the time it took
    by_iteration: dict[float, list[float]] = {}
    for iteration, loss in zip(found.column("iteration"), found.column("loss"), strict=True):
        by_iteration.setdefault(iteration, []).append(loss)
    repeated = [losses for losses in by_iteration.values() if len(losses) == 2]
    assert len(repeated) == 37
    assert all(once == again for once, again in repeated)


def test_a_crash_is_read_of_the_rank_that_had_it() -> None:
    found = read(simulated(SCENARIOS["crash-and-restart"]).log)
    fault = found.state.attempts[0].fault
    assert fault is not None
    assert fault.rank == 5


@pytest.mark.parametrize("name", ["healthy", "healthy-megatron-core"])
def test_tflops_in_the_log_are_those_of_the_formula(name: str) -> None:
    from trainwatch.core import formulas

    scenario = SCENARIOS[name]
    found = read(simulated(scenario).log)
    for logged, step_time_s, batch in zip(
        *map(found.column, ("tflops", "step_time_s", "global_batch_size")), strict=True
    ):
        computed = formulas.tflops(
            scenario.shape, batch, step_time_s, scenario.cluster.gpus, scenario.recompute
        )
        assert computed == pytest.approx(logged, rel=0.002)


def test_step_times_of_deepspeed_hold_evaluations_and_saves() -> None:
    found = read(simulated(SCENARIOS["healthy"]).log)
    at = dict(zip(found.column("iteration"), found.column("step_time_s"), strict=True))
    usual = at[899]
    assert at[201] > at[199] + SCENARIOS["healthy"].eval_s
    assert at[901] == pytest.approx(usual + SCENARIOS["healthy"].save_s, rel=0.1)


def test_fp16_has_a_loss_scale_and_bf16_none() -> None:
    scenario = msgspec.structs.replace(SCENARIOS["healthy"], iterations=20)
    half = read(simulated(msgspec.structs.replace(scenario, precision="fp16")).log)
    assert half.column("loss_scale") == [32768.0] * 20
    assert half.state.facts.precision == "float16"
    assert not any(map(math.isfinite, read(simulated(scenario).log).column("loss_scale")))
