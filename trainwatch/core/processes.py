"""The processes of a command: how they ended, in words, and whether a look at them brought anything new.

The trap: a process that cannot be seen is neither alive nor dead, and a log may say more of an end than an
exit code does: the first line that names the cause stays the cause.
"""

from signal import Signals

from msgspec.structs import replace

from trainwatch.core.model.observations import ProcessReading
from trainwatch.core.model.state import Died

_BY_SIGNAL = (
    128  # a shell's exit code for a child that a signal ended: so much more than its number
)
_BROKEN = frozenset({"SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS"})
_WISHES = frozenset({"SIGINT", "SIGTERM", "SIGQUIT"})  # of people, when they come through us


def end_of(seen: ProcessReading, before: ProcessReading | None, *, is_done: bool) -> Died:
    """How a command ended whose last reading but one was `before`. `is_done`: it reached its target."""
    name = signal_name(seen)
    if name == "SIGKILL" and _out_of_memory(seen, before):
        said = f"{ended(seen)}; the kernel ended processes of its control group for memory then"
        return Died(at=seen.at, how="out-of-memory", said=said)
    if name == "SIGHUP":
        return Died(at=seen.at, how="killed", said=f"{ended(seen)}: its terminal went away")
    if seen.exit_code == 0:
        return Died(at=seen.at, how="completed" if is_done else "exited", said=ended(seen))
    if name == "SIGINT" or (seen.asked is not None and _name(seen.asked) in _WISHES):
        return Died(at=seen.at, how="cancelled", said=ended(seen))
    if seen.exit_code is None and not name:
        return Died(at=seen.at, how="unknown", said=ended(seen))
    broken = not name or name in _BROKEN
    return Died(at=seen.at, how="crashed" if broken else "killed", said=ended(seen))


def ended(seen: ProcessReading) -> str:
    """How the main process ended, in words."""
    if seen.signal is not None:
        return f"killed by {_name(seen.signal)}"
    if seen.exit_code is None:
        return "its processes are gone, and nobody saw how they ended"
    name = signal_name(seen)
    return f"exit code {seen.exit_code}" + (f", a shell's word for {name}" if name else "")


def signal_name(seen: ProcessReading) -> str:
    """The signal that ended it, or what it ran for it if it is a shell; empty if there was none."""
    if seen.signal is not None:
        return _name(seen.signal)
    code = seen.exit_code or 0
    known = code > _BY_SIGNAL and code - _BY_SIGNAL in {each.value for each in Signals}
    return _name(code - _BY_SIGNAL) if known else ""


def says_the_same(seen: ProcessReading, before: ProcessReading | None) -> bool:
    """Whether nothing but the time, CPU and memory changed: not worth a write to disk."""
    if before is None:
        return False
    moving = {"at": 0.0, "cpu_s": None, "rss_bytes": None}
    return replace(seen, **moving) == replace(before, **moving)


def _name(number: int) -> str:
    return Signals(number).name if number in {s.value for s in Signals} else f"signal {number}"


def _out_of_memory(seen: ProcessReading, before: ProcessReading | None) -> bool:
    """Whether the kernel's count rose since the last look: an older kill says nothing of this end."""
    if seen.oom_kills is None:
        return False
    known = before.oom_kills if before is not None and before.oom_kills is not None else 0
    return seen.oom_kills > known
