"""nanotron: three digits with a K, M, G or B, stamps with and without a year."""

import pytest

from tests.core.logs.reading import at, only, plainly, read, values
from trainwatch.core.logs.text import NO_YEAR
from trainwatch.core.model.records import Fact, Iteration, Loaded, Record, SaveStarted

HEAD = "12/21 01:39:51 [INFO|DP=0|TP=0|lrdn0007]: "
STAMP = at(f"{NO_YEAR}-12-21 01:39:51")
BODY = (
    "iteration: 211364 / 1500000 | consumed_tokens: 480B | time_per_iteration_ms: 8.79K | tokens_per_sec: "
    "182K | tokens_per_sec_per_gpu: 699 | global_batch_size: 1.6M | grad_norm: 0.112 | lm_loss: 2.04 | "
    "lr: 0.0001 | model_tflops_per_gpu: 15.4 | eta: 131 days, 1:45:39"
)
VALUES = {
    "consumed_tokens": 480e9,
    "step_time_s": 8.79,
    "tokens_per_s": 182e3,
    "tokens_per_s_per_gpu": 699.0,
    "tokens_per_iteration": 1.6e6,
    "grad_norm": 0.112,
    "loss": 2.04,
    "learning_rate": 1e-4,
    "tflops": 15.4,
}


def test_a_line() -> None:
    found = only(HEAD + BODY)
    assert isinstance(found, Iteration)
    assert (found.format, found.iteration, found.target) == ("nanotron", 211364, 1500000)
    assert (found.stamp, found.values) == (STAMP, VALUES)


CHANGES: list[tuple[str, str, dict[str, float | None]]] = [
    ("time_per_iteration_ms: 8.79K", "elapsed_time_per_iteration_ms: 8.79K", {}),
    ("time_per_iteration_ms: 8.79K", "time_per_iteration_ms: 790", {"step_time_s": 0.79}),
    ("consumed_tokens: 480B", "consumed_tokens: 480G", {}),
    ("consumed_tokens: 480B", "consumed_tokens: 1.2T", {"consumed_tokens": 1.2e12}),
    (
        "global_batch_size: 1.6M",
        "global_batch_size: 1.02K",
        {"global_batch_size": 1020.0, "tokens_per_iteration": None},
    ),
    ("lm_loss: 2.04", "lm_loss: nan", {"loss": float("nan")}),
    ("lm_loss: 2.04 | ", "", {"loss": None}),
    ("lr: 0.0001", "lr: 9.83e-05", {"learning_rate": 9.83e-05}),
]


@pytest.mark.parametrize(("old", "new", "changes"), CHANGES)
def test_values(old: str, new: str, changes: dict[str, float | None]) -> None:
    assert old in BODY
    found = plainly([Iteration(iteration=0, values=values(HEAD + BODY.replace(old, new)))])
    expected = {k: v for k, v in {**VALUES, **changes}.items() if v is not None}
    assert found == plainly([Iteration(iteration=0, values=expected)])


def test_two_processes_are_two_speakers() -> None:
    speakers = [read(HEAD.replace("DP=0", dp) + BODY)[0].speaker for dp in ("DP=0", "DP=1")]
    assert speakers[0] != speakers[1]


EVENTS: list[tuple[str, list[Record]]] = [
    (
        "Saving checkpoint at /scratch/ckpt/2000",
        [SaveStarted(iteration=2000, path="/scratch/ckpt/2000", stamp=STAMP)],
    ),
    (
        "Loading checkpoint from /scratch/ckpt/2000:",
        [Loaded(iteration=2000, path="/scratch/ckpt/2000", stamp=STAMP)],
    ),
    (
        "Total number of parameters: 1.05G (2003.5MiB)",
        [Fact(key="parameters", value=1.05e9)],
    ),
]


@pytest.mark.parametrize(("line", "expected"), EVENTS)
def test_events(line: str, expected: list[Record]) -> None:
    assert plainly(read(HEAD + line)) == plainly(expected)


@pytest.mark.parametrize(
    "line",
    [
        "iteration: {it} / {total} | consumed_tokens: {tokens}",
        HEAD + "iteration: 12 / | consumed_tokens: 1K",
        HEAD + "[Start training] | mbs: 1 | grad_accum: 1 | cumulated consumed_tokens: 0",
    ],
)
def test_look_alikes_say_nothing(line: str) -> None:
    assert read(line) == []
