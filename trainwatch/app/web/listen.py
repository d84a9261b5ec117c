"""Where the page can be had: an address of this machine, or a socket in a folder only its owner may enter.

The trap: loopback is every user's of this machine, and a login node has hundreds. A socket is one user's.
"""

import os
import re
import shlex
import socket
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from trainwatch.core.errors import UsageError

_PORT = 8765  # of the laptop, where the far end is a socket
_HOSTS = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "[::1]": socket.AF_INET6}
_LONGEST = 100  # bytes of a socket's path; the system takes 107


class Address(NamedTuple):
    """Where to listen: a path, or else a host and a port (0: any that is free)."""

    host: str = ""
    port: int = 0
    path: Path | None = None


class Listening(NamedTuple):
    """An open socket, how a browser of this machine names it, and what a tunnel leads to."""

    socket: socket.socket
    host: str  # with its port
    far_end: str


def address(text: str) -> Address:
    """What `--listen` says. Raises UsageError, also for an address that others can reach."""
    kind, _, path = text.partition(":")
    if kind == "unix" and path:
        return Address(path=Path(os.path.abspath(Path(path).expanduser())))  # noqa: PTH100 - links stay
    host, _, port = text.rpartition(":")
    if not re.fullmatch(r"\d{1,5}", port, re.ASCII) or int(port) > 65535:
        raise UsageError(f"--listen {text}: expected 127.0.0.1:PORT (0: any free one) or unix:PATH")
    if host.lower() not in _HOSTS:
        raise UsageError(
            f"--listen {text}: only 127.0.0.1, localhost, [::1] or unix:PATH, as nothing here is encrypted. "
            "From another machine use ssh -L: the line to type is printed when it runs"
        )
    return Address(host.lower(), int(port))


@contextmanager
def listening(where: Address) -> Iterator[Listening]:
    """The open socket, until the context ends. Raises UsageError where nothing can be opened."""
    try:
        opened = _unix(where.path) if where.path else _loopback(where)
    except OSError as error:
        place = where.path or f"{where.host}:{where.port}"
        raise UsageError(f"cannot listen on {place}: {error.strerror or error}") from error
    with closing(opened.socket):
        try:
            yield opened
        finally:
            if where.path:
                where.path.unlink(missing_ok=True)


def tunnel(opened: Listening, user: str, machine: str) -> str:
    """The line to type on one's laptop."""
    port = opened.host.rpartition(":")[2]
    forward = shlex.quote(f"{port}:{opened.far_end}")
    return f"ssh -N -L {forward} {shlex.quote(f'{user}@{machine}' if user else machine)}"


def _loopback(where: Address) -> Listening:
    family = _HOSTS[where.host]
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", where.port))
        made.listen()
    except OSError:
        made.close()
        raise
    port = made.getsockname()[1]
    end = "[::1]" if family == socket.AF_INET6 else "127.0.0.1"
    return Listening(made, f"{where.host}:{port}", f"{end}:{port}")


def _unix(path: Path) -> Listening:
    """A socket of mode 0600 in a folder of mode 0700. Raises UsageError, OSError."""
    if len(os.fsencode(path)) > _LONGEST:
        raise UsageError(f"--listen unix:{path}: a socket's path has at most {_LONGEST} bytes")
    _own_folder(path.parent)
    _make_way(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)  # from its first moment on
    try:
        made.bind(str(path))
        made.listen()
    except OSError:
        made.close()
        raise
    finally:
        os.umask(before)
    return Listening(made, f"127.0.0.1:{_PORT}", str(path))


def _own_folder(folder: Path) -> None:
    """Make the folder, or see that nobody else may enter it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise UsageError(f"--listen: the folder {folder} is another user's; name one of your own")
    if found.st_mode & 0o077:
        raise UsageError(
            f"--listen: others may enter {folder}; name a new one, or: chmod 700 {shlex.quote(str(folder))}"
        )


def _make_way(path: Path) -> None:
    """Remove the socket that a killed server left. Raises UsageError for anything else that lies there."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise UsageError(f"--listen unix:{path}: there is a file of that name, and it is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise UsageError(f"--listen unix:{path}: another server listens there")
