"""What can be a log: refused with a reason before anything is read of it."""

import stat
from contextlib import suppress
from pathlib import Path

from trainwatch.core.errors import LogUnreadable

_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zX", b"BZh", b"PK\x03\x04")


def check_log(path: Path) -> None:
    """Refuse what cannot be a log. Raises LogUnreadable with what to do."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise LogUnreadable(f"{path} is a folder; name the log in it, e.g. {path}/main_log.txt")
        if not stat.S_ISREG(mode):
            raise LogUnreadable(
                f"{path} is not a file (a pipe or a device); save its output to one"
            )
        with path.open("rb") as file:
            head = file.read(4)
    except FileNotFoundError as error:
        raise LogUnreadable(f"{path} does not exist") from error
    except OSError as error:
        raise LogUnreadable(f"{path}: {error.strerror}") from error
    if head.startswith(_PACKED):
        raise LogUnreadable(f"{path} is compressed; unpack it first, e.g. zcat {path} > log.txt")


def there(path: Path) -> bool:
    """Whether something is there; False, too, where that cannot be seen or the name cannot be one."""
    # A folder that may not be searched raises, and a name that is too long.
    with suppress(OSError):
        return path.exists()
    return False
