"""DeepSpeed's own lines: steps, timer, overflow, saves, its flops profiler, and DeepSpeed-Chat."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import math

import pytest

from tests.core.logs.reading import at, only, plainly, read
from trainwatch.core.logs import deepspeed
from trainwatch.core.model.records import (
    Fact,
    Iteration,
    Overflow,
    Record,
    SaveDone,
    SaveStarted,
)

STAMP = at("2022-08-29 06:58:56.121")


def step(number: int | None, **values: float) -> Iteration:
    return Iteration(format="deepspeed", iteration=number, values=values)


LINES: list[tuple[str, Record]] = [
    (
        "steps: 1 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805",
        step(1, loss=12.7902, step_time_s=150.471, samples_per_s=6.805),
    ),
    (
        "steps: 10 loss: nan iter time (s): 150.471 samples/sec: 6.805",
        step(10, loss=math.nan, step_time_s=150.471, samples_per_s=6.805),
    ),
    # a placeholder of ranks that are not the last pipeline stage
    (
        "steps: 10 loss: -1.0000 iter time (s): 150.471 samples/sec: 6.805",
        step(10, step_time_s=150.471, samples_per_s=6.805),
    ),
    (
        "[2022-08-29 06:58:56,121] [INFO] [logging.py:68:log_dist] [Rank 0] step=20, skipped=17, lr=[5e-05], mom=[(0.9, 0.999)]",
        Iteration(
            format="deepspeed",
            stamp=STAMP,
            iteration=20,
            values={"skipped_in_all": 17.0, "learning_rate": 5e-05},
        ),
    ),
    (
        "[rank3]:[2022-08-29 06:58:56,121] [INFO] [Rank 3] step=20, skipped=0, lr=[1e-4, 2e-4], mom=[[0.9, 0.95]]",
        Iteration(
            format="deepspeed",
            speaker="rank3",
            stamp=STAMP,
            iteration=20,
            values={"skipped_in_all": 0.0, "learning_rate": 1e-04},
        ),
    ),
    (
        "[2022-08-29 06:58:56,121] [INFO] [timer.py:198:stop] 0/20, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=227.4, MemAllocated=0.36GB",
        Iteration(format="deepspeed", stamp=STAMP, iteration=20, values={"samples_per_s": 227.4}),
    ),
    (
        "[2022-08-29 06:58:56,121] [INFO] [timer.py:215:stop] epoch=0/micro_step=80/global_step=20, RunningAvgSamplesPerSec=220.7, CurrSamplesPerSec=222.9, MemAllocated=0.07GB",
        Iteration(format="deepspeed", stamp=STAMP, iteration=20, values={"samples_per_s": 222.9}),
    ),
    # The scale that it goes on with. Builds of 2022 say deepscale.
    (
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1048576, reducing to 524288",
        Overflow(loss_scale=524288.0),
    ),
    (
        "[deepscale] OVERFLOW! Rank 12 Skipping step. Attempted loss scale: 4294967296, reducing to 4294967296",
        Overflow(loss_scale=4294967296.0),
    ),
    (
        "[deepspeed] fp16 dynamic loss scale overflow! Skipping step. Attempted loss scale: 65536.0, reducing to 32768.0",
        Overflow(loss_scale=32768.0),
    ),
    (
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, but hysteresis is 2. Reducing hysteresis to 1",
        Overflow(loss_scale=65536.0),
    ),
    (
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1.8446744073709552e+19, reducing to 9.223372036854776e+18",
        Overflow(loss_scale=2.0**63),
    ),
    (
        "[2022-08-29 06:58:56,121] [INFO] [logging.py:96:log_dist] [Rank 0] Overflow detected. Skipping step. Attempted loss scale: 8192.0, reducing to 4096.0",
        Overflow(stamp=STAMP, loss_scale=4096.0),
    ),
    (
        "[2022-08-29 06:58:56,121] [INFO] [logging.py:68:log_dist] [Rank 0] Saving model checkpoint: ckpt/global_step33/mp_rank_00_model_states.pt",
        SaveStarted(
            stamp=STAMP, iteration=33, path="ckpt/global_step33/mp_rank_00_model_states.pt"
        ),
    ),
    (
        "[2022-08-29 06:58:56,121] [INFO] [torch_checkpoint_engine.py:27:commit] [Torch] Checkpoint global_step33 is about to be saved!",
        SaveStarted(stamp=STAMP, iteration=33),
    ),
    (
        "[2022-08-29 06:58:56,121] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step33 is ready now!",
        SaveDone(stamp=STAMP, iteration=33),
    ),
    # DeepSpeed-Chat counts its steps from 0, in each epoch anew
    (
        "epoch: 0|step: 2|ppo_ep: 1|act_loss: 0.223|cri_loss: 0.139|unsuper_loss: 0.0",
        step(3, act_loss=0.223, cri_loss=0.139),
    ),
    (
        "epoch: 0|step: 2|ppo_ep: 1|act_loss: -0.01|cri_loss: nan|unsuper_loss: 0.0",
        step(3, act_loss=-0.01, cri_loss=math.nan),
    ),
    (
        "epoch: 1|step: 0|ppo_ep: 1|act_loss: 0.223|cri_loss: 0.139|unsuper_loss: 0.0",
        step(None, act_loss=0.223, cri_loss=0.139),
    ),
    (
        "|E2E latency=4.78s |Gather latency=0.00s (0.00%) |Generate time=1.74s (36.47%) |Training time=2.82s (59.05%) |Others=0.21 (4.48%)|CurSamplesPerSec=0.84 |AvgSamplesPerSec=1.03",
        Iteration(format="deepspeed", iteration=None, part=True, values={"step_time_s": 4.78}),
    ),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line(line: str, expected: Record) -> None:
    assert only(line) == plainly([expected])[0]


PROFILE = """
-------------------------- DeepSpeed Flops Profiler --------------------------
Profile Summary at step 10:
Notations:
data parallel size (dp_size), model parallel size(mp_size),
number of parameters (params), number of multiply-accumulate operations(MACs),
number of floating-point operations (flops), floating-point operations per second (FLOPS),
fwd latency (forward propagation latency), bwd latency (backward propagation latency),
step (weights update latency), iter latency (sum of fwd, bwd and step latency)

world size:                                                   64
params per gpu:                                               336.23 M
fwd flops per GPU:                                            6.51 TFLOPs
iter latency:                                                 591.05 ms
FLOPS per GPU = 88 TFLOPS
samples/second:                                               13.536
"""
NEWER = """
params per GPU:                                                         1.30 B
iter latency:                                                           1.25 s
FLOPS per GPU:                                                          88000 GFLOPS
fwd FLOPS per GPU = fwd flops per GPU / fwd latency:                    12.1 TFLOPS
"""


def facts(log: str) -> dict[str, float | str]:
    return {r.key: r.value for r in plainly(read(log)) if isinstance(r, Fact)}


def test_the_profiler_summary() -> None:
    assert facts(PROFILE) == {
        "parameters_per_gpu": 336.23e6,
        "profiled_step_time_s": 0.59105,
        "profiled_tflops": 88.0,
        "profiled_samples_per_s": 13.536,
    }


def test_the_profiler_summary_in_other_units() -> None:
    assert facts(NEWER) == {
        "parameters_per_gpu": 1.3e9,
        "profiled_step_time_s": 1.25,
        "profiled_tflops": 88.0,
    }


LOOK_ALIKES = [
    "steps: 0 loss: 1.0 iter time (s): 1.0 samples/sec: 1.0",
    "self.logger.info(f'step={self.global_steps}, skipped={self.skipped_steps}, lr={lr}, mom={mom}')",
    "timer says RunningAvgSamplesPerSec=nan, CurrSamplesPerSec=nan",
    "[INFO] Attempted loss scale: 12",
    "Checkpoint global_step12 was removed",
    "bwd latency: 12 ms and iter latency is what is left",
    "epoch: 0|step: {step}|ppo_ep: 1|act_loss: {actor_loss}|cri_loss: {critic_loss}",
]


@pytest.mark.parametrize("line", LOOK_ALIKES)
def test_look_alikes_say_nothing(line: str) -> None:
    assert read(line) == []


ASIDE = [
    "steps: 20 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805",
    "[default0]:steps: 20 loss: nan iter time (s): 150.471 samples/sec: 6.805",
    "[2021-12-01 10:00:00,123] [INFO] [logging.py:69:log_dist] [Rank 0] step=20, skipped=0, lr=[5e-05, 5e-05], "
    "mom=[(0.9, 0.999), (0.9, 0.999)]",
    "[2021-12-01 10:00:00,123] [INFO] [timer.py:157:stop] 0/20, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=227.4",
    "12/20, RunningAvgSamplesPerSec=2.7, CurrSamplesPerSec=2.4, MemAllocated=6.0GB, MaxMemAllocated=7.1GB",
    "step=21, skipped=0, lr=[1], mom=[1] steps: 20 loss: 1 iter time (s): 1 samples/sec: 1",
]
NOT_ASIDE = [
    "steps: 0 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805",
    "steps: 20 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805 steps: 21 loss: 1 iter time (s): 1 samples/sec: 1",
    "steps: 20 loss: 1 iter time (s): 1 samples/sec: 1 step=21, skipped=0, lr=[1], mom=[1]",
    "\x1b[32msteps: 20 loss: 1.0 iter time (s): 1.0 samples/sec: 6.805",
    "\u00e9steps: 20 loss: 1.0 iter time (s): 1.0 samples/sec: 6.805",
    "my_steps: 20 loss: 1.0 iter time (s): 1.0 samples/sec: 6.805",
    "a" * 300 + " steps: 20 loss: 1.0 iter time (s): 1.0 samples/sec: 6.805",
    "a" * 10_000 + " steps: 20 loss: 1.0 iter time (s): 1.0 samples/sec: 6.805",
    "steps: 20 loss: 1.0 iter time (s): 1.0 samples/sec: 6.805 words",
]


def aside(line: str) -> int | None:
    data = f"steps: 9\n{line}\n|".encode()
    assert deepspeed.FORMAT.aside is not None
    return deepspeed.FORMAT.aside(data, data.index(b"\n") + 1, data.rindex(b"\n"))


@pytest.mark.parametrize("line", ASIDE)
def test_a_line_beside_is_one_iteration_and_nothing_else(line: str) -> None:
    """What is counted without being parsed is what parsing gives, and no other needle is on it."""
    (record,) = read(line + "\n")
    assert isinstance(record, Iteration)
    assert record.iteration == aside(line) == 20


@pytest.mark.parametrize("line", NOT_ASIDE)
def test_what_may_be_more_is_parsed(line: str) -> None:
    assert aside(line) is None
