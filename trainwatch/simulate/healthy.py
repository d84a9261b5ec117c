"""Runs in good health, as different as health is: whatever fires in one of them is a false alarm.

Each lasts at least 2,000 hours, with a restart every 20 and hourly status lines of somebody else in its log.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.simulate.faults.steps import Overflows, Spike
from trainwatch.simulate.incidents.runs import TR11
from trainwatch.simulate.models import A100_192
from trainwatch.simulate.scenario import Scenario, as_flavour

_STEADY = replace(
    TR11,
    description="the speed varies by 1 %",
    name="healthy-176B",
    rampup=None,
    eval_interval=1_000,
    save_interval=250,
    validation_sets=3,
    eval_s=180.0,
    queue_s=1_800.0,
    chatter=0.05,
    first_iteration=0,
    iterations=75_000,
)
_CHANGES = 17  # attempts between two changes of the cluster

HEALTHY: Mapping[str, Scenario] = {
    "steady": _STEADY,
    "noisy-network": replace(
        _STEADY,
        description="a shared network: the speed varies by 40 % through the day and between allocations",
        throughput_noise=0.4,
        daily_drift=True,
    ),
    "ramp-up": replace(
        _STEADY,
        description="the batch size rises from 192 to 2048, and throughput with it",
        rampup=(192, 16, 9_765_625),
        iterations=80_000,
    ),
    "evaluation-every-1000": replace(
        _STEADY,
        description="an evaluation of half an hour every 1,000 iterations",
        validation_sets=1,
        eval_s=1_800.0,
    ),
    "29-validation-sets": replace(
        _STEADY,
        description="29 validation sets, every 1,000 iterations",
        validation_sets=29,
        eval_s=900.0,
    ),
    "asynchronous-saves": replace(
        as_flavour(_STEADY, "megatron-core"),
        description="saves go on beside the training: they are done long after it went on",
        save_s=8.0,
        async_save_s=900.0,
    ),
    "job-arrays": replace(
        _STEADY,
        description="arrays of ten tasks of 20 hours each, and hours of waiting between them",
        queue_s=14_400.0,
    ),
    "node-changes": replace(
        _STEADY,
        description="24 instead of 48 nodes now and then: 216 instead of 105 s an iteration",
        clusters=tuple(
            (first, _STEADY.cluster if first // _CHANGES % 2 == 0 else A100_192)
            for first in range(0, 200, _CHANGES)
        ),
        iterations=55_000,
    ),
    "held-back-output": replace(
        _STEADY,
        description="the launcher holds output back for 20 minutes, then lets all go at once",
        held_back_s=1_200.0,
    ),
    "slow-filesystem": replace(
        _STEADY,
        description="saves and evaluations take 5 to 10 times as long at times, output comes in bursts",
        slow_share=0.15,
        held_back_s=240.0,
        exit_duration_min=1_120.0,
    ),
    "healing-spikes": replace(
        _STEADY,
        description="the loss jumps now and then, and is back within 25 iterations",
        faults=(Spike(first=4_321, height=0.8, every=9_000, rule=""),),
    ),
    "fp16": replace(
        _STEADY,
        description="fp16: an iteration is skipped now and then, as the loss scale grows",
        precision="fp16",
        faults=(Overflows(first=1_500, every=1_000, scale=65_536.0, rule=""),),
    ),
}
