"""Megatron-Core's stamped lines, its forks, and AMD's frames around them."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import pytest

from tests.core.logs.reading import at, only, plainly, read, values
from trainwatch.core.model.records import Iteration

BODY = (
    "iteration       50/   45776 | consumed samples:        25600 | elapsed time per iteration (ms): 263.6 "
    "| throughput per GPU (TFLOP/s/GPU): 177.2 | learning rate: 1.092267E-04 | global batch size:   512 | "
    "lm loss: 8.184724E+00 | loss scale: 1.0 | grad norm: 1.128 | number of skipped iterations:   0 | "
    "number of nan iterations:   0 |"
)
VALUES = {
    "consumed_samples": 25600.0,
    "step_time_s": 0.2636,
    "tflops": 177.2,
    "learning_rate": 1.092267e-04,
    "global_batch_size": 512.0,
    "loss": 8.184724,
    "loss_scale": 1.0,
    "grad_norm": 1.128,
    "skipped": 0.0,
    "nan_iterations": 0.0,
}

FRAMES: list[tuple[str, str, float | None]] = [
    (" [2026-05-28 13:01:07.645545] ", "", at("2026-05-28 13:01:07.645545")),
    (" [2024-08-01 09:44:55] ", "", at("2024-08-01 09:44:55")),
    ("[2024-08-01 09:44:55]  ", "", at("2024-08-01 09:44:55")),
    ("3: [2024-08-01 09:44:55] ", "3", at("2024-08-01 09:44:55")),
    ("[default7]: [2024-08-01 09:44:55] ", "rank7", at("2024-08-01 09:44:55")),
    # AMD: the logger's own date, rank and level in colours before the record
    (
        "[\x1b[32m20251202 09:12:08\x1b[0m][\x1b[36mrank-7/8\x1b[0m][\x1b[1mINFO \x1b[0m] [--------trainer.py:2560] : ",
        "",
        at("2025-12-02 09:12:08"),
    ),
    ("2025-01-01 10:00:00,123 - INFO - [rank 7] ", "", at("2025-01-01 10:00:00.123")),
    # a stamp that is none
    (" [2024-13-45 09:44:55] ", "", None),
    (" [2024-08-01 09:44:75] ", "", None),
    ("[01/17/2024 13:47:27] ", "", at("2024-01-17 13:47:27")),
    (" ", "", None),
]


@pytest.mark.parametrize(("frame", "speaker", "stamp"), FRAMES)
def test_frames(frame: str, speaker: str, stamp: float | None) -> None:
    expected = Iteration(
        format="megatron-core",
        speaker=speaker,
        stamp=stamp,
        iteration=50,
        target=45776,
        values=VALUES,
    )
    assert plainly(read(frame + BODY)) == plainly([expected])


@pytest.mark.parametrize(("frame", "speaker", "stamp"), FRAMES)
def test_frames_of_many_lines(frame: str, speaker: str, stamp: float | None) -> None:
    log = "".join(frame + BODY.replace("   50/", f"   {n}/") + "\n" for n in range(50, 60))
    found = [r for r in read(log) if isinstance(r, Iteration)]
    assert [r.iteration for r in found] == list(range(50, 60))
    assert {r.stamp for r in found} == {stamp}
    assert {r.speaker for r in found} == {speaker}


CHANGES = [
    (
        "throughput per GPU (TFLOP/s/GPU): 177.2",
        "compute per GPU (TFLOP/s/GPU): 496.3 (avg 496.1)",
        {"tflops": 496.3},
    ),
    (
        "throughput per GPU (TFLOP/s/GPU): 177.2",
        "throughput per GPU (TFLOP/s/GPU): 177.2/171.9 | tokens per GPU (tokens/s/GPU): 9801.4/9807.3",
        {"tokens_per_s_per_gpu": 9801.4},
    ),
    ("(ms): 263.6", "(ms): 263.6/270.1", {}),
    (
        "| learning rate",
        "| hip mem usage/free/total/usage_ratio: 153.81GB/102.17GB/255.98GB/60.09% | learning rate",
        {},
    ),
    (
        "| learning rate",
        "| energy per GPU (J/iter/GPU): 1.23 | power per GPU (W/GPU): 456.7 | learning rate",
        {"energy_per_gpu_j_iter_gpu": 1.23, "power_per_gpu_w_gpu": 456.7},
    ),
    ("25600 |", "25600 | skipped samples:   128 |", {"skipped_samples": 128.0}),
    ("| loss scale", "| z_loss: 1.09E+01 | loss scale", {"z_loss": 10.9}),
    ("| loss scale", "| mtp_1 loss: 2.828435E+00 | loss scale", {"mtp_1_loss": 2.828435}),
    ("| loss scale", "| load_balancing_loss: 1.0 | loss scale", {"load_balancing_loss": 1.0}),
    ("| number of skipped", "| params norm: 123.4 | number of skipped", {"params_norm": 123.4}),
]


@pytest.mark.parametrize(("old", "new", "changes"), CHANGES)
def test_values(old: str, new: str, changes: dict[str, float]) -> None:
    assert old in BODY
    assert values(" [2026-05-28 13:01:07] " + BODY.replace(old, new, 1)) == {**VALUES, **changes}


def test_a_fork_without_throughput_is_known_by_its_stamp() -> None:
    line = " [2024-08-01 09:44:55] " + BODY.replace(
        "throughput per GPU (TFLOP/s/GPU): 177.2 | ", ""
    )
    found = only(line)
    assert isinstance(found, Iteration)
    assert (found.format, found.stamp) == ("megatron-core", at("2024-08-01 09:44:55"))


def test_a_loss_that_is_left_out_is_expected() -> None:
    found = only(" [2024-08-01 09:44:55] " + BODY.replace(" lm loss: 8.184724E+00 |", ""))
    assert isinstance(found, Iteration)
    assert found.loss_expected
    assert "loss" not in found.values
