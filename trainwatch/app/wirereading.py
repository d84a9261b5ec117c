"""What is kept of runs, for who only reads it: a part of app/wire.py, and like it may name adapters."""

from pathlib import Path

from trainwatch.adapters.store.reader import StoreReader


def reader_of(folder: Path) -> StoreReader:
    """What there is to read in the folder of a run's store, if it is one."""
    return StoreReader(folder)
