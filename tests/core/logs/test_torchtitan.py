"""torchtitan: coloured, repeated by ranks, tokens a second per device, no step time."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import math

import pytest

from tests.core.logs.reading import at, only, plainly, read, values
from trainwatch.core.model.records import (
    Exit,
    Fact,
    Iteration,
    Loaded,
    Record,
    SaveDone,
    SaveStarted,
    Startup,
    TrainingBegins,
    Validation,
)

HEAD = "[rank0]:[titan] 2025-11-25 19:45:01,496 - root - INFO - "
STAMP = at("2025-11-25 19:45:01.496")
STEP = "step:  2  loss:  7.7082  grad_norm:  1.5585  memory:  1.34GiB(0.96%)  tps: 301,092  tflops: 21.55  mfu: 2.18%"
VALUES = {
    "loss": 7.7082,
    "grad_norm": 1.5585,
    "memory_gib": 1.34,
    "tokens_per_s_per_gpu": 301092.0,
    "tflops": 21.55,
    "mfu": 0.0218,
}


def test_a_line() -> None:
    assert only(HEAD + STEP) == Iteration(
        format="torchtitan", speaker="rank0", stamp=STAMP, iteration=2, values=VALUES
    )


COLOURED = (
    "\x1b[31mstep:  2  \x1b[32mloss:  7.7082  \x1b[38;2;180;60;0mgrad_norm:  1.5585  "
    "\x1b[38;2;54;234;195mmemory:  1.34GiB(0.96%)  \x1b[34mtps: 301,092  \x1b[36mtflops: 21.55  "
    "\x1b[35mmfu: 2.18%\x1b[39m"
)
CHANGES: list[tuple[str, dict[str, float | None]]] = [
    (COLOURED, {}),
    (STEP.replace("mfu: 2.18%", "mfu: N/A"), {"mfu": None}),
    (STEP.replace("  grad_norm:  1.5585", ""), {"grad_norm": None}),
    (STEP.replace("7.7082", "nan"), {"loss": math.nan}),
    (STEP.replace("1.5585", "inf"), {"grad_norm": math.inf}),
    # a rank that is not the last pipeline stage does not know the loss
    (STEP.replace("loss:  7.7082", "loss: -1.00000"), {"loss": None}),
    (STEP.replace("loss:  7.7082", "loss: -1.0000"), {"loss": None}),
]


@pytest.mark.parametrize(("line", "changes"), CHANGES)
def test_values(line: str, changes: dict[str, float | None]) -> None:
    assert values(HEAD + line) == {k: v for k, v in {**VALUES, **changes}.items() if v is not None}


@pytest.mark.parametrize(
    ("printed", "step"), [("step: 80 ", 80), ("step: 1000  ", 1000), ("step: 1,000  ", 1000)]
)
def test_the_step(printed: str, step: int) -> None:
    found = only(HEAD + STEP.replace("step:  2  ", printed))
    assert isinstance(found, Iteration)
    assert found.iteration == step


def test_a_validation_is_none_of_the_steps() -> None:
    line = "validate step: 100  loss:  3.1234  memory: 27.39GiB(9.51%)  tps: 6,001"
    assert only(HEAD + line) == Validation(
        stamp=STAMP,
        iteration=100,
        values={"loss": 3.1234, "memory_gib": 27.39, "tokens_per_s_per_gpu": 6001.0},
    )


def test_two_ranks_in_one_line_are_both_read() -> None:
    other = HEAD.replace("rank0", "rank1") + STEP.replace("step:  2 ", "step:  3 ")
    found = [r for r in plainly(read(HEAD + STEP + other)) if isinstance(r, Iteration)]
    assert [(r.iteration, r.values) for r in found] == [(2, VALUES), (3, VALUES)]


def test_a_line_that_another_one_cuts_through_loses_that_one_only() -> None:
    found = read(HEAD + STEP[:30] + HEAD + STEP.replace("step:  2 ", "step:  3 "))
    assert [(r.iteration, r.values) for r in found if isinstance(r, Iteration)] == [(3, VALUES)]


EVENTS: list[tuple[str, list[Record]]] = [
    (
        "Starting job: Llama 3 debug training",
        [Startup(marker="torchtitan job", once=False, stamp=STAMP)],
    ),
    ("Training starts at step 1", [TrainingBegins(iteration=1, stamp=STAMP)]),
    ("Training starts at step 1001.", [TrainingBegins(iteration=1001, stamp=STAMP)]),
    (
        "Saving the checkpoint (or staging if async is enabled).",
        [SaveStarted(iteration=None, stamp=STAMP)],
    ),
    (
        "Finished saving the checkpoint (or staging if async is enabled)in 1.23 seconds.",
        [SaveDone(iteration=None, duration_s=1.23, stamp=STAMP)],
    ),
    (
        "Loading the checkpoint from outputs/checkpoint/step-1000.",
        [Loaded(iteration=1000, path="outputs/checkpoint/step-1000", stamp=STAMP)],
    ),
    ("Loading the checkpoint at step 500.", [Loaded(iteration=500, stamp=STAMP)]),
    (
        "Finished loading the checkpoint in 3.45 seconds.",
        [Loaded(iteration=None, done=True, stamp=STAMP)],
    ),
    (
        "Saving a full checkpoint in last step, step 1005.",
        [SaveStarted(iteration=1005, stamp=STAMP)],
    ),
    (
        "Saving a full checkpoint in torch.float32 at last step, step 1005.",
        [SaveStarted(iteration=1005, stamp=STAMP)],
    ),
    (
        "Saving a model only checkpoint in torch.bfloat16 at last step, step 1005.",
        [SaveStarted(iteration=1005, stamp=STAMP)],
    ),
    (
        "Sleeping 2 seconds for other ranks to complete",
        [SaveDone(iteration=None, stamp=STAMP)],
    ),
    (
        "Training completed",
        [SaveDone(iteration=None, stamp=STAMP), Exit(how="completed", stamp=STAMP)],
    ),
    (
        "Model llama3 8B size: 8,030,261,248 total parameters",
        [Fact(key="parameters", value=8030261248.0)],
    ),
    (
        "Peak FLOPS used for computing MFU: 9.890e+14",
        [Fact(key="peak_tflops", value=989.0)],
    ),
    (
        "Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=8, ep=1, etp=1",
        [
            Fact(key="tensor_parallel", value=8.0),
            Fact(key="pipeline_parallel", value=2.0),
            Fact(key="data_parallel", value=4.0),
            Fact(key="gpus", value=64.0),
        ],
    ),
    # -1 is "all that are left": nobody can say how many from this line
    (
        "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=-1, cp=1, tp=8",
        [
            Fact(key="tensor_parallel", value=8.0),
            Fact(key="pipeline_parallel", value=1.0),
        ],
    ),
    (
        "Building llama3 8B with TransformerModelArgs(_enforced='x', dim=4096, n_layers=32, n_heads=32, "
        "n_kv_heads=8, vocab_size=128256, multiple_of=1024, max_seq_len=8192)",
        [
            Fact(key="hidden_size", value=4096.0),
            Fact(key="num_layers", value=32.0),
            Fact(key="num_attention_heads", value=32.0),
            Fact(key="num_query_groups", value=8.0),
            Fact(key="vocab_size", value=128256.0),
        ],
    ),
    (
        "Trainer is initialized with local batch size 8, global batch size 64, gradient accumulation steps 1, "
        "sequence length 2048, total steps 10 (warmup 2)",
        [
            Fact(key="micro_batch_size", value=8.0),
            Fact(key="global_batch_size", value=64.0),
            Fact(key="seq_length", value=2048.0),
            Fact(key="target_iteration", value=10.0),
        ],
    ),
]


@pytest.mark.parametrize(("line", "expected"), EVENTS)
def test_events(line: str, expected: list[Record]) -> None:
    assert plainly(read(HEAD + line)) == plainly(expected)


LOOK_ALIKES = [
    'f"{color.red}step: {step:2}  loss: {loss:7.4f}  tps: {tps:,}"',
    HEAD + "step:  2  loss:  7.7082  grad_norm:  1.5585",
    HEAD + "overstep:  2  loss:  7.7082  tps: 12",
    HEAD + "Synchronizing and adjusting timeout for all ProcessGroups to 0:01:40",
    HEAD + "the next step: 12 has https: and tps: in it",
]


@pytest.mark.parametrize("line", LOOK_ALIKES)
def test_look_alikes_say_nothing(line: str) -> None:
    assert read(line) == []
