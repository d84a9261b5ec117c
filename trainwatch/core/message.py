"""Alert changes -> plain text that reads well on a phone.

The trap: a message quotes a log. Foreign words lose their control characters, their length and their secrets.
"""

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from trainwatch.core.logs.own import PREFIX
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import Message, Sending
from trainwatch.core.redact import redact
from trainwatch.core.words import duration

LINE_CHARS = 160  # of a quoted line
TEXT_CHARS = 600  # of a sentence
LINES = 6  # quoted of one alert
FULL = 3  # alerts told in full in one message; the others in a line each
BODY_CHARS = 3_500  # what most services take
_RAW_CHARS = 4_000  # of a foreign text is looked at


def compose(sending: Sending, utc_offset_s: float = 0.0) -> Message:
    """What the receiver reads. Times are local by the offset."""
    first, more = sending.changes[0], len(sending.changes) - 1
    title = head(first) + (f" and {more} more" if more else "")
    title = f"digest: {title}" if sending.digest else title
    parts = [
        _full(change, sending.at, utc_offset_s, titled=bool(more))
        for change in sending.changes[:FULL]
    ]
    rest = [_short(change, sending.at, utc_offset_s) for change in sending.changes[FULL:]]
    if rest:
        parts.append("\n".join(rest))
    if sending.dropped:
        many = sending.dropped != 1
        lost = "messages could not be sent and are" if many else "message could not be sent and is"
        parts.append(f"{sending.dropped} older {lost} lost.")
    return Message(title=title, body=_cut("\n\n".join(parts), BODY_CHARS))


def line(change: Change, utc_offset_s: float = 0.0) -> str:
    """The change as one line of a log of logs, when it happened."""
    text = f"{stamp(change.at, utc_offset_s)} {head(change)}: {foreign(change.summary, TEXT_CHARS)}"
    return PREFIX + text + (f" ({change.muted})" if change.muted else "")


def head(change: Change) -> str:
    """Severity, run, rule: `CRITICAL tr11-176B: stall`."""
    word = "resolved" if change.change == "resolved" else change.severity
    again = " (still)" if change.change == "repeated" else ""
    of = f" {foreign(change.key, 60)}" if change.key else ""
    return f"{word.upper()} {foreign(change.run, 80)}: {foreign(change.rule, 60)}{of}{again}"


def foreign(text: str, width: int) -> str:
    """Somebody else's text on one line: no control characters, no secrets, not too long."""
    line = "".join(c if c.isprintable() else " " for c in text[:_RAW_CHARS])
    return _cut(redact(line).strip(), width)


def when(at: float, now: float, utc_offset_s: float) -> str:
    """Local time, with the date unless it is today's."""
    then, today = _local(at, utc_offset_s), _local(now, utc_offset_s)
    return then.strftime("%H:%M" if then.date() == today.date() else "%Y-%m-%d %H:%M")


def stamp(at: float, utc_offset_s: float) -> str:
    """Local time to the second, as logs have it."""
    return _local(at, utc_offset_s).strftime("%Y-%m-%d %H:%M:%S")


def _full(change: Change, now: float, utc_offset_s: float, *, titled: bool) -> str:
    return "\n".join(_lines(change, now, utc_offset_s, titled=titled))


def _lines(change: Change, now: float, utc_offset_s: float, *, titled: bool) -> Iterator[str]:
    if titled:
        yield head(change)
    yield foreign(change.summary, TEXT_CHARS)
    yield _since(change, now, utc_offset_s)
    if change.cost:
        yield f"Cost so far: {foreign(change.cost, TEXT_CHARS)}"
    yield from (f"> {foreign(line, LINE_CHARS)}" for line in _quoted(change.evidence))
    if change.change == "resolved":
        return
    if change.advice:
        yield f"Do: {foreign(change.advice, TEXT_CHARS)}"
    of = f" --key {_word(change.key)}" if change.key else ""
    yield f"Not again: trainwatch alerts ack {_word(change.rule)}{of}"


def _word(text: str) -> str:
    return shlex.quote(foreign(text, 100))


def _quoted(evidence: Sequence[str]) -> Sequence[str]:
    """The last lines: the newest say most."""
    return [line for line in evidence if line.strip()][-LINES:]


def _since(change: Change, now: float, utc_offset_s: float) -> str:
    start = when(change.since, now, utc_offset_s)
    at = f", iteration {change.iteration:,}" if change.iteration is not None else ""
    if change.change == "resolved":
        end, lasted = when(change.at, now, utc_offset_s), duration(change.at - change.since)
        return f"From {start} to {end} ({lasted}){at}"
    return f"Since {start} ({duration(now - change.since)}){at}"


def _short(change: Change, now: float, utc_offset_s: float) -> str:
    return f"- {head(change)}: {foreign(change.summary, 120)} ({when(change.since, now, utc_offset_s)})"


def _local(at: float, utc_offset_s: float) -> datetime:
    return datetime.fromtimestamp(at, UTC) + timedelta(seconds=utc_offset_s)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
