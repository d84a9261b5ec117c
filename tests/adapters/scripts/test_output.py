"""What a script writes: kept, cut, rotated, or done without."""

import threading
from pathlib import Path

import pytest

from tests.adapters.scripts.starting import CLOSED, end, put, start, written, written_at
from tests.waiting import until
from trainwatch.adapters.scripts import output


def test_runaway_output_fills_no_disk(folder: Path) -> None:
    path = put(
        folder, "yes", "head -c 1500000 /dev/zero | tr '\\0' x; echo; echo the reason\nexit 1\n"
    )
    ended = end(start(path))
    assert ended.exit_code == 1
    assert ended.tail.endswith("\nthe reason\n")
    text = written(path)
    assert len(text) < output.HEAD_BYTES + output.TAIL_BYTES + 200
    assert "bytes are left out ..." in text
    assert "\nthe reason\n" in text


def test_a_middling_output_is_whole(folder: Path) -> None:
    path = put(folder, "numbers", "seq 1 90000\n")
    end(start(path))
    lines = written(path).splitlines()
    assert lines[1:90001] == [str(n) for n in range(1, 90001)]


def test_output_is_rotated(folder: Path) -> None:
    path = put(folder, "long", "seq 1 90000\n")
    for _ in range(7):
        end(start(path))
    files = sorted((folder.parent / "out").iterdir())
    assert [file.name for file in files] == ["long.out", "long.out.1"]
    assert all(file.stat().st_size < 2 * 1024 * 1024 for file in files)


def test_output_that_cannot_be_written_is_done_without(folder: Path) -> None:
    (folder.parent / "out").write_text("a file in the way")
    ended = end(start(put(folder, "bad", "echo why; exit 1\n")))
    assert (ended.exit_code, ended.tail) == (1, "why\n")


def test_output_does_not_follow_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ok.out").symlink_to(tmp_path / "precious")
    (tmp_path / "precious").write_text("mine")
    end(start(put(folder, "ok", "echo overwritten\n")))
    assert (tmp_path / "precious").read_text() == "mine"


def test_what_cannot_be_started(folder: Path) -> None:
    (folder / "no-shebang").write_bytes(b"\x00\x01")
    (folder / "no-shebang").chmod(CLOSED)
    with pytest.raises(OSError, match="Exec format error"):
        start(folder / "no-shebang")
    (folder / "crlf").write_bytes(b"#!/bin/sh\r\necho\r\n")
    (folder / "crlf").chmod(CLOSED)
    with pytest.raises(FileNotFoundError):
        start(folder / "crlf")
    assert "=== could not be started" in written_in_time(folder / "crlf")
    until(lambda: not [t for t in threading.enumerate() if t.name == "script-output"], "its end")


def written_in_time(path: Path) -> str:
    until(lambda: written_at(path).exists() and written(path).endswith("started\n"), "its heading")
    return written(path)


def test_one_that_closes_its_output_runs_on(folder: Path) -> None:
    path = put(folder, "quiet", "echo last words; exec >&- 2>&-; sleep 0.3; exit 5\n")
    ended = end(start(path))
    assert (ended.exit_code, ended.tail) == (5, "last words\n")
