"""The file of a node_exporter: whole or not there, readable for all, and nobody else's."""

import os
import stat
import threading
from pathlib import Path

import pytest

from tests.adapters.metrics.pages import names
from trainwatch.adapters.metrics import Textfile


def test_a_textfile_is_readable_for_all_whatever_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "t.prom"
    before = os.umask(0o077)
    try:
        assert Textfile(path).write(b"a 1\n") == ""
    finally:
        os.umask(before)
    assert path.read_bytes() == b"a 1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert names(tmp_path) == ["t.prom"]


def test_a_reader_never_sees_half_of_it(tmp_path: Path) -> None:
    path = tmp_path / "t.prom"
    file, texts = Textfile(path), [letter * 300_000 for letter in (b"a", b"b")]
    file.write(texts[0])
    over = threading.Event()

    def write() -> None:
        for number in range(60):
            file.write(texts[number % 2])
        over.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set[bytes]()
    while not over.is_set():
        seen.add(path.read_bytes())
    writer.join()
    assert seen <= set(texts)


def test_what_cannot_be_written_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "t.prom"
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        Textfile(path).write(b"a 1\n")
    assert names(tmp_path) == ["t.prom"]
    with pytest.raises(FileNotFoundError):
        Textfile(tmp_path / "none" / "t.prom").write(b"")


def test_another_link_is_not_written_through(tmp_path: Path) -> None:
    other, path = tmp_path / "other", tmp_path / "t.prom"
    other.write_text("mine")
    (tmp_path / f".t.prom.{os.getpid()}.tmp").symlink_to(other)
    path.symlink_to(other)
    Textfile(path).write(b"a 1\n")
    assert (other.read_text(), path.is_symlink(), path.read_bytes()) == ("mine", False, b"a 1\n")


def test_two_writers_of_one_file_both_say_so(tmp_path: Path) -> None:
    path = tmp_path / "t.prom"
    one, other = Textfile(path), Textfile(path)
    assert [one.write(b"1"), other.write(b"2")] == ["", ""]
    assert "another process writes it, too" in one.write(b"1")
    assert "a textfile of its own" in other.write(b"2")
    path.unlink()  # somebody cleans up
    assert one.write(b"1") == ""
