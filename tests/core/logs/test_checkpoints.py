"""Saves, loads and validations in Megatron's words, old and new."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import math

import pytest

from tests.core.logs.reading import at, plainly, read
from trainwatch.core.model.records import (
    FreshWeights,
    Loaded,
    Record,
    SaveDone,
    SaveStarted,
    SaveTime,
    Validation,
)

STAMP = at("2026-05-28 13:01:07.645545")
SAVES: list[tuple[str, list[Record]]] = [
    (
        "saving checkpoint at iteration   33241 to /scratch/ckpt",
        [SaveStarted(iteration=33241, path="/scratch/ckpt")],
    ),
    (
        "[default0]:saving checkpoint at iteration   33241 to /scratch/ckpt",
        [SaveStarted(iteration=33241, path="/scratch/ckpt")],
    ),
    (
        "  successfully saved checkpoint at iteration   33241 to /scratch/ckpt",
        [SaveDone(iteration=33241, path="/scratch/ckpt")],
    ),
    (
        "[2026-05-28 13:01:07.645545] saving checkpoint at iteration      50 to /ckpt in torch_dist format",
        [SaveStarted(iteration=50, path="/ckpt", stamp=STAMP)],
    ),
    (
        "  [2026-05-28 13:01:07.645545] successfully saved checkpoint from iteration      50 to /ckpt [ t 1/1, p 1/1 ]",
        [SaveDone(iteration=50, path="/ckpt", stamp=STAMP)],
    ),
    (
        "  successfully saved checkpoint at iteration      50 to",
        [SaveDone(iteration=50)],
    ),
    ("time (ms) | save-checkpoint: 57514.53", [SaveTime(duration_s=57.51453)]),
    ("time (ms) | save checkpoint: 57514.53", []),
    (
        "    save-checkpoint ................................: (24895.07, 24895.13)",
        [SaveTime(duration_s=24.89513)],
    ),
    ("time (ms) | save-checkpoint: nan", []),
    ("(min, max) time across ranks (ms):", []),
    ("    load-checkpoint ................................: (1.07, 2.13)", []),
    ("args: --no-save-checkpoint --save-interval 100", []),
    ("saving checkpoint at iteration {iteration} to {path}", []),
    # two ranks in one line
    (
        "saving checkpoint at iteration      10 to /ckpt  successfully saved checkpoint at iteration      10 to /ckpt",
        [SaveStarted(iteration=10, path="/ckpt"), SaveDone(iteration=10, path="/ckpt")],
    ),
]
LOADS: list[tuple[str, list[Record]]] = [
    (" loading checkpoint from /ckpt at iteration 1000", [Loaded(iteration=1000, path="/ckpt")]),
    (" loading checkpoint from /ckpt", [Loaded(iteration=None, path="/ckpt")]),
    (
        " loading distributed checkpoint from /ckpt at iteration 680",
        [Loaded(iteration=680, path="/ckpt")],
    ),
    (" loading release checkpoint from /ckpt", [Loaded(iteration=None, path="/ckpt")]),
    (" loading release distributed checkpoint from /ckpt", [Loaded(iteration=None, path="/ckpt")]),
    ("loading distributed tables of checkpoint from /ckpt", []),
    (
        "  successfully loaded checkpoint from /ckpt at iteration 1000",
        [Loaded(iteration=1000, path="/ckpt", done=True)],
    ),
    (
        "  successfully loaded checkpoint from /ckpt [ t 1/2, p 1/4 ] at iteration 1000  ",
        [Loaded(iteration=1000, path="/ckpt", done=True)],
    ),
    (
        "    will not load any checkpoints and will start from random",
        [FreshWeights()],
    ),
    ("Loading checkpoint shards: 100%|██████████| 3/3", []),
    ("reloading checkpoint tables", []),
]
VALIDATIONS: list[tuple[str, list[Record]]] = [
    (
        " validation loss at iteration 7000 | lm loss value: 7.174200E+00 | lm loss PPL: 1.305315E+03 |",
        [Validation(iteration=7000, values={"loss": 7.1742, "ppl": 1305.315})],
    ),
    (
        "[default7]: valid loss at iteration 45000 | lm loss value: 2.1E+00 | lm loss PPL: 8.1E+00 | ",
        [Validation(iteration=45000, values={"loss": 2.1, "ppl": 8.1})],
    ),
    (
        " validation-wiki loss at iteration 100 | lm loss value: 2.1E+00 | lm loss PPL: 8.1E+00 | ",
        [Validation(iteration=100, values={"loss": 2.1, "ppl": 8.1}, name="wiki")],
    ),
    (
        " validation loss at iteration 10 on validation set | lm loss value: nan | lm loss PPL: inf |",
        [
            Validation(
                iteration=10,
                values={"loss": math.nan, "ppl": math.inf},
                name="on validation set",
            )
        ],
    ),
    (
        " validation loss at the end of training for val data | lm loss value: 2.0 | lm loss PPL: 7.4 |",
        [Validation(iteration=None, values={"loss": 2.0, "ppl": 7.4}, name="for val data")],
    ),
    (" validation loss at iteration 7000 | ", []),
    (" validation loss at iteration 7000", []),
    ("lower loss at iteration 7000 | lm loss value: 2.0 |", []),
    ("invalid loss at iteration 7000 | lm loss value: 2.0 |", []),
]


@pytest.mark.parametrize(("line", "expected"), SAVES + LOADS + VALIDATIONS)
def test_a_line(line: str, expected: list[Record]) -> None:
    assert plainly(read(line)) == plainly(expected)
