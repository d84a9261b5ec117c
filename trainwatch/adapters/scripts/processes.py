"""Which process is which: numbers are given again, machines boot again.

The trap: the process of another machine can neither be seen nor be said to be gone.
"""

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

from trainwatch.core.model.scripts import Process

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_STATE, _BEGAN = 0, 19  # fields of /proc/PID/stat, counted behind the name


def me() -> Process:
    """This process."""
    pid = os.getpid()
    return Process(host=host(), pid=pid, birth=birth(pid) or "")


def host() -> str:
    """This machine."""
    return socket.gethostname()


def birth(pid: int) -> str | None:
    """What tells the process from all others that had its number; None if there is none that lives."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    if len(fields) <= _BEGAN or fields[_STATE] in "ZX":
        return None
    boot = ""
    with suppress(OSError):
        boot = _BOOT.read_text().strip()
    return f"{boot[:13]}:{fields[_BEGAN]}"


def alive(process: Process) -> bool | None:
    """Whether it lives; None for one of another machine."""
    if process.host != host():
        return None
    return bool(process.pid) and birth(process.pid) == process.birth


def end(process: Process) -> None:
    """End the group that it leads, if it is still the same process."""
    if alive(process):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
