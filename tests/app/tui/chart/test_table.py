"""The view as a table: every row of it, as it is."""

import csv
import io
import threading
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.app.tui.chart.comparable import TwoRuns
from tests.app.tui.chart.test_chart_keys import axis_shown, typed
from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.runs import HEALTHY, STATUS
from tests.app.tui.test_keys import part
from trainwatch.app.commands.tui import table_keeper
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.chart.metrics import METRICS
from trainwatch.app.tui.chart.table import Rows, Tabled, lines, needed
from trainwatch.app.tui.saving import Saver
from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.errors import MissingExtra
from trainwatch.core.model.snapshot import History

NAN, INF = np.nan, np.inf
LOSS, NORM = METRICS[0], METRICS[2]
COLUMNS = {
    "iteration": (1, 2, 3, 2, 3, 4),
    "attempt": (0, 0, 0, 1, 1, 1),
    "at_s": (10, 20, 30, 100, NAN, 120.5),
    "consumed_tokens": (100, 200, 300, 200, 300, 400),
    "consumed_samples": (NAN,) * 6,
    "global_batch_size": (NAN,) * 6,
    "flags": (0, 0, 0, 0, LOSS_NAN, 0),
    "loss": (7, 6.25, 5, 6, NAN, 1e-7),
    "grad_norm": (1, 1, 1, 1, INF, NAN),
}


def rows(name: str = "tr1", **other: object) -> Rows:
    table = {n: np.array(c, float) for n, c in {**COLUMNS, **other}.items()}
    return Rows(name, History(rows=6, names=tuple(table), columns=table), STATUS)


def table(view: Tabled) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(lines(view)))))


def test_every_row_with_what_it_was() -> None:
    found = "".join(lines(Tabled((rows(),), (LOSS, NORM), "iteration", 1, 4)))
    assert found.splitlines() == [
        "run,iteration,consumed_tokens,at_s,attempt,trained_again,loss,grad_norm",
        "tr1,1,100,10,0,false,7,1",
        "tr1,2,200,20,0,true,6.25,1",
        "tr1,3,300,30,0,true,5,1",
        "tr1,2,200,100,1,false,6,1",
        "tr1,3,300,,1,false,nan,inf",  # unknown is empty; what was NaN says so
        "tr1,4,400,120.5,1,false,1e-07,",
    ]


@pytest.mark.parametrize(
    ("kind", "left", "right", "iterations"),
    [
        ("iteration", 2, 3, ["2", "3", "2", "3"]),
        ("tokens", 250, 400, ["3", "3", "4"]),
        ("time", 20, 100, ["2", "3", "2"]),
        ("time", 5000, 6000, []),
    ],
)
def test_only_what_is_in_view(kind: str, left: float, right: float, iterations: list[str]) -> None:
    view = Tabled((rows(),), (LOSS,), kind, left, right)  # type: ignore[arg-type]
    assert [row["iteration"] for row in table(view)] == iterations


def test_another_run_comes_behind_it() -> None:
    view = Tabled((rows(), rows("a,b", loss=[1.0] * 6)), (LOSS,), "iteration", 1, 1)
    assert [(row["run"], row["loss"]) for row in table(view)] == [("tr1", "7"), ("a,b", "1")]


def test_a_name_is_no_formula() -> None:
    found = table(Tabled((rows("=cmd()\x1b[0m"),), (LOSS,), "iteration", 1, 1))
    assert found[0]["run"] == "'=cmd() [0m"


def test_without_tokens_they_are_empty() -> None:
    view = Tabled((rows(consumed_tokens=[NAN] * 6),), (LOSS,), "iteration", 1, 1)
    assert table(view)[0]["consumed_tokens"] == ""


def test_long_ones_come_in_pieces() -> None:
    count = 40_000
    columns = {name: np.full(count, NAN) for name in needed((LOSS,))}
    columns["iteration"] = np.arange(1.0, count + 1)
    history = History(rows=count, names=tuple(columns), columns=columns)
    view = Tabled((Rows("a", history, STATUS),), (LOSS,), "iteration", 1, count)
    pieces = list(lines(view))
    assert len(pieces) == 4
    assert sum(piece.count("\n") for piece in pieces) == count + 1


async def test_the_key_writes_what_is_seen() -> None:
    kept = list[str]()

    def save(pieces: Iterable[str]) -> str:
        kept.append("".join(pieces))
        return "/x/view.csv"

    async with opened(TwoRuns(), (120, 40), save_view=save) as pilot:
        await typed(pilot, "R", "2300-2305")
        await typed(pilot, "v", "tr12")
        await until(pilot, lambda: "○ tr12" in text_of(pilot), "the other run")
        await pilot.press("w")
        await until(pilot, lambda: "saved /x/view.csv" in text_of(pilot), "the file")
        found = list(csv.DictReader(io.StringIO(kept[0])))
        assert [row["run"] for row in found] == [HEALTHY.status.run] * 8 + ["tr12"] * 8
        assert float(found[8]["loss"]) == pytest.approx(float(found[0]["loss"]) + 1)
        assert set(found[0]) >= {"iteration", "consumed_tokens", "at_s", "loss", "tflops"}
        assert part(pilot, Charts).columns() == part(pilot, Charts).columns() - {"consumed_tokens"}
        await pilot.press("X", "X")
        await axis_shown(pilot, "time")
        await pilot.press("w")
        await until(pilot, lambda: len(kept) == 2, "another file")


async def test_there_may_be_nothing_to_save() -> None:
    empty = replace(HEALTHY, history=History())
    async with opened(empty, (80, 24), save_view=lambda pieces: "x") as pilot:
        await pilot.press("w")
        await until(pilot, lambda: "nothing to save yet" in text_of(pilot), "an answer")


async def test_a_disk_that_is_full_is_told() -> None:
    def full(pieces: Iterable[str]) -> str:
        raise OSError(28, "No space left on device")

    async with opened(HEALTHY, (120, 24), save_view=full) as pilot:
        await pilot.press("w")
        await until(pilot, lambda: "cannot save it: No space left" in text_of(pilot), "why not")


def test_one_thing_is_written_at_a_time() -> None:
    go_on, told = threading.Event(), list[str]()
    done = threading.Event()

    def keep() -> str:
        go_on.wait(20)
        return "a"

    def deliver(said: str) -> None:
        told.append(said)
        done.set()

    saver = Saver(deliver)
    assert saver.save(keep) == "saving"
    assert saver.save(keep) == "still saving; try again"
    go_on.set()
    assert done.wait(20)
    assert told == ["saved a"]


def test_a_table_is_kept_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(table_keeper("a/b: c")(["x,y\n", "1,2\n"]))
    assert path.read_text() == "x,y\n1,2\n"
    assert path.name.startswith("a-b-c-")
    path.unlink()

    def broken() -> Iterable[str]:
        yield "x\n"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        table_keeper("a")(broken())
    assert list(tmp_path.iterdir()) == []


async def test_a_png_is_made_of_the_picture_beside_the_screen() -> None:
    drawn = list[str]()

    def save(svg: str) -> str:
        drawn.append(svg)
        return "/x/y.png"

    async with opened(HEALTHY, (80, 24), save_png=save) as pilot:
        await pilot.press("P")
        await until(pilot, lambda: "saved /x/y.png" in text_of(pilot), "the file")
        assert drawn[0].startswith("<svg")


async def test_without_its_library_a_png_is_explained() -> None:
    def save(svg: str) -> str:
        raise MissingExtra("a PNG needs resvg-py")

    async with opened(HEALTHY, (80, 24), save_png=save) as pilot:
        await pilot.press("P")
        await until(pilot, lambda: "a PNG needs resvg-py" in text_of(pilot), "why not")
