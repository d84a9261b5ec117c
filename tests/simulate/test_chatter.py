"""Noise says nothing: no line of it is an iteration, a save, an end or an error to the core."""

import pytest

from tests.core.logs.reading import read
from tests.simulate.telling import FLAVOURS, START
from trainwatch.core.model.records import Fact
from trainwatch.simulate import chatter
from trainwatch.simulate.chance import Chance
from trainwatch.simulate.flavours.table import FLAVOURS as TABLE
from trainwatch.simulate.job import Job
from trainwatch.simulate.scenario import FlavourName, as_flavour
from trainwatch.simulate.scenarios import SCENARIOS
from trainwatch.simulate.timeline import Timeline


def job_of(flavour: FlavourName) -> Job:
    scenario = as_flavour(SCENARIOS["healthy"], flavour)
    return Job(
        scenario=scenario,
        timeline=Timeline(START),
        chance=Chance(3),
        attempt=0,
        began=0.0,
        first_array_id=1000,
        target_iteration=scenario.target_iteration,
        flops_per_sample=1.0,
    )


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_lines_of_other_ranks_hold_no_record(flavour: FlavourName) -> None:
    job, said_by = job_of(flavour), TABLE[flavour].said_by
    lines = [*chatter.nccl(job, said_by), chatter.threads_warning(job), chatter.pulse(job, 7205.0)]
    lines += [chatter.line_of(job, 10.0 * n, n, said_by) for n in range(2000)]
    assert read("".join(lines)) == []
    assert len(set(lines)) > 1000


def test_the_batch_script_tells_the_hardware_and_no_more() -> None:
    job = job_of("megatron-deepspeed")
    found = read(chatter.shell_trace(job) + chatter.nvidia_smi(job))
    facts = {(record.key, record.value) for record in found if isinstance(record, Fact)}
    assert facts == {("nodes", 8.0), ("gpus_per_node", 8.0), ("gpu_type", "A100")}
    assert all(isinstance(record, Fact) for record in found)


def test_as_many_lines_as_the_scenario_says() -> None:
    job = job_of("megatron-core")
    lines = [chatter.aside(job, 0.0, place, "") for place in range(4000)]
    assert 0.15 < sum(map(bool, lines)) / 4000 < 0.25
