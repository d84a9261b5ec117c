"""The journal on disk: JSON lines, appended to, cut back after a kill.

The trap: a node that went down may leave fewer bytes than were counted, or zeros in their place.
"""

import os
from pathlib import Path

_BLOCK = 64 * 1024  # bytes looked through at once, from the end backwards


def append(path: Path, lines: bytes) -> None:
    """Add whole lines. Raises OSError; call `restore` then."""
    with path.open("ab") as file:
        file.write(lines)


def restore(path: Path, count: int) -> int:
    """Cut the journal back to `count` bytes; returns how many are there, up to the last whole line."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return 0
    whole = _whole(path, min(size, count))
    if whole < size:
        os.truncate(path, whole)
    return whole


def _whole(path: Path, count: int) -> int:
    """Of the first `count` bytes, those up to the last line end."""
    with path.open("rb") as file:
        for stop in range(count, 0, -_BLOCK):
            start = max(0, stop - _BLOCK)
            file.seek(start)
            end = file.read(stop - start).rfind(b"\n") + 1
            if end:
                return start + end
    return 0
