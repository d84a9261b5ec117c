"""Room on a filesystem, and quota commands with a deadline.

The trap: a look at a network filesystem whose server is gone never ends, and cannot be interrupted. `room`
and `names` are called in a thread that can be given up on (app/probe.py); a quota command is killed with
all its children.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import NamedTuple

import psutil

from trainwatch.core.disks import table
from trainwatch.core.disks.values import Asked, Quota, Room
from trainwatch.core.errors import AnswerUnreadable, DiskUnknown
from trainwatch.core.redact import redact
from trainwatch.core.words import clean

_DYING_S = 1.0  # a killed command may take so long to be gone; one that hangs in the kernel stays
_CHUNK = 65_536


class _Done(NamedTuple):
    """Of a command: its exit code, what it printed, and the first line of stderr."""

    code: int
    out: bytes
    said: str


def room(path: str) -> Room:
    """Bytes and inodes that whoever asks has on the filesystem of a path. Raises DiskUnknown."""
    try:
        found = os.statvfs(path)
    except OSError as error:
        raise DiskUnknown(f"{path}: {error.strerror}") from error
    taken = found.f_blocks - found.f_bfree
    inodes = found.f_files > 0  # many network filesystems and btrfs count none
    return Room(
        bytes_total=(taken + found.f_bavail) * found.f_frsize,
        bytes_free=found.f_bavail * found.f_frsize,
        inodes_total=found.f_files - found.f_ffree + found.f_favail if inodes else None,
        inodes_free=found.f_favail if inodes else None,
    )


def names(path: str) -> tuple[str, ...]:
    """What the filesystem of a path is called on this machine: its device, its end, where it is mounted."""
    place = PurePath(os.path.realpath(path))
    above = {str(place), *map(str, place.parents)}
    over = [mount for mount in psutil.disk_partitions(all=True) if mount.mountpoint in above]
    if not over:
        return ()
    longest = max(over, key=lambda mount: len(mount.mountpoint))
    mount = next(one for one in reversed(over) if one.mountpoint == longest.mountpoint)
    short = mount.device.rstrip("/").rpartition("/")[2]
    return tuple(dict.fromkeys(name for name in (short, mount.device, mount.mountpoint) if name))


def quota(kind: str, asked: Asked, at: float, deadline_s: float) -> Quota:
    """What is allowed, by the command of a kind (core/disks/table.py). `at` is now. Raises DiskUnknown.

    A command may fail because somebody is over a limit: what it printed counts.
    """
    argv = table.argv(kind, asked)
    done = _run(argv, deadline_s)
    try:
        return table.parse(kind, asked, done.out, at)
    except AnswerUnreadable as error:
        failed = done.code and not done.out.strip()
        why = done.said or f"failed with {done.code}" if failed else str(error)
        raise DiskUnknown(f"{argv[0]}: {redact(why.removeprefix(f'{argv[0]}: '))}") from error


def _run(argv: Sequence[str], deadline_s: float) -> _Done:
    """Raises DiskUnknown if it cannot be run, takes too long, or does not stop talking."""
    name = argv[0]
    try:
        process = subprocess.Popen(  # noqa: S603 - a list of arguments; no shell reads it
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(os.environ),
            start_new_session=True,  # its children die with it
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise DiskUnknown(f"{name} cannot be run here: {why}") from error
    try:
        out, err = _heard(process, name, time.monotonic() + deadline_s, deadline_s)
    finally:
        _end(process)
    lines = err.decode("utf-8", "replace").splitlines()
    said = next((line.strip() for line in lines if line.strip()), "")
    return _Done(process.returncode or 0, out, clean(redact(said), 200))


def _heard(
    process: "subprocess.Popen[bytes]", name: str, until: float, deadline_s: float
) -> tuple[bytes, bytes]:
    """What it prints until it ends: a pipe that a child keeps open does not count."""
    heard = {process.stdout: bytearray(), process.stderr: bytearray()}
    late = DiskUnknown(f"{name} gave no answer in {deadline_s:g} s")
    with selectors.DefaultSelector() as waiting:
        for pipe in filter(None, heard):
            waiting.register(pipe, selectors.EVENT_READ, heard[pipe])
        while waiting.get_map():
            if time.monotonic() >= until:
                raise late
            for key, _ in waiting.select(max(0.0, until - time.monotonic())):
                data = os.read(key.fd, _CHUNK)
                key.data.extend(data)
                if not data:
                    waiting.unregister(key.fileobj)
            if any(len(text) > table.MOST_BYTES for text in heard.values()):
                raise DiskUnknown(f"{name} does not stop talking: that is no quota")
    try:
        process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise late from None
    return bytes(heard[process.stdout]), bytes(heard[process.stderr])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Whatever is left of its group goes with it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_DYING_S)


def _environment(mine: Mapping[str, str]) -> dict[str, str]:
    """Numbers and words as the parsers know them."""
    return {**mine, "LC_ALL": "C", "LANG": "C"}
