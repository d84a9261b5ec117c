"""HF Trainer's records (bare and quoted numbers), its bars, and its closing words."""

import math

import pytest

from tests.core.logs.reading import only, plainly, read, values
from trainwatch.core.model.records import (
    Bar,
    Exit,
    Fact,
    Iteration,
    Record,
    SaveStarted,
    Startup,
    Validation,
)

LINES: list[tuple[str, dict[str, float]]] = [
    (
        "{'loss': 1.2984, 'grad_norm': 1.01, 'learning_rate': 8.3e-08, 'epoch': 3.0}",
        {"loss": 1.2984, "grad_norm": 1.01, "learning_rate": 8.3e-08, "epoch": 3.0},
    ),
    (
        "{'loss': '0.1363', 'grad_norm': '0.1436', 'learning_rate': '1.181e-05', 'epoch': '2.846'}",
        {"loss": 0.1363, "grad_norm": 0.1436, "learning_rate": 1.181e-05, "epoch": 2.846},
    ),
    (
        "{'loss': nan, 'grad_norm': inf, 'learning_rate': 0.0, 'epoch': 0.01}",
        {"loss": math.nan, "grad_norm": math.inf, "learning_rate": 0.0, "epoch": 0.01},
    ),
    (
        "{'loss': 'nan', 'grad_norm': '-inf', 'learning_rate': '0', 'epoch': '1'}",
        {"loss": math.nan, "grad_norm": -math.inf, "learning_rate": 0.0, "epoch": 1.0},
    ),
    (
        "{'loss': 0, 'learning_rate': 5e-05, 'epoch': 1}",
        {"loss": 0.0, "learning_rate": 5e-05, "epoch": 1.0},
    ),
    # a record of which a bar or another rank took the front or the end
    (
        "  3%|▎  | 5/160 [00:10<05:10,  2.00s/it]{'loss': 1.5, 'epoch': 0.1}",
        {"loss": 1.5, "epoch": 0.1},
    ),
    ("{'loss': 1.5, 'grad_norm': 1.01, 'learn", {"loss": 1.5, "grad_norm": 1.01}),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_record(line: str, expected: dict[str, float]) -> None:
    found = [r for r in plainly(read(line)) if isinstance(r, Iteration)]
    assert found == plainly([Iteration(format="hf-trainer", iteration=None, values=expected)])


def test_an_evaluation_is_no_iteration() -> None:
    line = "{'eval_loss': 2.5, 'eval_runtime': 12.1, 'eval_samples_per_second': 82.4, 'epoch': 1.0}"
    assert only(line) == Validation(iteration=None, values={"loss": 2.5, "duration_s": 12.1})
    assert values(line.replace("2.5", "'2.5'"))["loss"] == 2.5


def test_the_closing_record_ends_the_run() -> None:
    line = "{'train_runtime': 919.097, 'train_samples_per_second': 1.088, 'train_loss': 7.1, 'epoch': 1.0}"
    assert only(line) == Exit(how="completed", why="train_runtime")


BARS: list[tuple[str, Bar]] = [
    (
        " 45%|████▌     | 723/1602 [2:12:45<2:59:53, 12.28s/it]",
        Bar(done=723, total=1602, step_time_s=12.28, elapsed_s=7965.0),
    ),
    (
        "  0%|          | 0/1602 [00:00<?, ?it/s]",
        Bar(done=0, total=1602, elapsed_s=0.0),
    ),
    (
        "100%|██████████| 16/16 [15:19<00:00, 54.99s/it]{'train_runtime': 919.097}",
        Bar(done=16, total=16, step_time_s=54.99, elapsed_s=919.0),
    ),
    (
        " 99%|█████████▉| 23054/23316 [2:22:47<01:34,  2.79it/s]",
        Bar(done=23054, total=23316, step_time_s=1 / 2.79, elapsed_s=8567.0),
    ),
    # frames of launchers around a bar
    (
        "0:  45%|████▌     | 723/1602 [2:12:45<2:59:53, 12.28s/it]",
        Bar(done=723, total=1602, step_time_s=12.28, elapsed_s=7965.0),
    ),
    (
        "[rank0]: 45%|████▌     | 723/1602 [2:12:45<2:59:53, 12.28s/it]",
        Bar(done=723, total=1602, step_time_s=12.28, elapsed_s=7965.0),
    ),
    (
        "[default0]:\x1b[A 45%|████▌     | 723/1602 [2:12:45<2:59:53, 12.28s/it]",
        Bar(done=723, total=1602, step_time_s=12.28, elapsed_s=7965.0),
    ),
]


@pytest.mark.parametrize(("line", "expected"), BARS)
def test_a_bar(line: str, expected: Bar) -> None:
    found = [r for r in plainly(read(line)) if isinstance(r, Bar)]
    assert found == plainly([expected])


# Bars that count files, shards, examples or batches of an evaluation, not iterations.
OTHER_BARS = [
    "Loading checkpoint shards: 100%|██████████| 3/3 [00:10<00:00,  3.55s/it]",
    "Downloading shards:  33%|███▎      | 1/3 [00:10<00:21, 10.5s/it]",
    "model.safetensors:  12%|█▏        | 524M/4.40G [00:10<01:14, 52.3MB/s]",
    "Downloading: 100%|██████████| 481/481 [00:00<00:00, 523kB/s]",
    "Map:  45%|████▌     | 4500/10000 [00:03<00:04, 1234.5 examples/s]",
    "Generating train split: 51200 examples [00:01, 41022.41 examples/s]",
    "Running tokenizer on dataset: 100%|██████████| 37/37 [00:12<00:00,  2.9ba/s]",
    "Fetching 12 files: 100%|██████████| 12/12 [00:00<00:00, 44.1it/s]",
    "Evaluating:  10%|█         | 10/100 [00:05<00:45,  2.00it/s]",
    "[rank0]: Evaluating:  10%|█         | 10/100 [00:05<00:45,  2.00it/s]",
    "  5%|▌         | 5.0k/100k [00:01<00:20, 4.7kB/s]",
    "Sanity Checking: 0it [00:00, ?it/s]",
    "0it [00:00, ?it/s]",
    "12it [00:06,  2.00it/s]",
]


@pytest.mark.parametrize("line", OTHER_BARS)
def test_bars_of_other_things_say_nothing(line: str) -> None:
    assert read(line) == []


EVENTS: list[tuple[str, list[Record]]] = [
    ("***** Running training *****", [Startup(marker="HF Trainer", once=False)]),
    ("  Num examples = 1,000", []),
    ("  Num Epochs = 3", [Fact(key="epochs", value=3.0)]),
    (
        "  Instantaneous batch size per device = 4",
        [Fact(key="micro_batch_size", value=4.0)],
    ),
    (
        "  Total train batch size (w. parallel, distributed & accumulation) = 1,024",
        [Fact(key="global_batch_size", value=1024.0)],
    ),
    ("  Total optimization steps = 1,602", [Fact(key="target_iteration", value=1602.0)]),
    (
        "[INFO|trainer.py:1749]   Number of trainable parameters = 1,557,611,200",
        [Fact(key="parameters", value=1557611200.0)],
    ),
    (
        "Saving model checkpoint to out/checkpoint-500",
        [SaveStarted(iteration=500, path="out/checkpoint-500")],
    ),
    ("Saving model checkpoint to out/final", []),
]


@pytest.mark.parametrize(("line", "expected"), EVENTS)
def test_events(line: str, expected: list[Record]) -> None:
    assert plainly(read(line)) == plainly(expected)
