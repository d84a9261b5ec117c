"""Folding: every line is in one row, what must be seen stands alone, measured numbers are no names."""

from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.logs.folds import LONGEST, Row, folded, kind_of

NCCL = "[default{0}]:r6i4n3:30{0}:31 [0] NCCL INFO Channel 0{0}/02 :    0   1"
RANKS = "[default{0}]: setting tensorboard on rank {0} at 2025-03-03 08:00:0{0},123"
TEXTS = (
    NCCL, RANKS, " iteration {0}/ 10 | lm loss: 1.{0}", "RuntimeError: {0}", "UserWarning: {0}", "",
    "tps 3.{0}", "see_memory_usage {0}", "  {0}%|██ | {0}/9 [00:0{0}<00:01, 6.01it/s]", "x" * 3000,
)  # fmt: skip
logs = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.integers(0, 9)).map(lambda line: line[0].format(line[1])),
    max_size=60,
)


def rows_of(lines: list[str], alone: frozenset[int] = frozenset()) -> list[Row]:
    return folded([kind_of(line) for line in lines], alone.__contains__)


@given(logs, st.frozensets(st.integers(0, 59)))
def test_every_line_is_in_one_row_and_those_that_count_stand_alone(
    lines: list[str], alone: frozenset[int]
) -> None:
    rows = rows_of(lines, alone)
    assert [n for row in rows for n in range(row.first, row.first + row.lines)] == [
        *range(len(lines))
    ]
    for row in rows:
        inside = range(row.first, row.first + row.lines)
        kinds = {kind_of(lines[n]).level for n in inside}
        assert row.lines == 1 or not kinds & {"error", "warning", "progress"}
        assert row.lines == 1 or not alone & {*inside}
        assert row.lines == 1 or bool(row.noise) == (kinds == {"noise"})


@given(logs)
def test_what_is_folded_is_what_folding_its_parts_gives(lines: list[str]) -> None:
    """A line that stands alone parts what is before it from what is behind it."""
    at = len(lines) // 2
    rows = rows_of(lines, frozenset((at,)))
    before = [row for row in rows if row.first < at]
    assert before == rows_of(lines[:at])


def test_noise_is_one_row_that_names_it() -> None:
    lines = ["start", *(NCCL.format(n) for n in range(9)), "see_memory_usage 1", "end"]
    assert rows_of(lines) == [Row(0), Row(1, 10, "NCCL INFO, memory use"), Row(11)]
    assert rows_of([NCCL.format(1), "end"]) == [Row(0), Row(1)]


def test_of_repeated_lines_the_first_is_kept() -> None:
    assert rows_of([RANKS.format(n) for n in range(8)]) == [Row(0), Row(1, 7)]
    assert rows_of(["same", "same", "other"]) == [Row(0), Row(1), Row(2)]
    assert rows_of([""] * 5) == [Row(0), Row(1, 4)]


def test_names_are_alike_and_measurements_are_not() -> None:
    alike = ("rank 1 of 8", "rank 7 of 8", "rank 8 of 8")
    assert len(rows_of([*alike])) == 2
    assert len({kind_of(f"at 0x{n:x}f from 10.0.0.{n}:80").shape for n in range(9)}) == 1
    assert (
        len({kind_of(f"12:00:0{n}.5 | 2026-01-0{n + 1}T12:00:00 ok").shape for n in range(9)}) == 1
    )
    assert len(rows_of(["speed 1.5", "speed 1.6", "speed 1.7"])) == 3


def test_the_last_of_progress_bars_is_seen() -> None:
    bars = [f"  {n}%|██ | {n}/9 [00:01<00:01, {n}.01it/s]" for n in range(9)]
    assert rows_of(bars) == [Row(0, 8, "progress bars"), Row(8)]
    assert rows_of(bars[:2]) == [Row(0), Row(1)]


def test_long_lines_do_not_fold() -> None:
    assert len(rows_of(["y" * (LONGEST + 1)] * 5)) == 5
    assert len(rows_of(["NCCL INFO " + "y" * LONGEST] * 5)) == 5
