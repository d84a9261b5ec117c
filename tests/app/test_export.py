"""`trainwatch export`: the same rows in every format, read back with the real libraries."""

import builtins
import csv
import io
import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trainwatch.app.cli import run
from trainwatch.app.exporting import history as exporting
from trainwatch.core.errors import ExitCode

LINE = (
    " [2026-05-28 13:{minute:02d}:07.500000] iteration {n:8d}/    1000 | consumed samples: {s:12d} | "
    "elapsed time per iteration (ms): {ms:.1f} | learning rate: 1.0E-04 | global batch size:   512 |"
    "{loss} loss scale: 1.0 | grad norm: {norm} | params norm: 7.5 | number of skipped iterations:   "
    "{skipped} | number of nan iterations:   0 |\n"
)
STARTS = "------------------------ arguments ------------------------\n"


def line(
    n: int, *, loss: str = " lm loss: 8.5E+00 |", norm: str = "1.125", skipped: int = 0
) -> str:
    return LINE.format(
        n=n, s=n * 512, ms=100 + n, minute=n % 60, loss=loss, norm=norm, skipped=skipped
    )


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(exporting, "CHUNK_ROWS", 4)
    return tmp_path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two attempts: 1 to 5, then 4 to 9; a NaN loss at 6, a skipped step at 7, inf as a norm at 8."""
    path = tmp_path / "run.log"
    first = [line(n) for n in range(1, 6)]
    second = [
        line(4),
        line(5),
        line(6, loss=""),
        line(7, loss="", skipped=1),
        line(8, norm="inf"),
        line(9),
    ]
    path.write_text("".join([STARTS, *first, STARTS, *second]))
    return path


def export(
    capsysbinary: pytest.CaptureFixture[bytes], *arguments: object, code: int = 0
) -> tuple[str, str]:
    assert run(["export", *map(str, arguments)]) == code
    said = capsysbinary.readouterr()
    return said.out.decode(), said.err.decode()


def rows_of(capsysbinary: pytest.CaptureFixture[bytes], log: Path) -> list[dict[str, Any]]:
    out, _ = export(capsysbinary, log, "--format", "jsonl")
    return [json.loads(text) for text in out.splitlines()]


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


def test_a_second_export_goes_on_where_the_first_stopped(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = rows_of(capsysbinary, log)
    with log.open("a") as file:
        file.write(line(10))
    after = rows_of(capsysbinary, log)
    assert after[: len(before)] == before
    assert after[-1]["iteration"] == 10
    assert not list((tmp_path / "state").rglob("damaged*"))


def test_a_run_outlives_its_log(log: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    before = rows_of(capsysbinary, log)
    log.unlink()
    assert rows_of(capsysbinary, log) == before


def test_a_configured_run_by_its_name(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    config = tmp_path / "c.toml"
    config.write_text(f'[[runs]]\nname = "tr11"\nlog = "{log}"\n')
    out, _ = export(capsysbinary, "tr11", "--config", config)
    assert len(out.splitlines()) == 12


def test_where_nothing_can_be_kept_it_works_all_the_same(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "state").write_text("a file, where the folder should be")
    assert len(rows_of(capsysbinary, log)) == 11


def test_while_another_process_watches_its_store_is_read(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    code = (
        "import sys; from trainwatch.app import config; from trainwatch.app.wire import Site; "
        "site = Site(config.Settings()); watched = site.watched(site.run_of(sys.argv[1])); "
        "watched.tick(2e9, 0); print('holds', flush=True); sys.stdin.read(); watched.close()"
    )
    command = [sys.executable, "-c", code, str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"holds\n"
        rows = rows_of(capsysbinary, log)
        holder.communicate(b"")
    assert len(rows) == 11


def test_a_file_is_whole_or_not_there(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    out, _ = export(capsysbinary, log)
    said, _ = export(capsysbinary, log, "-o", "run.csv")
    assert said == ""
    assert (tmp_path / "run.csv").read_text() == out
    assert not list(tmp_path.glob(".run.csv*"))


def test_a_pipe_is_written_to(log: Path) -> None:
    command = f"{sys.executable} -m trainwatch export {log} -o /dev/stdout | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("iteration,attempt,at_s")


def test_nobody_who_reads_is_no_error(log: Path) -> None:
    log.write_text("".join(line(n) for n in range(1, 3000)))
    command = f"{sys.executable} -m trainwatch export {log} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.endswith("\n0\n")


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["run.log", "--format", "parquet"], ExitCode.USAGE, "needs -o and the file"),
        (["run.log", "--format", "tensorboard"], ExitCode.USAGE, "needs -o and the folder"),
        (["run.log", "--format", "tensorboard", "-o", "run.log"], ExitCode.USAGE, "a folder"),
        (["run.log", "-o", "."], ExitCode.USAGE, "is a folder; name a file in it, e.g. run.csv"),
        (["run.log", "-o", "no/where.csv"], ExitCode.USAGE, "no does not exist"),
        (["run.log", "--format", "xml"], ExitCode.USAGE, "xml"),
        (["no.log"], ExitCode.USAGE, "no.log does not exist"),
        (["."], ExitCode.USAGE, "is a folder"),
        (["empty.log"], ExitCode.UNKNOWN, "is empty so far"),
        (["text.log"], ExitCode.UNKNOWN, "no log format"),
        ([], ExitCode.USAGE, "LOG_OR_RUN"),
    ],
)
def test_what_cannot_be_is_explained(
    arguments: list[str],
    code: ExitCode,
    word: str,
    log: Path,
    tmp_path: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert log.exists()
    (tmp_path / "empty.log").touch()
    (tmp_path / "text.log").write_text("nothing\n" * 10)
    out, err = export(capsysbinary, *arguments, code=code)
    assert word in err
    assert out == ""


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
