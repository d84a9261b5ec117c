"""The store and the fake that stands for it against one contract; then kills, damage and full disks."""

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fakes import MemoryStore
from trainwatch.adapters.store import StoreReader, StoreWriter, files, history
from trainwatch.core.columns import Columns, from_rows
from trainwatch.core.errors import LeaseHeld, StoreFull, StoreUnusable
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.state import Event, Row, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Store

Opener = Callable[[], Store]


@pytest.fixture(params=["files", "fake"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Opens the same store again and again."""
    if request.param == "files":
        return lambda: StoreWriter(tmp_path / "run")
    fake = MemoryStore()
    return lambda: fake


def rows(start: int, count: int, **more: float) -> Columns:
    return from_rows(
        {"iteration": float(i), "loss": 1 / i, **more} for i in range(start, start + count)
    )


def state(count: int) -> RunState:
    values = {"loss": 0.5, "step_time_s": 105.2}
    row = Row(iteration=count + 1, attempt=0, format="megatron-core", time=None, values=values)
    return RunState(run="tr11", rows=count, open=row)


class TestContract:
    """What every Store does."""

    def test_a_new_run_holds_nothing(self, opened: Opener) -> None:
        assert opened().load() is None

    def test_what_is_committed_is_there_after_a_restart(self, opened: Opener) -> None:
        store = opened()
        store.load()
        event = Event(at=5.0, kind="saved", iteration=3)
        store.commit(rows(1, 3), [event], state(3), Mark(offset=77))
        store.publish(Status(run="tr11", health="ok", heartbeat_at=9.0))
        store.close()
        saved = opened().load()
        assert saved is not None
        assert (saved.state, saved.mark, saved.looked_at) == (state(3), Mark(offset=77), 9.0)
        assert saved.recent == rows(1, 3)

    def test_a_column_that_comes_late_is_unknown_before(self, opened: Opener) -> None:
        store = opened()
        store.load()
        store.commit(rows(1, 2), [], state(2), Mark())
        store.commit(rows(3, 2, z_loss=7.0), [], state(4), Mark())
        store.commit(rows(5, 1), [], state(5), Mark())
        store.close()
        saved = opened().load()
        assert saved is not None
        expected = rows(1, 2)
        expected.extend(rows(3, 2, z_loss=7.0))
        expected.extend(rows(5, 1))
        assert saved.recent == expected
        assert list(saved.recent.column("z_loss")[2:4]) == [7.0, 7.0]

    def test_many_commits_make_one_history(self, opened: Opener) -> None:
        store = opened()
        store.load()
        for start in range(1, 101, 10):
            store.commit(rows(start, 10), [], state(start + 9), Mark(offset=start))
        store.close()
        saved = opened().load()
        assert saved is not None
        assert saved.recent == rows(1, 100)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def committed(folder: Path, count: int = 5) -> None:
    writer = StoreWriter(folder)
    writer.load()
    writer.commit(rows(1, count), [Event(at=1.0, kind="saved")], state(count), Mark(offset=9))
    writer.close()


class TestKilled:
    """A writer that was killed at any point of a commit."""

    def test_rows_and_lines_beyond_the_commit_are_cut_off(self, folder: Path) -> None:
        committed(folder)
        history.append(folder / "history", rows(6, 3), 5)
        with (folder / "history" / "loss.f64").open("ab") as file:
            file.write(b"\x01\x02\x03")  # half a value
        with (folder / "journal.jsonl").open("ab") as file:
            file.write(b'{"at": 2.0, "ki')
        writer = StoreWriter(folder)
        saved = writer.load()
        assert saved is not None
        assert saved.recent == rows(1, 5)
        writer.commit(rows(6, 1), [Event(at=3.0, kind="loaded")], state(6), Mark())
        writer.close()
        assert StoreReader(folder).rows(0, 6) == rows(1, 6)
        assert [event.kind for event in StoreReader(folder).events()] == ["saved", "loaded"]

    def test_a_column_the_commit_did_not_reach_is_filled(self, folder: Path) -> None:
        committed(folder)
        history.append(folder / "history", rows(6, 3, z_loss=1.0), 5)
        writer = StoreWriter(folder)
        writer.load()
        writer.commit(rows(6, 1), [], state(6), Mark())
        writer.close()
        assert StoreReader(folder).rows(0, 6) == rows(1, 6)

    def test_rows_the_disk_lost_are_unknown_and_said(self, folder: Path) -> None:
        committed(folder)
        os.truncate(folder / "history" / "loss.f64", 8 * 3)
        writer = StoreWriter(folder)
        saved = writer.load()
        assert saved is not None
        assert writer.lost
        assert "lost rows" in writer.warning
        assert list(saved.recent.column("iteration")) == [1, 2, 3, 4, 5]
        assert str(list(saved.recent.column("loss")[3:])) == "[nan, nan]"

    def test_a_damaged_state_is_set_aside_whole(self, folder: Path) -> None:
        committed(folder)
        (folder / "state.json").write_bytes(b'{"version": 1, "epo')
        with pytest.raises(StoreUnusable, match=r"state\.json is damaged"):
            StoreReader(folder).load()
        writer = StoreWriter(folder)
        assert writer.load() is None
        assert "set aside" in writer.warning
        aside = folder / "damaged-1"
        assert {p.name for p in aside.iterdir()} == {"state.json", "journal.jsonl", "history"}
        assert history.read(aside / "history", 0, 5) == rows(1, 5)

    @pytest.mark.parametrize("left", [b"", b'{"at":1.0,"ki', b"\0" * 70_000])
    def test_a_journal_the_disk_lost_lines_of_is_said_and_goes_on(
        self, folder: Path, left: bytes
    ) -> None:
        committed(folder)
        writer = StoreWriter(folder)
        writer.load()
        writer.commit(rows(6, 1), [Event(at=2.0, kind="x", text="y" * 90_000)], state(6), Mark())
        writer.close()
        journal = folder / "journal.jsonl"
        first = journal.read_bytes().splitlines(keepends=True)[0]
        journal.write_bytes(first + left)
        writer = StoreWriter(folder)
        writer.load()
        assert writer.lost
        assert "lost lines" in writer.warning
        writer.commit(rows(7, 1), [Event(at=3.0, kind="loaded")], state(7), Mark())
        writer.close()
        assert [event.kind for event in StoreReader(folder).events()] == ["saved", "loaded"]
        writer = StoreWriter(folder)
        writer.load()
        assert not writer.lost

    @pytest.mark.parametrize("gone", ["history", "history/loss.f64"])
    def test_history_that_is_gone_is_said(self, folder: Path, gone: str) -> None:
        committed(folder)
        path = folder / gone
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        writer = StoreWriter(folder)
        assert writer.load() is not None
        assert writer.lost

    @pytest.mark.parametrize("name", ["state.json", "status.json", "journal.jsonl"])
    def test_any_byte_in_any_file_is_no_traceback(self, folder: Path, name: str) -> None:
        committed(folder)
        writer = StoreWriter(folder)
        writer.load()
        writer.publish(Status(run="tr11", health="ok"))
        writer.close()
        whole = (folder / name).read_bytes()
        for place in range(0, len(whole), 7):
            (folder / name).write_bytes(whole[:place] + b"\xf0" + whole[place + 1 :])
            with suppress(StoreUnusable):
                StoreReader(folder).load()
            StoreReader(folder).status()
            StoreReader(folder).events()

    def test_a_load_that_fails_gives_the_lease_back(self, folder: Path) -> None:
        committed(folder)
        (folder / "journal.jsonl").unlink()
        (folder / "journal.jsonl").mkdir()
        for _ in range(2):
            writer = StoreWriter(folder, patience_s=0)
            with pytest.raises(StoreUnusable, match="Is a directory"):
                writer.load()


class TestFiles:
    """What a folder can be."""

    def test_a_newer_version_is_refused(self, folder: Path) -> None:
        committed(folder)
        kept = json.loads((folder / "state.json").read_text())
        kept["version"] = 99
        (folder / "state.json").write_text(json.dumps(kept))
        writer = StoreWriter(folder)
        with pytest.raises(StoreUnusable, match="newer trainwatch"):
            writer.load()
        assert json.loads((folder / "state.json").read_text())["version"] == 99

    def test_a_file_in_its_place_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "run").write_text("")
        with pytest.raises(StoreUnusable, match="--state-dir"):
            StoreWriter(tmp_path / "run")

    def test_nobody_else_may_look(self, folder: Path) -> None:
        committed(folder)
        assert folder.stat().st_mode & 0o777 == 0o700

    def test_the_reader_sees_only_what_counts(self, folder: Path) -> None:
        committed(folder)
        history.append(folder / "history", rows(6, 3), 5)
        saved = StoreReader(folder).load()
        assert saved is not None
        assert saved.recent == rows(1, 5)

    def test_columns_are_little_endian_float64(self, folder: Path) -> None:
        committed(folder)
        raw = (folder / "history" / "iteration.f64").read_bytes()
        assert raw[:16] == bytes.fromhex("000000000000f03f 0000000000000040".replace(" ", ""))


class TestLease:
    """One writer."""

    def test_a_second_writer_is_refused_and_the_first_goes_on(self, folder: Path) -> None:
        first = StoreWriter(folder)
        first.load()
        child = (
            "import sys; from pathlib import Path; from trainwatch.adapters.store import StoreWriter\n"
            "from trainwatch.core.errors import LeaseHeld\n"
            "try: StoreWriter(Path(sys.argv[1]))\n"
            "except LeaseHeld as error: print(error)"
        )
        got = subprocess.run(
            [sys.executable, "-c", child, str(folder)], capture_output=True, text=True, check=True
        )
        assert f"process {os.getpid()} on" in got.stdout
        first.commit(rows(1, 1), [], state(1), Mark())
        first.close()

    def test_the_lease_of_a_dead_process_is_taken_over_at_once(self, folder: Path) -> None:
        child = (
            "import os, sys; from pathlib import Path\n"
            "from trainwatch.adapters.store import StoreWriter\n"
            "writer = StoreWriter(Path(sys.argv[1])); os._exit(9)"
        )
        subprocess.run([sys.executable, "-c", child, str(folder)], check=False)
        assert (folder / "lease").exists()
        writer = StoreWriter(folder)
        assert writer.load() is None
        writer.close()
        assert [p.name for p in folder.glob("lease*")] == []

    def test_a_writer_that_lost_its_lease_stops(self, folder: Path) -> None:
        first = StoreWriter(folder)
        first.load()
        (folder / "lease").unlink()  # as another breaks a lock that timed out
        with pytest.raises(LeaseHeld):
            first.commit(rows(1, 1), [], state(1), Mark())
        assert not (folder / "state.json").exists()

    @pytest.mark.parametrize("left", [b"", b"\xf0\xf1", b"\0" * 40, b"half|a"])
    def test_a_lease_that_nobody_can_read_is_free_when_it_is_old(
        self, folder: Path, left: bytes
    ) -> None:
        folder.mkdir()
        lease = folder / "lease"
        lease.write_bytes(left)
        soon = time.time() + 100
        os.utime(lease, (soon, soon))
        with pytest.raises(LeaseHeld, match="damaged"):
            StoreWriter(folder)
        os.utime(lease, (1.0, 1.0))
        writer = StoreWriter(folder)
        assert writer.load() is None
        writer.close()


class TestFull:
    """A disk without room."""

    def test_is_said_and_survived(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        committed(folder)
        writer = StoreWriter(folder)
        writer.load()
        real = files.replace_file

        def full(path: Path, data: bytes, *, sync: bool) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(files, "replace_file", full)
        with pytest.raises(StoreFull, match="no room left"):
            writer.commit(rows(6, 2), [Event(at=2.0, kind="x")], state(7), Mark(offset=10))
        monkeypatch.setattr(files, "replace_file", real)
        writer.commit(rows(6, 2), [Event(at=2.0, kind="x")], state(7), Mark(offset=10))
        writer.close()
        reader = StoreReader(folder)
        assert reader.rows(0, 7) == rows(1, 7)
        assert [event.kind for event in reader.events()] == ["saved", "x"]

    @pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small filesystem takes root")
    def test_on_a_filesystem_that_is_really_full(self, tmp_path: Path) -> None:
        mount = tmp_path / "small"
        mount.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=500", "tmpfs", str(mount)],
            check=False,
        )
        if mounted.returncode:
            pytest.skip("this machine does not let us mount a tmpfs")
        try:
            self._fill_and_go_on(mount)
        finally:
            subprocess.run(["umount", str(mount)], check=True)

    def _fill_and_go_on(self, mount: Path) -> None:
        writer = StoreWriter(mount / "run")
        writer.load()
        writer.commit(rows(1, 100), [], state(100), Mark())
        writer.publish(Status(run="tr11", health="ok"))
        ballast = mount / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        with pytest.raises(StoreFull):
            writer.commit(rows(101, 5000), [], state(5100), Mark())
        writer.publish(Status(run="tr11", health="ok", warnings=("no room",)))
        published = StoreReader(mount / "run").status()
        assert published is not None
        assert published.warnings == ("no room",)
        ballast.unlink()
        writer.commit(rows(101, 5000), [], state(5100), Mark())
        writer.close()
        assert StoreReader(mount / "run").rows(0, 5100) == rows(1, 5100)


def test_a_read_only_folder_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path, *args: object, **options: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(StoreUnusable, match="Read-only file system"):
        StoreWriter(folder)


def test_a_big_endian_machine_reads_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    history.append(folder, from_rows([{"loss": 2.5}]), 0)
    monkeypatch.setattr(sys, "byteorder", "big")
    column = history.read(folder, 0, 1).column("loss")
    expected = array("d", [2.5])
    expected.byteswap()
    assert column.tobytes() == expected.tobytes()
