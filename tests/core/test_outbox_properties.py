"""Whatever fires, ends and fails in whatever order: receivers hear of it, once."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.core.news import AGAIN, AT, NEVER, deliver, firing, resolved, to
from trainwatch.core.model.alerts import SEVERITIES, Change, Severity
from trainwatch.core.model.telling import OK, Outbox, Outcome, Receiver
from trainwatch.core.outbox import DAY_S, queue, refreshed

RULES = ("stall", "crash")
RECEIVERS = [
    to("people"),
    to("calm", cooldown_s=1800),
    to("digest", digest_s=3600),
    to("alertmanager", refresh_s=60),
]
Step = tuple[Literal["firing", "repeated", "resolved"], str, Severity, Outcome, float]
steps = st.lists(
    st.tuples(
        st.sampled_from(("firing", "repeated", "resolved")),
        st.sampled_from(RULES),
        st.sampled_from(SEVERITIES),
        st.sampled_from((OK, OK, AGAIN, NEVER)),
        st.sampled_from((0.0, 15.0, 700.0, 4000.0)),
    ),
    max_size=25,
)


def change_of(step: Step, at: float) -> Change:
    change, rule, severity, _, _ = step
    if change == "resolved":
        return resolved(rule, severity=severity, at=at)
    return firing(rule, severity=severity, change=change, at=at)


def played(steps: Sequence[Step], receiver: Receiver) -> tuple[Outbox, list[Change], float]:
    """What one receiver got (each message that went out), and the outbox in the end, when all goes out."""
    outbox, got, now = Outbox(), list[Change](), AT
    for step in steps:
        now += step[-1]
        outbox = queue(outbox, [change_of(step, now)], [receiver], now)
        outbox, sendings = deliver(outbox, [receiver], now, step[3])
        got += [c for s in sendings for c in s.changes if step[3] is OK]
        outbox = msgspec.json.decode(msgspec.json.encode(outbox), type=Outbox)
    outbox = refreshed(outbox)
    for _ in range(10):
        now += DAY_S / 2
        outbox, sendings = deliver(outbox, [receiver], now)
        got += [c for s in sendings for c in s.changes]
    return outbox, got, now


@given(steps, st.sampled_from(RECEIVERS))
def test_in_the_end_a_receiver_knows_what_fires(steps: list[Step], receiver: Receiver) -> None:
    outbox, got, _ = played(steps, receiver)
    assert outbox.queued == ()
    for rule in RULES:
        last = next((step[0] for step in reversed(steps) if step[1] == rule), "resolved")
        heard = [change.change for change in got if change.rule == rule]
        assert (heard[-1] if heard else "resolved") == last or {heard[-1], last} == {
            "firing",
            "repeated",
        }


@given(steps, st.sampled_from(RECEIVERS[:3]))
def test_nothing_is_told_more_often_than_it_happened(steps: list[Step], receiver: Receiver) -> None:
    _, got, _ = played(steps, receiver)
    for rule in RULES:
        happened = [step[0] for step in steps if step[1] == rule]
        ends = [pair for pair in pairwise(happened) if pair[0] != "resolved" == pair[1]]
        heard = [change.change for change in got if change.rule == rule]
        assert heard.count("resolved") <= len(ends)
        assert len(heard) - heard.count("resolved") <= len(happened) - happened.count("resolved")
