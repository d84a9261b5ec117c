"""A user's own regular expression from the configuration."""

import math

import pytest

from tests.core.logs.reading import plainly, read
from trainwatch.core.errors import UsageError
from trainwatch.core.logs.custom import build
from trainwatch.core.logs.format import Format
from trainwatch.core.model.records import Iteration, Record, Validation

FORMAT = build(
    "mine",
    r"it (?P<iteration>\d+)(?: of (?P<target>\d+))? loss=(?P<loss>\S+)(?: (?P<step_time_ms>\S+) ms)?"
    r"(?: (?P<tokens_per_s>\S+) tok/s)?(?: mood=(?P<mood>\S+))?",
    "loss=",
)

LINES: list[tuple[str, list[Record]]] = [
    (
        "it 12 of 100 loss=2.5 350 ms 12.5K tok/s mood=3",
        [
            Iteration(
                format="custom:mine",
                iteration=12,
                target=100,
                values={"loss": 2.5, "step_time_s": 0.35, "tokens_per_s": 12500.0, "mood": 3.0},
            )
        ],
    ),
    (
        "[rank1]: it 12 loss=nan",
        [Iteration(format="custom:mine", speaker="rank1", iteration=12, values={"loss": math.nan})],
    ),
    (
        "2021-08-08 01:00:51 it 12 loss=inf",
        [
            Iteration(
                format="custom:mine",
                stamp=1628384451.0,
                iteration=12,
                values={"loss": math.inf},
            )
        ],
    ),
    ("it 12 loss=what", [Iteration(format="custom:mine", iteration=12, values={})]),
    ("it twelve loss=2.5", []),
    ("it 12 lose=2.5", []),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line(line: str, expected: list[Record]) -> None:
    assert plainly(read(line, extra=[FORMAT])) == plainly(expected)


def test_without_a_literal_every_line_is_matched() -> None:
    everywhere = build("mine", r"^(?P<iteration>\d+);(?P<loss>\S+)$")
    found = read("words\n1;2.5\n\nmore words\n2;2.25\n", extra=[everywhere])
    assert [(r.iteration, r.values) for r in found if isinstance(r, Iteration)] == [
        (1, {"loss": 2.5}),
        (2, {"loss": 2.25}),
    ]


def test_it_does_not_hide_other_formats() -> None:
    everywhere = build("mine", r"^(?P<iteration>\d+);(?P<loss>\S+)$")
    line = "step:125/6200 train_loss:4.1 train_time:27012ms step_avg:216.1ms"
    assert [r.format for r in read(f"1;2\n{line}\n3;4", extra=[everywhere])] == [
        "custom:mine",
        "modded-nanogpt",
        "custom:mine",
    ]


def test_the_users_format_wins_on_a_line_that_another_knows_too() -> None:
    mine = build("mine", r"step:(?P<iteration>\d+)/\d+ train_loss:(?P<loss>\S+)", " train_time:")
    line = "step:125/6200 train_loss:4.1 train_time:27012ms step_avg:216.1ms"
    assert [r.format for r in read(line, extra=[mine])] == ["custom:mine"]


def test_it_may_look_for_a_literal_of_another_format() -> None:
    megatron = (
        " iteration       20/    1000 | elapsed time per iteration (ms): 5837.9 | lm loss: 2.0 | "
        "number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    )
    mine = build("mine", r"cycle (?P<iteration>\d+)", "elapsed time per iteration")
    found = read(megatron + "cycle 3 elapsed time per iteration\n" + megatron * 2, extra=[mine])
    assert [r.format for r in found] == ["megatron-lm", "custom:mine", "megatron-lm", "megatron-lm"]


def test_a_validation_loss_makes_a_validation() -> None:
    mine = build("mine", r"at (?P<iteration>\d+) val (?P<validation_loss>\S+)", " val ")
    assert plainly(read("at 12 val 2.5", extra=[mine])) == [
        Validation(iteration=12, values={"loss": 2.5})
    ]


@pytest.mark.parametrize("pattern", ["(", r"(?P<speed>\d+)", r"\d+", ""])
def test_a_pattern_that_cannot_be_used_is_a_usage_error(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"formats\.mine\.pattern"):
        build("mine", pattern)


HOSTILE = [
    build("samples", r"loss=(?P<loss>\S+) samples=(?P<consumed_samples>\S+)", "loss="),
    build("epoch", r"loss=(?P<loss>\S+) epoch=(?P<epoch>\S+)", "loss="),
    build("all", r"(?P<iteration>\S+)/(?P<target>\S+)/(?P<elapsed_s>\S+)", "/"),
]


@pytest.mark.parametrize("mine", HOSTILE, ids=lambda mine: mine.name)
@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "-1", "1e308", "9" * 400, "1e-320"])
def test_any_number_is_read_without_an_error(mine: Format, number: str) -> None:
    read(f"loss={number} samples={number} epoch={number} {number}/{number}/{number}", extra=[mine])
