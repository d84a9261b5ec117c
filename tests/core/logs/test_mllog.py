"""MLPerf's MLLOG: iterations, samples or tokens in `step`, and how a run ends."""

import json
import math
from typing import Any

import pytest

from tests.core.logs.reading import plainly, read
from trainwatch.core.model.records import (
    Exit,
    Fact,
    Iteration,
    Record,
    Startup,
    TrainingBegins,
    Validation,
)

AT = 1759859525.333


def line(key: str, value: Any, *, time_ms: Any = 1759859525333, **metadata: Any) -> str:
    event = {
        "namespace": "",
        "time_ms": time_ms,
        "event_type": "POINT_IN_TIME",
        "key": key,
        "value": value,
        "metadata": {"file": "/workspace/llm/mlperf_logger.py", "lineno": 150, **metadata},
    }
    return ":::MLLOG " + json.dumps(event)


def step(number: int | None, **values: float) -> Iteration:
    return Iteration(format="mllog", stamp=AT, iteration=number, values=values)


STATS = {"train_step_time": 2.2154, "reduced_train_loss": 7.73}
LINES: list[tuple[str, list[Record]]] = [
    (
        line("tracked_stats", STATS, step=1.0, samples_count=2560.0),
        [step(1, step_time_s=2.2154, loss=7.73, consumed_samples=2560.0)],
    ),
    (
        "0: " + line("tracked_stats", STATS, step=7),
        [
            Iteration(
                format="mllog",
                speaker="0",
                stamp=AT,
                iteration=7,
                values={"step_time_s": 2.2154, "loss": 7.73},
            )
        ],
    ),
    (
        line("tracked_stats", {"train_step_timing": 0.5, "lr": 1e-4}, step=3),
        [step(3, step_time_s=0.5, learning_rate=1e-4)],
    ),
    # a step that equals the samples counts samples: the line does not say which iteration it is
    (
        line("tracked_stats", STATS, step=2560, samples_count=2560),
        [step(None, step_time_s=2.2154, loss=7.73, consumed_samples=2560.0)],
    ),
    (
        line("tracked_stats", {"throughput": 1500.5}, samples_count=2560),
        [step(None, samples_per_s=1500.5, consumed_samples=2560.0)],
    ),
    (line("train_loss", 3.5, step=12), [step(12, loss=3.5)]),
    (line("tracked_stats", {"validation_time": 12.0}, step=1), []),
    (line("tracked_stats", STATS), []),
    (line("global_batch_size", 2560), [Fact(stamp=AT, key="global_batch_size", value=2560.0)]),
    (line("max_steps", 1200), [Fact(stamp=AT, key="target_iteration", value=1200.0)]),
    (line("max_sequence_length", 2048), [Fact(stamp=AT, key="seq_length", value=2048.0)]),
    (
        line("eval_accuracy", 2.69, samples_count=1000),
        [Validation(stamp=AT, iteration=None, values={"loss": 2.69}, name="eval_accuracy")],
    ),
    (line("eval_accuracy", None), []),
    (
        line("init_start", None),
        [Startup(stamp=AT, marker="MLLOG init_start", once=False)],
    ),
    (line("run_start", None), [TrainingBegins(stamp=AT)]),
    (
        line("run_stop", None, status="success", samples_count=10),
        [Exit(stamp=AT, how="completed", why="run_stop: success")],
    ),
    (
        line("run_stop", None, status="aborted"),
        [Exit(stamp=AT, how="failed", why="run_stop: aborted")],
    ),
    (line("opt_name", "adam"), []),
    (line("seed", 1), []),
    # numbers that are none
    (line("tracked_stats", {"train_loss": "7.7"}, step=1), []),
    (line("tracked_stats", STATS, step="1"), []),
    (line("tracked_stats", STATS, step=True), []),
    (line("tracked_stats", STATS, step=-1), []),
    (line("tracked_stats", STATS, step=1e300), []),
    (line("global_batch_size", True), []),
    (line("seed", 1, time_ms="now"), []),
    # Python prints these two, though they are no JSON
    (
        line("tracked_stats", {"train_loss": math.nan}, step=1),
        [step(1, loss=math.nan)],
    ),
    (line("tracked_stats", {"train_loss": -math.inf}, step=1), [step(1, loss=-math.inf)]),
    (line("tracked_stats", {"train_loss": math.nan}, step=1)[:-20], []),
    (':::MLLOG {"key": NaN, "value": Infinity, "metadata": NaN}', []),
    (line("run_start", None, time_ms=math.nan), [TrainingBegins()]),
    (line("run_start", None, time_ms=1e300), [TrainingBegins()]),
    (line("run_start", None, time_ms=-1), [TrainingBegins()]),
    # deeper than any parser goes
    (':::MLLOG {"value": ' + "[" * 20000 + "]}", []),
    (':::MLLOG {"value": NaN, "more": ' + "[" * 20000 + "]}", []),
    (':::MLLOG {"value": NaN, "more": ' + "[" * 20000 + "]" * 20000 + "}", []),
    # torn
    (line("tracked_stats", STATS, step=1)[:-20], []),
    (":::MLLOG {", []),
    (":::MLLOG }{", []),
    (":::MLLOG [1, 2]", []),
    (":::MLLOG {}", []),
    (':::MLLOG {"key": "run_stop", "metadata": 3}', [Exit(how="failed", why="run_stop: None")]),
]


@pytest.mark.parametrize(("said", "expected"), LINES)
def test_a_line(said: str, expected: list[Record]) -> None:
    assert plainly(read(said)) == plainly(expected)
