"""What the folder of a store can be: of another version, full, read-only, of another machine."""

import errno
import json
import math
import os
import subprocess
import sys
from array import array
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.store.committing import committed, rows, state
from trainwatch.adapters.store import StoreReader, StoreWriter, files, history
from trainwatch.core.columns import from_rows
from trainwatch.core.errors import StoreFull, StoreUnusable
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import Status


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


class _Values(msgspec.Struct):
    numbers: dict[str, float | int | None]
    texts: list[str]


@given(
    st.dictionaries(st.text(max_size=3), st.floats() | st.integers() | st.none()),
    st.lists(st.text(max_size=8)),
)
def test_no_number_is_lost_however_it_is_written(
    numbers: dict[str, float | int | None], texts: list[str]
) -> None:
    value = _Values(numbers, texts)
    written = files.encode_exactly(value)
    assert written == files.encode(files._exact(msgspec.to_builtins(value)))
    told = {
        name: str(number) if isinstance(number, float) and not math.isfinite(number) else number
        for name, number in numbers.items()
    }
    assert json.loads(written) == {"numbers": told, "texts": texts}
