"""Reading and replacing a text file whose every byte counts, in any encoding."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from trainwatch.core.errors import TrainwatchError, UsageError


def read(path: Path) -> str:
    """The text; bytes that are no UTF-8 survive a round trip. Raises UsageError."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def encode(text: str) -> bytes:
    """The bytes that `read` made the text of."""
    return text.encode("utf-8", "surrogateescape")


def replace(path: Path, text: str) -> None:
    """Put the text in place of the file at once, with its permissions. Raises TrainwatchError."""
    target = path.resolve()  # a link stays a link
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(encode(text))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(target.stat().st_mode & 0o7777)
        Path(temporary).replace(target)
    except OSError as error:
        with suppress(OSError):
            Path(temporary).unlink(missing_ok=True)
        raise TrainwatchError(f"{path} could not be written: {error.strerror}") from error
