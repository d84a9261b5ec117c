"""`trainwatch export`: the same rows in every format, read back with the real libraries."""

import builtins
import csv
import io
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.app.exporting.logs import STARTS, export, line, rows_of
from trainwatch.core.errors import ExitCode


def test_a_row_per_iteration(log: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    rows = rows_of(capsysbinary, log)
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9]
    assert [row["attempt"] for row in rows] == [0] * 5 + [1] * 6
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    first = rows[0]
    assert (first["step_time_s"], first["loss"], first["grad_norm"]) == (0.101, 8.5, 1.125)
    assert (first["consumed_samples"], first["global_batch_size"]) == (512, 512)
    assert first["params_norm"] == 7.5  # a column of the log's own
    assert first["tokens_per_s"] is None
    assert "flags" not in first


def test_flags_are_columns(log: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    rows = rows_of(capsysbinary, log)
    assert [row["iteration"] for row in rows if row["loss_is_nan"]] == [6]
    assert [row["iteration"] for row in rows if row["step_skipped"]] == [7]
    assert [row["iteration"] for row in rows if row["loss"] is None] == [6, 7]
    assert not any(row["step_time_derived"] or row["at_derived"] for row in rows)


def test_csv_holds_the_same(log: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    rows = rows_of(capsysbinary, log)
    out, _ = export(capsysbinary, log)
    read = list(csv.DictReader(io.StringIO(out)))
    assert len(read) == len(rows)
    for line_, row in zip(read, rows, strict=True):
        assert list(line_) == list(row)
        for key, value in row.items():
            if key == "grad_norm" and row["iteration"] == 8:
                assert line_[key] == "inf"  # which JSON cannot say
            elif isinstance(value, bool):
                assert line_[key] == str(value).lower()
            else:
                assert line_[key] == ("" if value is None else str(value))


def test_parquet_holds_the_same(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    from pyarrow import parquet

    rows = rows_of(capsysbinary, log)
    export(capsysbinary, log, "--format", "parquet", "-o", "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet")
    kinds = {field.name: str(field.type) for field in table.schema}
    assert (kinds["iteration"], kinds["attempt"], kinds["loss"]) == ("int64", "int64", "double")
    assert kinds["loss_is_nan"] == "bool"
    read = table.to_pylist()
    assert read[9]["grad_norm"] == float("inf")
    read[9]["grad_norm"] = None
    assert read == rows


def test_tensorboard_holds_the_same(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    rows = rows_of(capsysbinary, log)
    export(capsysbinary, log, "--format", "tensorboard", "-o", "tb")
    for attempt in (0, 1):
        (file,) = (tmp_path / "tb" / f"attempt-{attempt + 1}").iterdir()
        events = scalars(file)
        expected = [row for row in rows if row["attempt"] == attempt]
        assert [event.step for event in events] == [row["iteration"] for row in expected]
        for event, row in zip(events, expected, strict=True):
            assert event.wall_time == row["at_s"]
            values = {value.tag: value.simple_value for value in event.summary.value}
            assert ("loss" in values) == (row["loss"] is not None)
            assert values["step_time_s"] == pytest.approx(row["step_time_s"])
            assert "iteration" not in values


def test_one_attempt_is_one_tensorboard_run(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "one.log").write_text("".join(line(n) for n in range(1, 4)))
    export(capsysbinary, "one.log", "--format", "tensorboard", "-o", "tb")
    (file,) = (tmp_path / "tb").iterdir()
    assert len(scalars(file)) == 3


@pytest.mark.parametrize("lines", [3, 0], ids=["one attempt", "two attempts"])
def test_an_export_is_not_added_to_another_in_tensorboard(
    lines: int, log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    if lines:
        log.write_text("".join(line(n) for n in range(1, lines + 1)))
    tensorboard = (log, "--format", "tensorboard", "-o", "tb")
    export(capsysbinary, *tensorboard)
    before = sorted((tmp_path / "tb").rglob("*"))
    _, err = export(capsysbinary, *tensorboard, code=ExitCode.USAGE)
    assert "holds TensorBoard events already" in err
    assert sorted((tmp_path / "tb").rglob("*")) == before


def scalars(file: Path) -> list[Any]:
    """The events of a file that hold values: TFRecords of length, check, data, check."""
    from tensorboardX.proto.event_pb2 import Event

    data, events = file.read_bytes(), []
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        event = Event()
        event.ParseFromString(data[12 : 12 + length])
        events.append(event)
        data = data[16 + length :]
    return [event for event in events if event.summary.value]


def test_no_iteration_yet_is_a_table_without_rows(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "new.log").write_text(STARTS)
    out, err = export(capsysbinary, "new.log")
    assert len(out.splitlines()) == 1
    assert "no iteration" in err
    for form in ("jsonl", "parquet"):
        export(capsysbinary, "new.log", "--format", form, "-o", f"new.{form}")
    assert (tmp_path / "new.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("form", "package", "extra"),
    [("parquet", "pyarrow", "parquet"), ("tensorboard", "tensorboardX", "tensorboard")],
)
def test_without_the_package_it_says_what_to_install(
    form: str,
    package: str,
    extra: str,
    log: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    arguments = (log, "--format", form, "-o", "x")
    _, err = export(capsysbinary, *arguments, code=ExitCode.USAGE)
    assert f"pip install 'trainwatch[{extra}]'" in err
