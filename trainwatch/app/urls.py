"""Where a receiver's URL is found: in the environment, or in a file that only its owner may read.

The trap: what is wrong with it is said without a word of what it holds.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from trainwatch.core.errors import UsageError

_MOST_BYTES = 16 * 1024


def of_env(name: str, environment: Mapping[str, str]) -> str:
    """The URL that a variable holds. Raises UsageError."""
    url = environment.get(name, "").strip()
    if not url:
        raise UsageError(f"the environment variable {name} is not set: it should hold the URL")
    return url


def of_file(path: Path) -> str:
    """The one line of a file that is ours alone. Raises UsageError."""
    path = path.expanduser()
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            _ours_alone(path, os.fstat(file))
            text = os.read(file, _MOST_BYTES).decode()
        finally:
            os.close(file)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}: it should hold the URL") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not a text file: it should hold the URL") from error
    lines = [line.strip() for line in text.splitlines()]
    urls = [line for line in lines if line and not line.startswith("#")]
    if len(urls) != 1:
        raise UsageError(f"{path} holds {len(urls) or 'no'} lines: it should hold one URL")
    return urls[0]


def _ours_alone(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path} is not a file: it should hold the URL")
    if found.st_uid != os.geteuid():
        raise UsageError(f"{path} belongs to somebody else: who writes it says where alerts go")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise UsageError(f"{path} may be read or written by others: chmod 600 {path}")
