"""Which logs `trainwatch report` reads, and what it says of those it cannot."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.reporting.logs import report, rows_of, write
from trainwatch.core.errors import ExitCode


def test_no_log_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "name a log" in report(capsys, code=ExitCode.USAGE)[1]


@pytest.mark.parametrize("kind", ["missing", "gzip", "pipe", "no match"])
def test_a_log_that_cannot_be_read_does_not_stop_the_others(
    kind: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    good, bad = write(tmp_path / "a.out"), tmp_path / "bad.out"
    if kind == "gzip":
        bad.write_bytes(gzip.compress(b"x"))
    elif kind == "pipe":
        os.mkfifo(bad)
    name = "x*.out" if kind == "no match" else str(bad)
    found = rows_of(capsys, name, str(good), code=ExitCode.UNHEALTHY)
    assert [row["iterations"] for row in found if row["error"] is None] == [3]
    if kind != "no match":
        assert str(bad) in found[0]["error"]
        assert found[0]["end"] == "unknown"
    out, err = report(capsys, name, str(good), code=ExitCode.UNHEALTHY)
    assert name in err
    assert ("unreadable" in out) == (kind != "no match")
    assert report(capsys, name, code=ExitCode.USAGE)[0] == ""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("hello\nworld\n", id="another text"),
        pytest.param("\0\xff\x00" * 5000, id="binary"),
    ],
)
def test_a_log_of_no_known_format_is_unknown(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.log"
    path.write_text(text)
    (row,) = rows_of(capsys, str(path), code=ExitCode.UNKNOWN)
    assert (row["framework"], row["end"], row["iterations"]) == (None, "unknown", 0)
    out, err = report(capsys, str(path), code=ExitCode.UNKNOWN)
    assert "fail" not in out
    assert ("is empty so far" if not text else "no log format") in err
    write(tmp_path / "b.log")
    report(capsys, str(path), str(tmp_path / "b.log"), code=ExitCode.OK)


def test_folders_are_searched_for_logs_and_nothing_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("r/a.out", "r/deep/main_log.txt", "r/x.log.1", "r/slurm.o123"):
        write(tmp_path / name)
    for name in (
        "r/notes.txt",
        "r/model.py",
        "r/.hidden.out",
        "r/.git/x.log",
        "r/global_step10/y.log",
    ):
        write(tmp_path / name)
    (tmp_path / "r/other.log").write_text("nothing of ours\n")
    (tmp_path / "r/dangling.out").symlink_to("nowhere")
    found = rows_of(capsys, "r", "r/a.out")
    assert [row["log"] for row in found] == [
        "r/a.out",
        "r/slurm.o123",
        "r/x.log.1",
        "r/deep/main_log.txt",
    ]
    assert "left out" in report(capsys, "r")[1]
    (tmp_path / "empty").mkdir()
    assert "no file that is called like a log" in report(capsys, "empty", code=ExitCode.USAGE)[1]


def test_an_empty_name_is_not_this_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / "a.out")
    out, err = report(capsys, "", code=ExitCode.USAGE)
    assert (out, "an empty name stands for no log" in err) == ("", True)


def test_a_folder_that_may_not_be_searched_is_told(tmp_path: Path) -> None:
    log = write(tmp_path / "open" / "a.out")
    closed = write(tmp_path / "open" / "closed" / "b.out").parent
    closed.chmod(0)
    try:
        if os.access(closed, os.X_OK):
            if not (no_powers := shutil.which("setpriv")):
                pytest.skip("root may search every folder, and there is no setpriv to give that up")
            way = [no_powers, "--bounding-set", "-dac_override,-dac_read_search"]
        else:
            way = []
        for name, code, said in (
            (log.parent, ExitCode.UNHEALTHY, f"{closed}: Permission denied"),
            (closed, ExitCode.USAGE, f"{closed}: Permission denied"),
            (closed / "b.out", ExitCode.USAGE, f"{closed / 'b.out'}: Permission denied"),
            (closed / "*.out", ExitCode.USAGE, "no file matches"),
        ):
            command = [*way, sys.executable, "-m", "trainwatch", "report", str(name)]
            done = subprocess.run(command, capture_output=True, text=True)
            assert (done.returncode, said in done.stderr) == (code, True), done.stderr
            assert "internal error" not in done.stderr
    finally:
        closed.chmod(0o755)


def test_a_name_may_be_too_long_hold_a_line_end_or_be_no_utf8(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "too long" in report(capsys, "x" * 300, code=ExitCode.USAGE)[1]
    write(tmp_path / "two\nlines.out")
    try:
        write(tmp_path / os.fsdecode(b"not-\xff.out"))
    except OSError:
        pytest.skip("this filesystem takes no name that is not UTF-8")
    names = [Path(row["log"]).name for row in rows_of(capsys, str(tmp_path))]
    assert names == ["not-\ufffd.out", "two\nlines.out"]


def test_a_log_that_was_named_counts_whatever_it_is_called(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert rows_of(capsys, str(write(tmp_path / "training")))[0]["iterations"] == 3
