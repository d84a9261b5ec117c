"""A writer that was killed at any point, and files that are damaged."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from tests.adapters.store.committing import committed, rows, state
from trainwatch.adapters.store import StoreReader, StoreWriter, history
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import Status


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
