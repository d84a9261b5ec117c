"""The ledger of scripts on a real disk: kept, damaged, newer, full."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from trainwatch.adapters.scripts import LedgerFile
from trainwatch.core.errors import StoreFull, StoreUnusable
from trainwatch.core.model.scripts import Begun, Ledger

RUN = Begun(began=5.0, label="cron.hourly/quota")


def replace(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def test_the_ledger_is_kept(tmp_path: Path) -> None:
    ledger = LedgerFile(tmp_path / "cron" / "scripts.json", replace, nullcontext)
    assert ledger.read() == Ledger()
    kept = Ledger(scripts={"hourly:/x": RUN})
    assert ledger.change(lambda there: kept if there == Ledger() else None) == kept
    assert ledger.read() == kept
    assert ledger.change(lambda _: None) is None
    assert ledger.read() == kept


def test_a_damaged_ledger_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "scripts.json"
    for damage in (b"", b"{", b"\xff\xfe", b"[]", b'{"scripts": {"x": 5}}'):
        path.write_bytes(damage)
        ledger = LedgerFile(path, replace, nullcontext)
        assert ledger.read() is None
        ledger.change(lambda there: Ledger(since=9.0) if there is None else None)
        assert ledger.read() == Ledger(since=9.0)
        assert (tmp_path / "scripts.json.damaged").read_bytes() == damage


def test_a_newer_ledger_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "scripts.json").write_text('{"version": 2, "scripts": []}')
    with pytest.raises(StoreUnusable, match="newer trainwatch"):
        LedgerFile(tmp_path / "scripts.json", replace, nullcontext).change(lambda _: Ledger())


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    def full(_path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreFull, match="No space left"):
        LedgerFile(tmp_path / "scripts.json", full, nullcontext).change(lambda _: Ledger())
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable):
        LedgerFile(tmp_path / "file" / "scripts.json", replace, nullcontext).change(
            lambda _: Ledger()
        )
