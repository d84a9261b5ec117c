"""Parquet, with pyarrow: iteration and attempt are whole numbers, the rest are floats; unknown is null."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainwatch.app.exporting.history import FLAGS, Chunk, History
from trainwatch.core.errors import MissingExtra

_WHOLE = ("iteration", "attempt")


def check() -> None:
    """Raise MissingExtra where pyarrow is not installed."""
    try:
        import pyarrow as pa  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            "--format parquet needs pyarrow: pip install 'trainwatch[parquet]'"
        ) from error


def write(history: History, file: Path, told: Callable[[int], None]) -> None:
    """Write all rows. `told` hears how many were written. Raises OSError."""
    import pyarrow as pa
    from pyarrow import parquet

    kinds = [(name, pa.int64() if name in _WHOLE else pa.float64()) for name in history.names]
    schema = pa.schema([*kinds, *((name, pa.bool_()) for name in FLAGS)])
    with parquet.ParquetWriter(file, schema) as writer:
        for chunk in history.chunks():
            writer.write_batch(_batch(chunk, schema))
            told(chunk.columns.rows)


def _batch(chunk: Chunk, schema: Any) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    columns = []
    for field in schema:
        if field.name in FLAGS:
            columns.append(pa.array(chunk.flag(field.name)))
            continue
        values = chunk.columns.column(field.name)
        raw = pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(values)])
        known = compute.if_else(compute.is_nan(raw), None, raw)
        columns.append(known.cast(field.type))
    return pa.record_batch(columns, schema=schema)
