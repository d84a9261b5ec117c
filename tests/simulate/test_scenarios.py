"""Every scenario could be a real job: its batch sizes divide, its GPUs fit, its jobs get to save."""

import pytest

from trainwatch.simulate.chance import Chance
from trainwatch.simulate.curves import Curves
from trainwatch.simulate.flavours.table import FLAVOURS
from trainwatch.simulate.healthy import HEALTHY
from trainwatch.simulate.scenario import FlavourName, Scenario, as_flavour
from trainwatch.simulate.scenarios import DEFAULT, SCENARIOS

ALL = {**SCENARIOS, **{f"healthy {name}": scenario for name, scenario in HEALTHY.items()}}
WRONG_ON_PURPOSE = {"batch-does-not-divide", "time-limit-margin"}
SOUND = {name: scenario for name, scenario in ALL.items() if name not in WRONG_ON_PURPOSE}
LEFT_OVER_LAYERS = (0, 6, 10)  # 70 layers over 8 stages, and over 12
BY_NAME = pytest.mark.parametrize("scenario", SOUND.values(), ids=list(SOUND))


def batch_sizes(scenario: Scenario) -> set[int]:
    if scenario.rampup is None:
        return {scenario.global_batch_size}
    start, increment, _ = scenario.rampup
    return set(range(start, scenario.global_batch_size + 1, increment))


@BY_NAME
def test_every_batch_size_is_a_multiple_of_mbs_times_dp(scenario: Scenario) -> None:
    each = scenario.micro_batch_size * scenario.data_parallel
    assert all(size % each == 0 for size in batch_sizes(scenario))
    assert scenario.global_batch_size in batch_sizes(scenario)


@BY_NAME
def test_the_gpus_fit(scenario: Scenario) -> None:
    cluster = scenario.cluster
    assert cluster.gpus == scenario.nodes * cluster.gpus_per_node
    split = cluster.tensor_parallel * cluster.pipeline_parallel * scenario.data_parallel
    assert cluster.gpus == split
    assert scenario.model.num_layers % cluster.pipeline_parallel in LEFT_OVER_LAYERS


@BY_NAME
def test_an_attempt_lasts_longer_than_a_save_interval(scenario: Scenario) -> None:
    slowest = Curves(scenario, Chance(0)).step(1, scenario.train_samples // 2, 0, 0.0).step_time_s
    attempt_s = min(scenario.time_limit_s, 60 * (scenario.exit_duration_min or float("inf")))
    assert attempt_s > scenario.startup_s + scenario.save_interval * slowest
    if scenario.exit_duration_min is not None:
        margin_s = scenario.time_limit_s - 60 * scenario.exit_duration_min
        assert margin_s > slowest + scenario.eval_s + scenario.save_s


@pytest.mark.parametrize("flavour", FLAVOURS)
@BY_NAME
def test_every_scenario_can_be_told_by_every_framework(
    scenario: Scenario, flavour: FlavourName
) -> None:
    told = as_flavour(scenario, flavour)
    assert told.flavour == flavour
    assert told.target_iteration > 0


def test_there_is_a_default_and_a_demo() -> None:
    assert {DEFAULT, "demo", "crash-and-restart"} <= SCENARIOS.keys()
