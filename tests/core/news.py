"""Changes and receivers for tests of telling."""

from typing import Any

from msgspec.structs import replace

from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import OK, Outbox, Outcome, Receiver, Sending
from trainwatch.core.outbox import told
from trainwatch.core.sending import due

AT = 1_700_000_000.0
AGAIN = Outcome(result="again", why="it answers 500")
NEVER = Outcome(result="never", why="it answers 403")

STALL = Change(
    at=AT,
    run="tr11-176B",
    rule="stall",
    severity="critical",
    change="firing",
    since=AT - 4320,
    summary="no iteration for 1 h 12 min, where 105 s are usual",
    iteration=95_000,
    evidence=(" iteration    95000/  115311 | loss 2.3E+00 |", "[default7]: NCCL timeout"),
    cost="461 GPU-hours",
    advice="look at node r7i4n2, then cancel the job: a new one resumes",
)


def firing(rule: str = "stall", **fields: Any) -> Change:
    """A change of a rule that fires."""
    return replace(STALL, rule=rule, **fields)


def resolved(rule: str = "stall", **fields: Any) -> Change:
    """The end of one, ten minutes later unless said otherwise."""
    return firing(rule, **{"change": "resolved", "at": AT + 600, **fields})


def to(name: str = "slack", **fields: Any) -> Receiver:
    """A receiver that wants everything."""
    return Receiver(name=name, **fields)


def deliver(
    outbox: Outbox, receivers: list[Receiver], now: float, outcome: Outcome = OK
) -> tuple[Outbox, list[Sending]]:
    """Send what is due; all of it ends like this."""
    sendings = due(outbox, receivers, now)
    for sending in sendings:
        outbox = told(outbox, sending, outcome, now)
    return outbox, list(sendings)


def said(sendings: list[Sending]) -> list[tuple[str, str, str]]:
    """(receiver, change, rule) of all that was sent."""
    return [(s.receiver, c.change, c.rule) for s in sendings for c in s.changes]
