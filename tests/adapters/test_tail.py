"""The follower, and the fake that stands for it, against one contract; then what only files can do."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from tests.fakes import MemoryLog
from trainwatch.adapters.tail import Follower
from trainwatch.core.logs.lines import LONGEST
from trainwatch.core.model.marks import Mark
from trainwatch.core.ports import Log, LogRead

LIMIT = 1 << 20


class Writable(Protocol):
    """A log under test, and how to append to it."""

    log: Log

    def write(self, more: bytes) -> None: ...


class FileLog:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "main_log.txt"
        self.log: Log = Follower(self.path)

    def write(self, more: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(more)


class FakeLog:
    def __init__(self, folder: Path) -> None:
        self.fake = MemoryLog()
        self.log: Log = self.fake

    def write(self, more: bytes) -> None:
        self.fake.write(more)


@pytest.fixture(params=[FileLog, FakeLog])
def writable(request: pytest.FixtureRequest, tmp_path: Path) -> Writable:
    made: Writable = request.param(tmp_path)
    return made


def drain(log: Log) -> bytes:
    """Everything there is, poll after poll."""
    data, offset = b"", None
    while True:
        read = log.poll(LIMIT)
        if read.data:
            assert offset is None or read.offset >= offset
            offset = read.offset + len(read.data)
            data += read.data
        if not read.more:
            return data


class TestContract:
    """What every Log does."""

    def test_does_not_exist_yet(self, writable: Writable) -> None:
        read = writable.log.poll(LIMIT)
        assert (read.state, read.data) == ("missing", b"")
        assert read.why
        writable.write(b"one\n")
        assert drain(writable.log) == b"one\n"

    def test_each_line_once_and_in_order(self, writable: Writable) -> None:
        writable.write(b"one\ntwo\n")
        assert drain(writable.log) == b"one\ntwo\n"
        assert writable.log.poll(LIMIT).state == "quiet"
        writable.write(b"three\n")
        read = writable.log.poll(LIMIT)
        assert (read.data, read.offset) == (b"three\n", 8)

    def test_keeps_an_unfinished_line_back(self, writable: Writable) -> None:
        writable.write(b"one\ntw")
        assert drain(writable.log) == b"one\n"
        writable.write(b"o\nthr")
        assert drain(writable.log) == b"two\n"
        assert writable.log.finish().data == b"thr"
        assert writable.log.finish().data == b""

    def test_a_carriage_return_ends_a_line(self, writable: Writable) -> None:
        writable.write(b" 12%|#  |\r 13%|#  |\r 14%")
        assert drain(writable.log) == b" 12%|#  |\r 13%|#  |\r"

    def test_a_character_and_an_escape_may_straddle_two_reads(self, writable: Writable) -> None:
        line = "α \x1b[31mred\x1b[0m\n".encode()
        for cut in range(len(line)):
            writable.write(line[:cut])
            assert drain(writable.log) == b""
            writable.write(line[cut:])
            assert drain(writable.log) == line

    def test_a_line_without_end_does_not_fill_the_memory(self, writable: Writable) -> None:
        for _ in range(20):
            writable.write(b"x" * LONGEST)
            assert len(drain(writable.log)) <= LONGEST + 1
        writable.write(b"the rest of it\nnext\n")
        assert drain(writable.log) == b"next\n"

    def test_nuls_at_the_end_are_not_written_yet(self, writable: Writable) -> None:
        writable.write(b"one\ntwo\0\0\0")
        assert drain(writable.log) == b"one\n"

    def test_the_mark_goes_on_elsewhere(self, writable: Writable) -> None:
        writable.write(b"one\ntwo")
        drain(writable.log)
        assert writable.log.mark.offset == 4
        assert isinstance(writable.log.mark, Mark)


def follower(path: Path, mark: Mark | None = None) -> Follower:
    return Follower(path, mark)


def polls(log: Follower, count: int) -> list[LogRead]:
    return [log.poll(LIMIT) for _ in range(count)]


def lines(prefix: str, count: int, start: int = 0) -> bytes:
    return b"".join(f"{prefix} line {n}\n".encode() for n in range(start, start + count))


class TestFiles:
    """What files do to a follower."""

    def test_resumes_at_its_mark(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 500))
        first = follower(path)
        assert drain(first) == lines("a", 500)
        first.close()
        with path.open("ab") as file:
            file.write(lines("a", 3, 500))
        assert drain(follower(path, first.mark)) == lines("a", 3, 500)

    def test_renamed_and_made_anew(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 10))
        log = follower(path)
        drain(log)
        with path.open("ab") as old:
            path.rename(tmp_path / "log.1")
            path.write_bytes(lines("b", 5))
            old.write(lines("a", 2, 10))  # the writer still holds the old file
            old.flush()
            got = [read.data for read in polls(log, 8)]
        assert b"".join(got) == lines("a", 2, 10) + lines("b", 5)
        assert log.mark.generation == 1

    def test_renamed_with_nothing_in_its_place_for_a_while(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 10))
        log = follower(path)
        drain(log)
        path.rename(tmp_path / "log.1")
        assert {read.state for read in polls(log, 3)} <= {"quiet", "missing"}
        path.write_bytes(lines("a longer file than before", 40))
        assert b"".join(r.data for r in polls(log, 6)) == lines("a longer file than before", 40)
        assert log.mark.generation == 1

    def test_copied_and_truncated(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 100))
        log = follower(path)
        drain(log)
        os.truncate(path, 0)
        polls(log, 2)
        with path.open("ab") as file:
            file.write(lines("b", 3))
        assert b"".join(r.data for r in polls(log, 5)) == lines("b", 3)
        assert log.mark.generation == 1

    def test_truncated_and_grown_beyond_what_was_read(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 10))
        log = follower(path)
        drain(log)
        log.close()  # as after a restart: nothing was seen of the truncation
        path.write_bytes(lines("quite another log", 100))
        again = follower(path, log.mark)
        assert b"".join(r.data for r in polls(again, 5)) == lines("quite another log", 100)
        assert again.mark.generation == 1

    def test_cut_short_at_its_end_is_not_read_again(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 3000))
        log = follower(path)
        drain(log)
        os.truncate(path, len(lines("a", 2000)))
        assert b"".join(r.data for r in polls(log, 4)) == b""
        with path.open("ab") as file:
            file.write(lines("b", 2))
        assert b"".join(r.data for r in polls(log, 3)) == lines("b", 2)
        assert log.mark.generation == 0

    def test_a_false_truncation_is_not_believed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 1000))
        log = follower(path)
        drain(log)
        real, lies = os.fstat, [True]

        def stale(file: int) -> os.stat_result:
            stat = real(file)
            if not lies:
                return stat
            lies.pop()  # one stale answer, as from a network filesystem's cache
            return os.stat_result((*stat[:6], 100, *stat[7:10]))

        monkeypatch.setattr(os, "fstat", stale)
        assert b"".join(r.data for r in polls(log, 3)) == b""
        with path.open("ab") as file:
            file.write(lines("a", 1, 1000))
        assert b"".join(r.data for r in polls(log, 3)) == lines("a", 1, 1000)
        assert log.mark.generation == 0

    def test_a_stale_handle_is_opened_anew(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 5))
        log = follower(path)
        drain(log)
        real, fails = os.fstat, [True]

        def stale(file: int) -> os.stat_result:
            if fails:
                fails.pop()
                raise OSError(116, "Stale file handle")
            return real(file)

        monkeypatch.setattr(os, "fstat", stale)
        read = log.poll(LIMIT)
        assert (read.state, "Stale file handle" in read.why) == ("unreadable", True)
        with path.open("ab") as file:
            file.write(lines("a", 1, 5))
        assert b"".join(r.data for r in polls(log, 3)) == lines("a", 1, 5)

    def test_a_copy_in_its_place_is_the_same_log(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 2000))
        log = follower(path)
        drain(log)
        copy = tmp_path / "copy"
        copy.write_bytes(lines("a", 2001))
        copy.replace(path)
        assert b"".join(r.data for r in polls(log, 6)) == lines("a", 1, 2000)
        assert log.mark.generation == 0

    def test_a_hole_is_skipped(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        with path.open("wb") as file:
            file.write(lines("a", 5))
            file.truncate(8 << 30)
            file.seek(8 << 30)
            file.write(b"\n" + lines("b", 5))
        log = follower(path)
        got = drain(log)
        assert got.startswith(lines("a", 5))
        assert got.endswith(lines("b", 5))
        assert len(got) < 64 << 20

    @pytest.mark.parametrize("kind", ["folder", "fifo"])
    def test_what_is_no_file_is_unreadable(self, tmp_path: Path, kind: str) -> None:
        path = tmp_path / "log"
        make: dict[str, Callable[[], object]] = {
            "folder": path.mkdir,
            "fifo": lambda: os.mkfifo(path),
        }
        make[kind]()
        log = follower(path)
        reads = polls(log, 2)
        assert all(not read.data for read in reads)

    def test_fingerprints_reach_far_into_a_large_log(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        path.write_bytes(lines("a", 30_000))
        log = follower(path)
        drain(log)
        size = path.stat().st_size
        assert [p.end for p in log.mark.prints] == [256, 4096, 16384, 65536, 262144]
        path.write_bytes(lines("a", 10_000) + lines("b", 22_001))
        assert path.stat().st_size > size
        again = follower(path, log.mark)
        assert b"".join(r.data for r in polls(again, 5)).endswith(lines("b", 22_001))
        assert again.mark.generation == 1
