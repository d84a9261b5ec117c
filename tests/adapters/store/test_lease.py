"""One writer at a time: the lease of a folder."""

import os
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flufl.lock import Lock

from tests.adapters.store.committing import rows, state
from trainwatch.adapters.store import StoreWriter
from trainwatch.core.errors import LeaseHeld
from trainwatch.core.model.marks import Mark


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

    def test_one_that_is_given_back_while_it_is_looked_at_is_free(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        StoreWriter(folder).close()
        lease = folder / "lease"

        def given_back(lock: Lock) -> datetime:
            lease.unlink(missing_ok=True)
            return datetime.fromtimestamp(lease.stat().st_mtime, UTC)

        lease.write_text(f"{lease}|{socket.getfqdn()}|{os.getppid()}|1")
        monkeypatch.setattr(Lock, "expiration", property(given_back))
        writer = StoreWriter(folder)
        monkeypatch.undo()
        assert writer.load() is None
        writer.close()

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
