"""A short look at a store: its status where that changed, the end of its history, and whose a log is."""

import getpass
import math
import os
from array import array
from pathlib import Path

import msgspec
import pytest

from trainwatch.adapters.owners import owner_of
from trainwatch.adapters.store.glance import Glance
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.status import Status


class Made:
    """What the status becomes, and how often."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.glance = Glance(folder, self.make)

    def make(self, status: Status) -> str:
        self.count += 1
        return f"{status.run} {status.iteration}"

    def write(self, data: bytes) -> None:
        temporary = self.folder / "next"
        temporary.write_bytes(data)
        temporary.replace(self.folder / "status.json")


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def status(iteration: int) -> bytes:
    return msgspec.json.encode(Status(run="tr11", health="ok", iteration=iteration))


def test_an_unchanged_status_is_not_read_again(made: Made) -> None:
    assert made.glance.look() is None
    made.write(status(1))
    first = made.glance.look()
    assert first == "tr11 1"
    assert made.glance.look() is first
    assert made.count == 1
    made.write(status(2))
    assert made.glance.look() == "tr11 2"
    assert made.count == 2


def test_a_status_that_is_gone(made: Made) -> None:
    made.write(status(1))
    assert made.glance.look() is not None
    (made.folder / "status.json").unlink()
    assert made.glance.look() is None
    made.write(status(1))
    assert made.glance.look() == "tr11 1"


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"run": 1}', b"\xff\xfe", status(1)[:-9]])
def test_a_damaged_status_says_so_each_time_and_is_read_once(made: Made, data: bytes) -> None:
    made.write(status(1))
    made.glance.look()
    made.write(data)
    for _ in range(2):
        with pytest.raises(StoreUnusable, match=r"status\.json is damaged"):
            made.glance.look()
    made.write(status(3))
    assert made.glance.look() == "tr11 3"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_status_that_may_not_be_read(made: Made) -> None:
    made.write(status(1))
    (made.folder / "status.json").chmod(0)
    with pytest.raises(PermissionError):
        made.glance.look()


def test_a_status_that_is_a_folder(made: Made) -> None:
    (made.folder / "status.json").mkdir()
    with pytest.raises(IsADirectoryError):
        made.glance.look()


def columns(folder: Path, **values: list[float]) -> None:
    (folder / "history").mkdir(exist_ok=True)
    for name, column in values.items():
        (folder / "history" / f"{name}.f64").write_bytes(array("d", column).tobytes())


def test_the_end_of_columns(made: Made) -> None:
    columns(made.folder, step_time_s=[1.0, 2.0, 3.0], batch=[4.0, 5.0, 6.0])
    table = made.glance.tail(("step_time_s", "batch"), 2)
    assert [*table["step_time_s"]] == [2.0, 3.0]
    assert [*table["batch"]] == [5.0, 6.0]
    assert [*made.glance.tail(("batch",), 99)["batch"]] == [4.0, 5.0, 6.0]


def test_columns_that_are_written_just_now_are_read_at_the_same_rows(made: Made) -> None:
    columns(made.folder, step_time_s=[1.0, 2.0, 3.0], batch=[4.0, 5.0])
    with (made.folder / "history/batch.f64").open("ab") as file:
        file.write(b"\0\0\0")
    table = made.glance.tail(("step_time_s", "batch"), 1)
    assert ([*table["step_time_s"]], [*table["batch"]]) == ([2.0], [5.0])


def test_a_column_that_is_not_there_is_unknown(made: Made) -> None:
    assert not made.glance.tail(("step_time_s",), 9)["step_time_s"]
    columns(made.folder, step_time_s=[1.0])
    assert math.isnan(made.glance.tail(("step_time_s", "batch"), 9)["batch"][0])


def test_whose_a_file_is(tmp_path: Path) -> None:
    assert owner_of(tmp_path) == getpass.getuser()
    assert owner_of(tmp_path / "none") == ""
    assert owner_of(Path("\0")) == ""
