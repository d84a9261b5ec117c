"""What is kept of a run: plain files, one writer, any number of readers, on any filesystem.

`history/` (history.py) is a cache that the log can rebuild; `journal.jsonl` is what happened; `state.json`
is where to go on, and its replacement is the commit; `status.json` is what views read.
"""

from typing import TYPE_CHECKING, Any

from trainwatch.adapters.store.reader import StoreReader

if TYPE_CHECKING:
    from trainwatch.adapters.store.writer import StoreWriter

__all__ = ["StoreReader", "StoreWriter"]


def __getattr__(name: str) -> Any:
    """The writer, for who writes: its lease loads what readers need not wait for."""
    if name == "StoreWriter":
        from trainwatch.adapters.store.writer import StoreWriter

        return StoreWriter
    raise AttributeError(name)
