"""(files seen, ledger, policy, now) -> what to send now, and when to look again. Pure.

A log that grows is sent up to the last whole line; past a size it goes on in parts, of which only the last
one grows: `main_log.txt`, `main_log.txt.part-0001`, ... Put together they are the log. The trap: a file that
became shorter may be a stale answer of a network filesystem, and if it is not, what was sent of it must stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from trainwatch.core.model.syncing import (
    Found,
    Ledger,
    Piece,
    Seen,
    Sent,
)

_APPENDED = (".txt", ".log", ".out", ".err", ".jsonl")  # only ever grow
_LINES = (*_APPENDED, ".csv")  # hold lines
HEAD_BYTES = 1024  # by which a log is known
_WORTH_BYTES = 4096  # a shorter one that began anew is replaced: nothing is lost
HOUR_S = 3600.0
_MOST_FILES = 200  # in one commit
_MOST_COPIED_BYTES = 512 * 1024 * 1024  # in one commit: so much room its copies take
_MOST_IN_PLACE_BYTES = 20 * 1024**3


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How a route sends. Times in seconds."""

    every_s: float
    calm_s: float
    most_per_hour: int
    part_bytes: int


class Plan(NamedTuple):
    """What to send now. `look_at`: when to look again, if that goes well. `waiting`: bytes that must wait."""

    pieces: tuple[Piece, ...]
    look_at: float
    seen: Mapping[str, Seen]
    waiting: int = 0
    held: str = ""  # why nothing is sent although something could be


def waiting(ledger: Ledger) -> int:
    """Bytes that were seen and have not arrived, whenever they are due."""
    left = 0
    for name, seen in ledger.seen.items():
        sent = ledger.sent.get(name)
        grew = sent is not None and is_log(name) and sent.bytes <= seen.bytes
        left += seen.bytes - (sent.bytes if sent is not None and grew else 0)
    return left


def lately(ledger: Ledger, now: float) -> int:
    """Commits of the last hour."""
    return sum(now - HOUR_S < at <= now for at in ledger.commits)


def is_log(name: str) -> bool:
    """Whether a file of this name only ever grows."""
    return name.lower().endswith(_APPENDED)


def plan(found: Sequence[Found], ledger: Ledger, policy: Policy, now: float) -> Plan:
    """What to send now of these files."""
    seen = {one.name: _looked(one, ledger, now) for one in found if _differs(one, ledger)}
    ready = sorted(
        (pieces for one in found if (pieces := _pieces(one, ledger, policy, seen, now))),
        key=lambda pieces: _turn(pieces[0], ledger),
    )
    wanted = [piece for pieces in ready for piece in pieces]
    chosen = _chosen(wanted, ledger.batch or _MOST_FILES)
    waiting = sum(piece.end - piece.start for piece in wanted[len(chosen) :])
    free_at = _free_at(ledger.commits, policy.most_per_hour, now)
    if wanted and free_at > now:
        held = f"{policy.most_per_hour} commits were made within the last hour"
        waiting = sum(piece.end - piece.start for piece in wanted)
        return Plan((), free_at, seen, waiting, held)
    look_at = now if len(chosen) < len(wanted) else now + policy.every_s
    return Plan(tuple(chosen), look_at, seen, waiting)


def _looked(one: Found, ledger: Ledger, now: float) -> Seen:
    before = ledger.seen.get(one.name)
    same = before is not None and (before.bytes, before.mtime_ns) == (one.bytes, one.mtime_ns)
    since = before.since if before is not None and same and before.since <= now else now
    return Seen(bytes=one.bytes, mtime_ns=one.mtime_ns, since=since)


def _differs(one: Found, ledger: Ledger) -> bool:
    """Whether there is something of it that has not arrived."""
    sent = ledger.sent.get(one.name)
    if sent is None:
        return True
    return (sent.size, sent.mtime_ns) != (one.bytes, one.mtime_ns) or sent.bytes < one.bytes


def _pieces(
    one: Found, ledger: Ledger, policy: Policy, seen: Mapping[str, Seen], now: float
) -> list[Piece]:
    refused = ledger.refused.get(one.name)
    if one.name not in seen:
        return []
    if refused is not None and (refused.bytes, refused.mtime_ns) == (one.bytes, one.mtime_ns):
        return []
    calm = now - min(seen[one.name].since, one.mtime_ns / 1e9) >= policy.calm_s
    sent = ledger.sent.get(one.name)
    if is_log(one.name):
        return list(_of_log(one, sent, ledger.seen.get(one.name), policy, calm, now))
    if one.bytes > policy.part_bytes:
        return [_piece(one, policy.part_bytes, in_place=True)] if calm else []
    if sent is not None and now - sent.at < policy.calm_s and now >= sent.at:
        return []
    if not _fresh(one, sent, calm):
        return []
    return [_piece(one, policy.part_bytes, lines=one.name.lower().endswith(_LINES) and not calm)]


def _fresh(one: Found, sent: Sent | None, calm: bool) -> bool:
    """Whether it changed since it was sent, or came to rest with half a line that was not."""
    return sent is None or calm or (sent.size, sent.mtime_ns) != (one.bytes, one.mtime_ns)


def _of_log(
    one: Found, sent: Sent | None, before: Seen | None, policy: Policy, calm: bool, now: float
) -> Iterator[Piece]:
    """The parts of a log that are due: those that are full at once, the last one after a calm period."""
    part, series, start = policy.part_bytes, 0, 0
    if sent is not None:
        part, series = sent.part_bytes, sent.series
        start = sent.bytes
        if _shorter(one, sent) and not _other(one, sent) and not _twice(before, sent):
            return
        if _shorter(one, sent) or _other(one, sent):
            start, sent = 0, None
            series += 1
    for number in range(start // part, -(-one.bytes // part)):
        end = min(one.bytes, (number + 1) * part)
        full = end == (number + 1) * part
        if not full and sent is not None:
            quiet = now - sent.at >= policy.calm_s or now < sent.at
            if not (quiet and _fresh(one, sent, calm)):
                return
        yield _piece(
            one,
            part,
            start=number * part,
            end=end,
            series=series,
            to=_part_name(one.name, series, number),
            lines=not full and not calm,
        )


def _shorter(one: Found, sent: Sent) -> bool:
    return one.bytes < sent.bytes and sent.bytes >= _WORTH_BYTES


def _other(one: Found, sent: Sent) -> bool:
    known = one.head and sent.head and sent.bytes >= _WORTH_BYTES
    return bool(known) and one.head != sent.head


def _twice(before: Seen | None, sent: Sent) -> bool:
    return before is not None and before.bytes < sent.bytes


def _part_name(name: str, series: int, number: int) -> str:
    again = f".again-{series}" if series else ""
    return f"{name}{again}" + (f".part-{number:04d}" if number else "")


def _piece(
    one: Found,
    part_bytes: int,
    *,
    start: int = 0,
    end: int | None = None,
    series: int = 0,
    to: str = "",
    lines: bool = False,
    in_place: bool = False,
) -> Piece:
    return Piece(
        name=one.name,
        to=to or one.name,
        start=start,
        end=one.bytes if end is None else end,
        size=one.bytes,
        mtime_ns=one.mtime_ns,
        part_bytes=part_bytes,
        head=one.head,
        series=series,
        lines=lines,
        in_place=in_place,
    )


def _turn(piece: Piece, ledger: Ledger) -> tuple[bool, float, str]:
    """Copies first: weights may take hours. Then who has waited longest."""
    sent = ledger.sent.get(piece.name)
    return piece.in_place, sent.at if sent is not None else 0.0, piece.name


def _chosen(wanted: Sequence[Piece], most_files: int) -> list[Piece]:
    """As many as one commit may hold: copies, or large files, never both."""
    chosen = list[Piece]()
    room = _MOST_IN_PLACE_BYTES if wanted and wanted[0].in_place else _MOST_COPIED_BYTES
    for piece in wanted[:most_files]:
        room -= piece.end - piece.start
        if chosen and (room < 0 or piece.in_place != chosen[0].in_place):
            break
        chosen.append(piece)
    return chosen


def _free_at(commits: Sequence[float], most: int, now: float) -> float:
    """When the next commit may be made: there may be `most` in any hour."""
    recent = sorted(at for at in commits if now - HOUR_S < at <= now)
    return now if len(recent) < most else recent[-most] + HOUR_S
