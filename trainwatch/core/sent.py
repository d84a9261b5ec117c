"""What a ledger says after a look, before a commit, and after its outcome. Pure.

The trap: what is under way is written down before it is sent, and taken for sent only when the other side has
said so; in between it is neither.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from trainwatch.core.model.syncing import Intent, Ledger, Outcome, Piece, Refused, Sent, Taken
from trainwatch.core.upload import HOUR_S, Plan, is_log

TOO_LARGE = 413
_BACK_OFF_S, _LONGEST_S = 60.0, 3600.0
_PERMANENT_S = 6 * 3600.0  # who mends a token need not restart anything
_WELL = {"failures": 0, "permanent": False, "why": ""}


def fitting(ledger: Ledger | None, to: str) -> Ledger:
    """The ledger, if it is about this place; else a new one."""
    return ledger if ledger is not None and ledger.to == to else Ledger(to=to)


def looked(ledger: Ledger, planned: Plan, now: float) -> Ledger:
    """After a look that gave nothing to send."""
    ok_at = ledger.last_ok_at if planned.held else now
    return replace(
        ledger,
        seen=dict(planned.seen),
        look_at=planned.look_at,
        tried_at=now,
        last_ok_at=ok_at,
        failures=0,
        permanent=False,
        why="",
    )


def kept(pieces: Sequence[Piece], taken: Sequence[Taken], ledger: Ledger) -> dict[int, Piece]:
    """By number: what could be read and holds something new, as far as it was read."""
    chosen, broken = dict[int, Piece](), set[str]()
    for number, (piece, read) in enumerate(zip(pieces, taken, strict=True)):
        sent = ledger.sent.get(piece.name)
        old = sent is not None and sent.series == piece.series and is_log(piece.name)
        stale = old and sent is not None and read.end <= sent.bytes and piece.lines
        nothing = stale or (read.end <= piece.start and piece.end > piece.start)
        if read.why or nothing or piece.name in broken:
            broken.add(piece.name)
        else:
            chosen[number] = replace(piece, end=read.end)
    return chosen


def begun(ledger: Ledger, token: str, pieces: Iterable[Piece], now: float) -> Ledger:
    """Before something is sent. It counts as a commit whatever becomes of it."""
    recent = tuple(at for at in ledger.commits if now - HOUR_S < at <= now)
    intent = Intent(token=token, at=now, pieces=tuple(pieces))
    return replace(ledger, intent=intent, commits=(*recent, now))


def arrived(ledger: Ledger, left: Mapping[int, str] | None = None) -> Ledger:
    """What was intended has arrived, but for what is `left`, by number."""
    if ledger.intent is None:
        return ledger
    return _taken(ledger, ledger.intent.pieces, ledger.intent.at, left or {})


def ended(
    ledger: Ledger, outcome: Outcome, look_at: float, now: float, chance: float = 0.5
) -> Ledger:
    """After an outcome. `chance`, from 0 to 1, keeps many routes from trying again at the same moment."""
    if outcome.result == "sent":
        done = replace(arrived(ledger, outcome.left), batch=0)
        ok_at = now if look_at > now else ledger.last_ok_at
        return replace(done, **_WELL, look_at=look_at, tried_at=now, last_ok_at=ok_at)
    if outcome.done and ledger.intent is not None:
        ledger = _taken(
            ledger, ledger.intent.pieces[: outcome.done], ledger.intent.at, outcome.left
        )
    if outcome.status == TOO_LARGE and ledger.intent is not None:
        return _narrowed(ledger, ledger.intent.pieces, outcome, now)
    return failed(ledger, outcome, now, chance)


def failed(ledger: Ledger, outcome: Outcome, now: float, chance: float = 0.5) -> Ledger:
    """After a turn that did not end well. What may have arrived stays intended."""
    failures = ledger.failures + 1
    wait_s = min(_LONGEST_S, _BACK_OFF_S * 2.0 ** min(failures - 1, 10)) * (0.5 + chance / 2)
    if outcome.result == "never":
        wait_s = _PERMANENT_S
    return replace(
        ledger,
        intent=ledger.intent if outcome.result == "lost" else None,
        look_at=now + max(wait_s, outcome.retry_after_s or 0.0),
        tried_at=now,
        failures=failures,
        permanent=outcome.result == "never",
        why=outcome.why,
    )


def _narrowed(ledger: Ledger, pieces: Sequence[Piece], outcome: Outcome, now: float) -> Ledger:
    """A commit that is too large: half of it is tried next, until one file is left to blame."""
    rest = replace(ledger, intent=None, look_at=now, tried_at=now)
    if len(pieces) > 1:
        return replace(rest, batch=(len(pieces) + 1) // 2)
    one = pieces[0]
    blamed = Refused(bytes=one.size, mtime_ns=one.mtime_ns, why=outcome.why, amiss=True)
    return replace(rest, batch=0, refused={**ledger.refused, one.name: blamed})


def _taken(ledger: Ledger, pieces: Sequence[Piece], at: float, left: Mapping[int, str]) -> Ledger:
    sent, seen, refused = dict(ledger.sent), dict(ledger.seen), dict(ledger.refused)
    passed_over = set[str]()  # of a log with a hole nothing behind the hole counts
    for number, piece in enumerate(pieces):
        if why := left.get(number):
            passed_over.add(piece.name)
            refused[piece.name] = Refused(bytes=piece.size, mtime_ns=piece.mtime_ns, why=why)
        if piece.name in passed_over:
            continue
        sent[piece.name] = Sent(
            bytes=piece.end,
            size=piece.size,
            mtime_ns=piece.mtime_ns,
            at=at,
            part_bytes=piece.part_bytes,
            head=piece.head,
            series=piece.series,
        )
        seen.pop(piece.name, None)
        refused.pop(piece.name, None)
    return replace(ledger, sent=sent, seen=seen, refused=refused, intent=None)
