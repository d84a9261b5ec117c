"""What can be a log: refused with a reason before anything is read of it."""

from pathlib import Path

from trainwatch.core.errors import LogUnreadable

_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zX", b"BZh", b"PK\x03\x04")


def check_log(path: Path) -> None:
    """Refuse what cannot be a log. Raises LogUnreadable with what to do."""
    if path.is_dir():
        raise LogUnreadable(f"{path} is a folder; name the log in it, e.g. {path}/main_log.txt")
    if not path.exists():
        raise LogUnreadable(f"{path} does not exist")
    if not path.is_file():
        raise LogUnreadable(f"{path} is not a file (a pipe or a device); save its output to one")
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise LogUnreadable(f"{path}: {error.strerror}") from error
    if head.startswith(_PACKED):
        raise LogUnreadable(f"{path} is compressed; unpack it first, e.g. zcat {path} > log.txt")
