"""The chain's own file, and the right to change the chain: `cron start` twice at once must start one.

The trap: a disk that is full must not end a chain that runs. Whoever runs in it may do without this file.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from trainwatch.adapters.store import files
from trainwatch.adapters.store.lease import Lease
from trainwatch.core.errors import LeaseHeld, StoreUnusable
from trainwatch.core.model.chain import ChainRecord

FOLDER, RECORD = "cron", "chain.json"
_MOST_OUTPUT_BYTES = 1_000_000
_PATIENCE_S = 90.0  # an sbatch under way takes up to its deadline
_decode = msgspec.json.Decoder(ChainRecord).decode


class ChainFile:
    """Of a state folder."""

    def __init__(self, state_dir: Path) -> None:
        self.folder = state_dir / FOLDER
        self._path = self.folder / RECORD

    def read(self) -> ChainRecord | None:
        """What was last written; None where no chain was ever started, or what stands there is damaged.

        Raises StoreUnusable for a file of a newer version, or one that may not be read.
        """
        try:
            record = _decode(self._path.read_bytes())
        except (FileNotFoundError, *files.UNDECODABLE):
            return None
        except OSError as error:
            raise StoreUnusable(f"{self._path}: {error.strerror}") from error
        if record.version > ChainRecord().version:
            raise StoreUnusable(
                f"{self._path} was written by a newer trainwatch: upgrade this one, or use another "
                "--state-dir"
            )
        return record

    def write(self, record: ChainRecord) -> None:
        """Replace it. Raises StoreUnusable."""
        try:
            files.make_private(self.folder)
            files.replace_file(self._path, msgspec.json.encode(record), sync=True)
        except OSError as error:
            raise StoreUnusable(f"{self._path}: {error.strerror}") from error

    @contextmanager
    def guarded(self, *, must: bool = True) -> Iterator[str]:
        """Nobody else changes the chain meanwhile; it says why that cannot be made sure of, unless it `must`.

        Raises LeaseHeld, StoreUnusable.
        """
        lease, why = self._lease()
        if lease is None and must:
            raise StoreUnusable(why)
        try:
            yield why
        finally:
            if lease is not None:
                lease.release()

    def rotate(self, output: Path) -> None:
        """Keep the last output of our jobs small: one file, and one generation before it. Raises nothing.

        The file is emptied, not replaced: the job that runs goes on appending to it.
        """
        with suppress(OSError):
            if output.stat().st_size > _MOST_OUTPUT_BYTES:
                shutil.copyfile(output, output.with_suffix(".out.1"))
                os.truncate(output, 0)

    def asked_lately(self, now: float, within_s: float) -> bool:
        """Whether somebody was here within a time; if not, we are. Raises nothing."""
        stamp = self.folder / "asked"
        try:
            age_s = now - stamp.stat().st_mtime
        except OSError:
            age_s = float("inf")
        if 0 <= age_s < within_s:
            return True
        with suppress(OSError):
            files.make_private(self.folder)
            stamp.touch()
            os.utime(stamp, (now, now))
        return False

    def _lease(self) -> tuple[Lease | None, str]:
        try:
            files.make_private(self.folder)
            return Lease(self.folder / "chain.lock", _PATIENCE_S), ""
        except LeaseHeld as error:
            raise LeaseHeld(f"another `trainwatch cron` is under way: {error}") from error
        except OSError as error:
            return None, f"{self.folder}: {error.strerror}"
