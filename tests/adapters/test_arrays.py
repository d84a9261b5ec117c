"""What charts read of a store: the rows that count, the open one last, and only what is new."""

from array import array
from pathlib import Path

import numpy as np
import pytest

from trainwatch.adapters.store import StoreWriter
from trainwatch.adapters.store.arrays import Arrays, Floats
from trainwatch.adapters.store.view import StoreView
from trainwatch.core.columns import Columns, from_rows
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.state import Event, Row, RunState
from trainwatch.core.model.status import Status

WANTED = frozenset({"iteration", "loss"})


def rows(first: int, last: int, **more: float) -> Columns:
    return from_rows({"iteration": n, "loss": n / 10, **more} for n in range(first, last + 1))


def state(number: int | None = None) -> RunState:
    if number is None:
        return RunState(run="r")
    row = Row(iteration=number, attempt=0, format="f", time=None, values={"loss": number / 10})
    return RunState(run="r", open=row)


def saved(n: int) -> Event:
    return Event(at=1.0 * n, kind="saved", iteration=n, offset=n * 100)


class Rig:
    """A writer and a view of one store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.open()
        self.view = StoreView(folder)

    def open(self) -> None:
        self.writer = StoreWriter(self.folder)
        self.writer.load()

    def commit(self, table: Columns, *events: Event, open_row: int | None = None) -> None:
        self.writer.commit(table, events, state(open_row), Mark())

    def iterations(self) -> list[float]:
        return list(self.view.history(WANTED).columns["iteration"])


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path / "run")


def test_an_empty_store(tmp_path: Path) -> None:
    view = StoreView(tmp_path / "none")
    assert view.status() is None
    assert view.history(WANTED).rows == 0
    assert view.journal().events == ()


def test_rows_come_as_they_are_kept(rig: Rig) -> None:
    rig.commit(rows(1, 3))
    assert rig.iterations() == [1, 2, 3]
    rig.commit(rows(4, 5))
    assert rig.iterations() == [1, 2, 3, 4, 5]


def test_the_open_iteration_is_the_last_row_until_it_is_kept(rig: Rig) -> None:
    rig.commit(rows(1, 3), open_row=4)
    seen = rig.view.history(WANTED)
    assert seen.rows == 4
    assert np.asarray(seen.columns["loss"]).tolist() == [0.1, 0.2, 0.3, 0.4]
    rig.commit(rows(4, 6), open_row=7)
    assert rig.iterations() == [1, 2, 3, 4, 5, 6, 7]


def test_what_a_killed_writer_left_does_not_count(rig: Rig) -> None:
    rig.commit(rows(1, 3))
    for path in (rig.folder / "history").glob("*.f64"):
        with path.open("ab") as file:
            file.write(array("d", (99.0, 99.0)).tobytes())
    assert rig.iterations() == [1, 2, 3]


def test_a_column_that_comes_late_is_unknown_before(rig: Rig) -> None:
    rig.commit(rows(1, 2))
    rig.iterations()
    rig.commit(rows(3, 3, z_loss=5.0))
    seen = rig.view.history(WANTED | {"z_loss", "never"})
    late = np.asarray(seen.columns["z_loss"])
    assert np.isnan(late[:2]).all()
    assert late[2] == 5.0
    assert np.isnan(np.asarray(seen.columns["never"])).all()
    assert {"iteration", "loss", "z_loss"} <= set(seen.names)


def test_only_new_rows_are_read(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.commit(rows(1, 100_000))
    first = np.asarray(rig.view.history(WANTED).columns["iteration"])
    rig.commit(rows(100_001, 100_002))
    read: list[int] = []
    original = Arrays._read_into

    def counted(self: Arrays, room: Floats, name: str, stop: int) -> None:
        read.append(len(room))
        original(self, room, name, stop)

    monkeypatch.setattr(Arrays, "_read_into", counted)
    assert rig.iterations()[-1] == 100_002
    assert read == [2, 2]
    assert first.tolist() == list(range(1, 100_001))  # what was handed out is as it was


def test_a_store_that_is_begun_anew(rig: Rig) -> None:
    rig.commit(rows(1, 5), saved(5))
    assert rig.view.journal().events == (saved(5),)
    assert len(rig.iterations()) == 5
    rig.writer.start_over()
    rig.commit(rows(11, 17), saved(17))
    assert rig.iterations() == [11, 12, 13, 14, 15, 16, 17]
    assert rig.view.journal().events == (saved(17),)


def test_the_journal_as_it_grows(rig: Rig) -> None:
    validation = Event(at=2.0, kind="validation", iteration=7, values={"loss": 2.5}, offset=3)
    began = Event(at=0.0, kind="attempt-began", attempt=3, offset=42)
    rig.commit(Columns(), began, saved(5))
    assert list(rig.view.journal().marks.saved) == [5]
    rig.commit(Columns(), validation, saved(10))
    seen = rig.view.journal()
    assert seen.events == (began, saved(5), validation, saved(10))
    assert list(seen.marks.saved) == [5, 10]
    assert list(seen.marks.saved_offset) == [500, 1000]
    assert list(seen.marks.validation_loss) == [2.5]
    assert seen.marks.attempt_offset == {3: 42}


def test_a_damaged_line_of_the_journal_is_left_out(rig: Rig) -> None:
    rig.commit(Columns(), saved(1))
    journal = rig.folder / "journal.jsonl"
    journal.write_bytes(b"x" * (len(journal.read_bytes()) - 1) + b"\n")
    rig.commit(Columns(), saved(2))
    assert rig.view.journal().events == (saved(2),)


def test_the_status_is_read_again_when_it_changed(rig: Rig) -> None:
    rig.commit(rows(1, 1))
    rig.writer.publish(Status(run="r", health="ok"))
    first = rig.view.status()
    assert first is not None
    assert rig.view.status() is first
    rig.writer.publish(Status(run="r", health="critical"))
    again = rig.view.status()
    assert again is not None
    assert again.health == "critical"
