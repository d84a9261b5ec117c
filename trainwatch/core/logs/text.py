"""Bytes of one line -> clean text, and the small things every format prints: numbers, stamps, ranks.

The trap: lines come from many ranks, terminals and launchers. Nothing here may raise on any bytes.
"""

import re
from datetime import UTC, datetime

from trainwatch.core.patterns import pattern

LONGEST_LINE = (
    64 * 1024
)  # bytes of a line that are looked at; no record of any format comes near it

_ESCAPES = pattern(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[ -/]*[0-~])")
_CONTROLS = bytes(c for c in range(32) if c not in b"\t") + b"\x7f"
_SPEAKERS = pattern(
    r"\s*+(?:\[?(?:default|rank|Rank )(?P<rank>\d+)\]?:?\s?"
    r"|(?P<task>\d{1,6}):\s"
    r"|\[(?P<host>[\w.-]+?)(?::(?P<local>\d+))?\]:?\s)"
)
_STAMP = pattern(
    r"(?P<y>\d{4})-(?P<mo>\d\d)-(?P<d>\d\d)[ T](?P<t>\d\d:\d\d:\d\d)(?:[.,](?P<f>\d{1,9}))?"
    r"|(?P<mo2>\d\d)/(?P<d2>\d\d)/(?P<y2>\d{4}) (?P<t2>\d\d:\d\d:\d\d)"
    r"|(?P<mo3>\d\d)/(?P<d3>\d\d) (?P<t3>\d\d:\d\d:\d\d)"
    r"|(?<!\d)(?P<y4>\d{4})(?P<mo4>\d\d)(?P<d4>\d\d) (?P<t4>\d\d:\d\d:\d\d)"
)
_NUMBER = pattern(
    r"[-+]?(?:\d[\d,]*+(?:\.\d*+)?(?:[eE][-+]?\d++)?|nan|inf(?:inity)?)", re.IGNORECASE
)
_SUFFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12}
NO_YEAR = (
    1972  # a leap year, so that every date exists; core/clocks.py puts the real one in its place
)


def plain(raw: bytes) -> str:
    """Clean text of a line: no escapes, no control characters, never longer than LONGEST_LINE."""
    raw = raw[:LONGEST_LINE]
    if b"\x1b" in raw:
        raw = _ESCAPES.sub(b"", raw)
    return raw.translate(None, _CONTROLS).decode("utf-8", "replace")


def speaker(text: str) -> str:
    """Which rank, task or host the line's prefix names: `rank7`, `7`, `host-1:3`, or nothing."""
    match = _SPEAKERS.match(text)
    if match is None:
        return ""
    if match["rank"]:
        return f"rank{match['rank']}"
    return match["task"] or ":".join(part for part in match.group("host", "local") if part)


def unframed(text: str) -> str:
    """The line without the prefix that names who printed it."""
    match = _SPEAKERS.match(text)
    return text if match is None else text[match.end() :]


def number(text: str) -> float | None:
    """A number as logs print them: thousands commas, exponents, nan and inf; else None."""
    if _NUMBER.fullmatch(text) is None:
        return None
    return float(text.replace(",", ""))


def count(value: float | None) -> int | None:
    """A number that counts something as an int; None if it cannot be one (nan, negative, too large)."""
    return int(value) if value is not None and 0 <= value < 2**53 else None


def short_number(text: str) -> float | None:
    """A number with a K, M, G, B or T behind it (nanotron: `8.79K`, `480B`)."""
    scale = _SUFFIXES.get(text[-1:])
    value = number(text[:-1] if scale else text)
    return None if value is None else value * (scale or 1.0)


def whole(text: str) -> int | None:
    """A whole number, with thousands commas and surrounding blanks allowed."""
    text = text.strip().replace(",", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def duration(text: str) -> float | None:
    """`19:29:30`, `1:03:17`, `27:56`, `2 days, 1:45:39` in seconds, else None."""
    days, _, clock = text.rpartition(",")
    parts = clock.strip().split(":")
    if not 2 <= len(parts) <= 3:
        return None
    seconds = 0.0
    for part in parts:
        value = number(part.strip())
        if value is None:
            return None
        seconds = seconds * 60 + value
    day = whole(days.replace("days", "").replace("day", "")) if days else 0
    return None if day is None else seconds + day * 86400


def stamp(text: str) -> float | None:
    """The first date and time in the text: s since the epoch as if it were UTC.

    Stamps without a year (nanotron) are put into the year NO_YEAR.
    """
    match = _STAMP.search(text)
    return None if match is None else _seconds(match)


def _seconds(match: re.Match[str]) -> float | None:
    year = int(_any(match, "y", "y2", "y4") or NO_YEAR)
    month = int(_any(match, "mo", "mo2", "mo3", "mo4"))
    day = int(_any(match, "d", "d2", "d3", "d4"))
    clock = _any(match, "t", "t2", "t3", "t4")
    hours, minutes, seconds = (int(part) for part in clock.split(":"))
    try:
        whole_seconds = datetime(year, month, day, hours, minutes, seconds, tzinfo=UTC).timestamp()
    except ValueError:
        return None
    return whole_seconds + (float("0." + match["f"]) if match["f"] else 0.0)


def _any(match: re.Match[str], *names: str) -> str:
    """The one of these groups that took part, or nothing."""
    return next((found for found in match.group(*names) if found), "")
