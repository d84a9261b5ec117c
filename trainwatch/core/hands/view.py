"""What the hands of a run would do now, as views and scripts read it."""

from collections.abc import Iterator

from trainwatch.core.hands.deeds import Deed, Plan, Refusal
from trainwatch.core.hands.proofs import in_words
from trainwatch.core.model.status import HandStatus
from trainwatch.core.senses.deeds import DeedSense


def views(plan: Plan, deeds: DeedSense, now: float) -> tuple[HandStatus, ...]:
    """A row for each hand."""
    return tuple(_view(each, deeds, now) for each in plan)


def shape(plan: Plan) -> tuple[tuple[str, str], ...]:
    """What changes only when a hand would do something else: no lengths of time."""
    return tuple((e.hand, e.cause if isinstance(e, Deed) else e.kind) for e in plan)


def lines(rows: tuple[HandStatus, ...]) -> Iterator[str]:
    """The same for people: a line for each hand, its reasons under it."""
    for row in rows:
        if row.state == "would":
            yield f"  {row.hand:<9} would: {row.does}"
            yield from (f"            as {why}" for why in row.why)
            if row.then:
                yield f"            then, by you: {row.then}"
        else:
            word = {"off": "off", "idle": "nothing to do", "refused": "refuses"}[row.state]
            yield f"  {row.hand:<9} {word}: {row.why[0] if row.why else ''}"
            yield from (f"            and {why}" for why in row.why[1:])
        if row.last:
            yield f"            last: {row.last}"


def _view(each: Deed | Refusal, deeds: DeedSense, now: float) -> HandStatus:
    before = next(deeds.deeds(each.hand), None)
    last = in_words(before, now) if before is not None else ""
    if isinstance(each, Refusal):
        return HandStatus(hand=each.hand, state=each.kind, why=each.why, last=last)
    return HandStatus(
        hand=each.hand,
        state="would",
        why=each.why,
        does=each.does,
        then=each.then,
        cause=each.cause,
        last=last,
    )
