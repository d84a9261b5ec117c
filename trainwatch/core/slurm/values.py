"""The small things that Slurm prints: lengths of time, moments, states, numbers, lists of nodes.

The trap: each has several words for "not known" (`N/A`, `NOT_SET`, `INVALID`, `(null)`, 4294967294, ...).
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from trainwatch.core.patterns import pattern
from trainwatch.core.slurm import hosts

Said = TypeVar("Said")
Meant = TypeVar("Meant")

ENDED = frozenset(
    {
        "BOOT_FAIL",
        "CANCELLED",
        "COMPLETED",
        "DEADLINE",
        "FAILED",
        "LAUNCH_FAILED",
        "NODE_FAIL",
        "OUT_OF_MEMORY",
        "PREEMPTED",
        "REVOKED",
        "TIMEOUT",
    }
)

# Of several flags the first in this order is what the job is in, as Slurm's own text says it; what
# only Slurm needs to tell apart has the name of what it means for the job.
_FLAGS = {
    "COMPLETING": "COMPLETING",
    "STAGE_OUT": "COMPLETING",
    "CONFIGURING": "CONFIGURING",
    "POWER_UP_NODE": "CONFIGURING",
    "RESIZING": "RESIZING",
    "REQUEUE_HOLD": "REQUEUE_HOLD",
    "SPECIAL_EXIT": "REQUEUE_HOLD",
    "RESV_DEL_HOLD": "REQUEUE_HOLD",
    "REQUEUED": "REQUEUED",
    "REQUEUE_FED": "REQUEUED",
    "EXPEDITING": "REQUEUED",
    "STOPPED": "SUSPENDED",
    "REVOKED": "REVOKED",
    "SIGNALING": "RUNNING",
}
_ASIDE = frozenset({"LAUNCH_FAILED", "RECONFIG_FAIL", "UPDATE_DB"})  # beside what the job is in
_NO_TEXT = frozenset({"(null)", "N/A", "n/a", "NULL"})
_NO_NUMBER = 0xFFFFFFFE  # this and larger: Slurm's NO_VAL and INFINITE, of 32 and of 64 bits
_MOST_DIGITS = 12  # of seconds since the epoch: enough for 3,000 years
_LENGTH = pattern(
    r"(?:(?P<d>[0-9]{1,9})-)?(?P<a>[0-9]{1,9})(?::(?P<b>[0-9]{1,9}))?(?::(?P<c>[0-9]{1,9}))?"
)
_STAMP = pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(?:Z|[+-][0-9]{2}:?[0-9]{2})?")


class Amount(msgspec.Struct, frozen=True, gc=False):
    """A number as Slurm writes it from 23.02 on."""

    set: bool = True
    infinite: bool = False
    number: float | str | None = None


Figure = float | str | Amount | None


def seconds(text: str) -> float | None:
    """`1-07:27:33`, `27:33` (min, s), `1-07` (days, h), `90` (min) in s; None: no limit, or unknown."""
    match = _LENGTH.fullmatch(text)
    if match is None:
        return None
    a, b, c = (int(match[name] or 0) for name in "abc")
    if match["d"] is not None:
        return float(((int(match["d"]) * 24 + a) * 60 + b) * 60 + c)
    if match["b"] is None:
        return float(a * 60)
    return float((a * 60 + b) * 60 + c if match["c"] is not None else a * 60 + b)


def number(figure: Figure) -> float | None:
    """A number of JSON in any of its forms; None if it is not set or has no end."""
    if isinstance(figure, Amount):
        if figure.infinite or not figure.set:
            return None
        figure = figure.number
    if isinstance(figure, str):
        figure = float(figure) if figure.isascii() and figure.isdigit() else None
    if figure is None or not 0 <= figure < _NO_NUMBER:
        return None
    return figure + 0.0


def minutes(figure: Figure) -> float | None:
    """A time limit of JSON (minutes) in s; None for no limit and for unknown."""
    found = number(figure)
    return None if found is None else found * 60


def count(figure: Figure) -> int | None:
    """A whole number; None if unknown."""
    found = number(figure)
    return None if found is None else int(found)


def instant(figure: Figure) -> float | None:
    """A moment of JSON, s since the epoch; None if unknown."""
    return number(figure) or None


def moment(text: str, utc_offset_s: float | None = None) -> float | None:
    """A moment of text, s since the epoch: as such (we ask for it), or `2026-11-20T10:00:00`.

    A stamp without a zone is of the cluster: None unless its offset (s east of UTC) is given.
    """
    if text.isdigit() and len(text) < _MOST_DIGITS and text.isascii():
        return float(text) or None
    if _STAMP.fullmatch(text) is None:
        return None
    try:
        stamp = datetime.fromisoformat(text)
        if stamp.tzinfo is not None:
            return stamp.timestamp()
        return (
            None if utc_offset_s is None else stamp.replace(tzinfo=UTC).timestamp() - utc_offset_s
        )
    except (ValueError, OverflowError):
        return None


def word(text: str | None) -> str:
    """A text that may say that there is none; then it is empty."""
    return "" if text is None or text in _NO_TEXT else text


def reason(text: str | None) -> str:
    """Why it waits; empty for none."""
    return "" if text == "None" else word(text)


def state(said: str | Sequence[str] | None) -> str:
    """The one of several states that matters: `["RUNNING", "COMPLETING"]` is COMPLETING; empty if unknown."""
    if said is None:
        return ""
    if isinstance(said, str):
        first = said.upper().split(maxsplit=1)[0] if said.strip() else ""
        first = first.rstrip("+")  # sacct marks a word that it cut
        return _FLAGS.get(first, first)  # `CANCELLED by 1000`
    flags = [flag.upper() for flag in said]
    for flag, means in _FLAGS.items():
        if flag in flags:
            return means
    return next((flag for flag in flags if flag not in _ASIDE), flags[0] if flags else "")


class Each(dict[Said, Meant]):
    """What texts of one answer mean, each worked out once: thousands of rows say the same."""

    def __init__(self, meaning: Callable[[Said], Meant]) -> None:
        self._meaning = meaning

    def __missing__(self, said: Said) -> Meant:
        found = self[said] = self._meaning(said)
        return found


class Nodes:
    """Lists of nodes of one answer to names: each name once, and all of them bounded."""

    def __init__(self, most: int = 4 * hosts.MOST) -> None:
        self._left = most
        self._lists = Each(self._expand)
        self._names: dict[str, str] = {}

    def of(self, text: str | None) -> tuple[str, ...]:
        """The names; none when they are not known, not readable, or too many."""
        return self._lists[text or ""]

    def _expand(self, text: str) -> tuple[str, ...]:
        if text in _NO_TEXT or text == "None assigned":
            return ()
        try:
            names = hosts.expand(text)
        except ValueError:
            return ()
        if len(names) > self._left:
            return ()
        self._left -= len(names)
        return tuple(self._names.setdefault(name, name) for name in names)
