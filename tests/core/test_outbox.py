"""Who is told what, and when: time is an argument, receivers are outcomes."""

import msgspec
import pytest

from tests.core.news import AGAIN, AT, NEVER, STALL, deliver, firing, resolved, said, to
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import OK, Outbox, Outcome, Receiver
from trainwatch.core.outbox import (
    DAY_S,
    MOST_QUEUED,
    OLD_S,
    queue,
    refreshed,
    settled,
    told,
    told_late,
    troubles,
    wait_s,
)
from trainwatch.core.sending import due

EMPTY = Outbox()
WANTED: dict[str, tuple[Receiver, Change, bool]] = {
    "everything": (to(), STALL, True),
    "its severity": (to(severities=("critical",)), STALL, True),
    "another severity": (to(severities=("info", "warning")), STALL, False),
    "its run": (to(runs=("tr11-*", "x")), STALL, True),
    "another run": (to(runs=("tr10-*",)), STALL, False),
    "a run whose name differs in case": (to(runs=("TR11-*",)), STALL, False),
    "acknowledged": (to(), firing(muted="acknowledged"), False),
    "silenced": (to(), firing(muted="silenced"), False),
    "inhibited": (to(), firing(muted="inhibited"), False),
    "flapping": (to(), firing(muted="flapping"), False),
    "told again": (to(), firing(change="repeated"), True),
    "nearly old": (to(), firing(at=AT - OLD_S), True),
    "history": (to(), firing(at=AT - OLD_S - 1), False),
    "a resolve of what nobody was told": (to(), resolved(at=AT), False),
}


@pytest.mark.parametrize(("receiver", "change", "wanted"), WANTED.values(), ids=WANTED.keys())
def test_who_wants_to_know(receiver: Receiver, change: Change, wanted: bool) -> None:
    outbox = queue(EMPTY, [change], [receiver], AT)
    assert bool(outbox.queued) is wanted
    assert bool(due(outbox, [receiver], AT)) is wanted


def test_a_firing_and_its_resolve_are_told_once_each() -> None:
    outbox, first = deliver(queue(EMPTY, [STALL], [to()], AT), [to()], AT)
    outbox, none = deliver(outbox, [to()], AT + 300)
    outbox, last = deliver(queue(outbox, [resolved()], [to()], AT + 600), [to()], AT + 600)
    assert said(first) == [("slack", "firing", "stall")]
    assert none == []
    assert said(last) == [("slack", "resolved", "stall")]
    assert deliver(queue(outbox, [resolved()], [to()], AT + 900), [to()], AT + 900)[1] == []


def test_only_who_was_told_of_the_firing_hears_that_it_is_over() -> None:
    both, first = [to("mail"), to("slack")], to("mail")
    outbox, _ = deliver(queue(EMPTY, [STALL], [first], AT), [first], AT)
    outbox = queue(outbox, [resolved()], both, AT + 600)
    assert said(deliver(outbox, both, AT + 600)[1]) == [("mail", "resolved", "stall")]


def test_a_resolve_goes_to_who_was_told_though_it_is_less_severe_now() -> None:
    picky = to(severities=("critical",))
    outbox, _ = deliver(queue(EMPTY, [STALL], [picky], AT), [picky], AT)
    outbox = queue(outbox, [resolved(severity="warning")], [picky], AT + 600)
    assert said(deliver(outbox, [picky], AT + 600)[1]) == [("slack", "resolved", "stall")]


def test_what_was_over_before_it_could_be_told_is_one_message() -> None:
    outbox, _ = deliver(queue(EMPTY, [STALL], [to()], AT), [to()], AT, AGAIN)
    outbox = queue(outbox, [resolved()], [to()], AT + 600)
    assert said(deliver(outbox, [to()], AT + 4000)[1]) == [("slack", "resolved", "stall")]


def test_a_muted_resolve_is_told_to_nobody_and_is_over() -> None:
    outbox, _ = deliver(queue(EMPTY, [STALL], [to()], AT), [to()], AT)
    outbox = queue(outbox, [resolved(muted="acknowledged")], [to()], AT + 600)
    assert outbox.queued == ()
    assert [one.firing for one in outbox.told] == [False]


def test_one_message_for_all_that_is_due_at_once_worst_first() -> None:
    changes = [firing("log-flood", severity="info"), firing("slow-node", severity="warning"), STALL]
    _, (sending,) = deliver(queue(EMPTY, changes, [to()], AT), [to()], AT)
    assert [change.rule for change in sending.changes] == ["stall", "slow-node", "log-flood"]


def test_receivers_of_critical_alerts_come_first() -> None:
    receivers = [to("a", severities=("warning",)), to("b", severities=("critical",))]
    outbox = queue(EMPTY, [firing("slow-node", severity="warning"), STALL], receivers, AT)
    assert [sending.receiver for sending in due(outbox, receivers, AT)] == ["b", "a"]
    assert [sending.receiver for sending in due(outbox, receivers, AT, busy={"b"})] == ["a"]


def test_findings_of_one_rule_are_told_apart_by_their_key() -> None:
    outbox = queue(EMPTY, [firing(key="n1"), firing(key="n2")], [to()], AT)
    outbox, (sending,) = deliver(outbox, [to()], AT)
    assert [change.key for change in sending.changes] == ["n1", "n2"]
    outbox = queue(outbox, [resolved(key="n2")], [to()], AT + 600)
    assert [s.changes[0].key for s in due(outbox, [to()], AT + 600)] == ["n2"]


def test_a_cool_down_is_of_one_alert_and_one_receiver() -> None:
    calm, eager = to("calm", cooldown_s=1800), to("eager")
    both = [calm, eager]
    outbox, _ = deliver(queue(EMPTY, [STALL], both, AT), both, AT)
    outbox, _ = deliver(queue(outbox, [resolved()], both, AT + 600), both, AT + 600)
    again = [firing(at=AT + 700), firing("crash", at=AT + 700)]
    outbox, sendings = deliver(queue(outbox, again, both, AT + 700), both, AT + 700)
    assert said(sendings) == [
        ("calm", "firing", "crash"),
        ("eager", "firing", "stall"),
        ("eager", "firing", "crash"),
    ]
    assert deliver(outbox, both, AT + 1799)[1] == []
    assert said(deliver(outbox, both, AT + 1800)[1]) == [("calm", "firing", "stall")]


def test_what_came_and_went_within_a_cool_down_is_not_told() -> None:
    calm = to(cooldown_s=1800)
    outbox, _ = deliver(queue(EMPTY, [STALL], [calm], AT), [calm], AT)
    outbox, _ = deliver(queue(outbox, [resolved()], [calm], AT + 600), [calm], AT + 600)
    outbox = queue(outbox, [firing(at=AT + 700)], [calm], AT + 700)
    outbox = queue(outbox, [resolved(at=AT + 800)], [calm], AT + 800)
    assert outbox.queued == ()


def test_what_got_worse_is_told_within_a_cool_down() -> None:
    calm = to(cooldown_s=1800)
    outbox, _ = deliver(queue(EMPTY, [firing(severity="warning")], [calm], AT), [calm], AT)
    assert due(queue(outbox, [firing(severity="warning")], [calm], AT), [calm], AT + 60) == ()
    assert len(due(queue(outbox, [STALL], [calm], AT + 60), [calm], AT + 60)) == 1


def test_a_digest_is_one_message_at_its_interval() -> None:
    mail = to("mail", digest_s=3600)
    outbox = queue(EMPTY, [STALL], [mail], AT)
    outbox = queue(
        outbox, [firing("crash", at=AT + 1800), resolved(at=AT + 1900)], [mail], AT + 1900
    )
    assert due(outbox, [mail], AT + 3599) == ()
    outbox, (sending,) = deliver(outbox, [mail], AT + 3600)
    assert sending.digest
    assert said([sending]) == [("mail", "firing", "crash"), ("mail", "resolved", "stall")]
    assert outbox.queued == ()


WAITS = {
    "the first failure": (1, AGAIN, 30.0),
    "the second": (2, AGAIN, 60.0),
    "the sixth": (6, AGAIN, 960.0),
    "the hundredth": (100, AGAIN, 3600.0),
    "what it asked for": (5, Outcome(result="again", retry_after_s=120.0), 120.0),
    "it asked for nothing": (5, Outcome(result="again", retry_after_s=0.0), 1.0),
    "it asked for a year": (1, Outcome(result="again", retry_after_s=365 * DAY_S), DAY_S),
    "refused for good": (1, NEVER, DAY_S),
}


@pytest.mark.parametrize(("failures", "outcome", "seconds"), WAITS.values(), ids=WAITS.keys())
def test_how_long_a_receiver_is_left_alone(failures: int, outcome: Outcome, seconds: float) -> None:
    assert wait_s(failures, outcome) == seconds


def test_a_receiver_that_fails_is_tried_again_and_stops_no_other() -> None:
    both = [to("bad"), to("good")]
    outbox = queue(EMPTY, [STALL], both, AT)
    for sending in due(outbox, both, AT):
        outbox = told(outbox, sending, OK if sending.receiver == "good" else AGAIN, AT)
    assert troubles(outbox) == {"bad": "it answers 500; 1 message waits"}
    outbox = queue(outbox, [firing("crash")], both, AT + 1)
    assert said(list(due(outbox, both, AT + 29))) == [("good", "firing", "crash")]
    outbox, _ = deliver(outbox, [to("bad")], AT + 30, AGAIN)
    assert due(outbox, [to("bad")], AT + 30 + 59) == ()
    outbox, first = deliver(outbox, [to("bad")], AT + 30 + 60)
    outbox, second = deliver(outbox, [to("bad")], AT + 30 + 60)
    assert sorted(said(first + second)) == [("bad", "firing", "crash"), ("bad", "firing", "stall")]
    assert troubles(outbox) == {}


def test_a_message_that_is_choked_on_blocks_no_other() -> None:
    outbox = queue(EMPTY, [STALL], [to()], AT)
    outbox, _ = deliver(outbox, [to()], AT, AGAIN)
    outbox = queue(outbox, [firing("crash", severity="warning")], [to()], AT)
    outbox, second = deliver(outbox, [to()], AT + 30, AGAIN)
    outbox, third = deliver(outbox, [to()], AT + 90)
    assert [said(second), said(third)] == [
        [("slack", "firing", "crash")],
        [("slack", "firing", "stall")],
    ]


def test_who_refuses_for_good_is_asked_once_a_day_or_when_the_watcher_starts() -> None:
    outbox, _ = deliver(queue(EMPTY, [STALL], [to()], AT), [to()], AT, NEVER)
    assert due(outbox, [to()], AT + DAY_S - 1) == ()
    assert len(due(outbox, [to()], AT + DAY_S)) == 1
    assert len(due(refreshed(outbox), [to()], AT + 1)) == 1
    resting, _ = deliver(queue(EMPTY, [STALL], [to()], AT), [to()], AT, AGAIN)
    assert refreshed(resting) is resting


def test_a_clock_that_was_set_back_keeps_nobody_waiting() -> None:
    outbox, _ = deliver(queue(EMPTY, [STALL], [to()], AT), [to()], AT, AGAIN)
    assert len(due(outbox, [to()], AT - 5000)) == 1


def test_the_queue_is_bounded_and_what_is_lost_is_counted_and_said() -> None:
    keys = [str(n) for n in range(MOST_QUEUED + 5)]
    changes = [STALL, *(firing("disk-full", key=key, severity="warning") for key in keys)]
    outbox = queue(EMPTY, changes, [to()], AT)
    assert len(outbox.queued) == MOST_QUEUED
    assert outbox.queued[0].change == STALL
    assert outbox.queued[1].change.key == "6"
    outbox, (sending,) = deliver(outbox, [to()], AT)
    assert sending.dropped == 6
    assert outbox.dropped == {}


def test_a_receiver_that_is_gone_from_the_configuration_gets_nothing() -> None:
    outbox = queue(EMPTY, [STALL], [to("old"), to("new")], AT)
    outbox, _ = deliver(outbox, [to("old")], AT, AGAIN)
    outbox = queue(outbox, [], [to("new")], AT)
    assert [item.receiver for item in outbox.queued] == ["new"]
    assert troubles(outbox) == {}


ALERTMANAGER = to("am", refresh_s=60)


def test_what_fires_is_sent_again_to_who_forgets() -> None:
    outbox, _ = deliver(queue(EMPTY, [STALL], [ALERTMANAGER], AT), [ALERTMANAGER], AT)
    assert due(outbox, [ALERTMANAGER], AT + 59) == ()
    outbox, (again,) = deliver(outbox, [ALERTMANAGER], AT + 60)
    assert (again.changes, again.numbers) == ((STALL,), ())
    outbox = queue(outbox, [resolved()], [ALERTMANAGER], AT + 600)
    outbox, last = deliver(outbox, [ALERTMANAGER], AT + 600)
    assert said(last) == [("am", "resolved", "stall")]
    assert due(outbox, [ALERTMANAGER], AT + 6000) == ()


def test_an_alert_that_is_known_by_its_labels_ends_with_those() -> None:
    outbox = queue(EMPTY, [firing(labels={"node": "n1"})], [ALERTMANAGER], AT)
    outbox, _ = deliver(outbox, [ALERTMANAGER], AT)
    worse = firing(labels={"node": "n2"}, change="repeated", at=AT + 30)
    outbox, (sending,) = deliver(
        queue(outbox, [worse], [ALERTMANAGER], AT), [ALERTMANAGER], AT + 30
    )
    assert [(c.change, c.labels) for c in sending.changes] == [
        ("resolved", {"node": "n1"}),
        ("repeated", {"node": "n2"}),
    ]
    outbox = queue(outbox, [resolved(labels={})], [ALERTMANAGER], AT + 600)
    _, (sending,) = deliver(outbox, [ALERTMANAGER], AT + 600)
    assert [(c.change, c.labels) for c in sending.changes] == [("resolved", {"node": "n2"})]


def test_what_no_longer_fires_by_the_book_is_not_sent_again() -> None:
    outbox, _ = deliver(queue(EMPTY, [STALL], [ALERTMANAGER], AT), [ALERTMANAGER], AT)
    assert settled(outbox, {("stall", "")}) is outbox
    assert due(settled(outbox, set()), [ALERTMANAGER], AT + 600) == ()


def test_a_message_that_went_out_after_all_does_not_go_again() -> None:
    outbox = queue(EMPTY, [STALL], [to()], AT)
    (sending,) = due(outbox, [to()], AT)
    outbox = told(outbox, sending, AGAIN, AT + 60)
    late = told_late(outbox, sending, AT + 70)
    assert (late.queued, troubles(late)) == ((), {})
    moved_on = queue(outbox, [resolved()], [to()], AT + 600)
    assert told_late(moved_on, sending, AT + 610) is moved_on


def test_a_resolve_that_comes_while_the_firing_is_on_its_way_is_told() -> None:
    outbox = queue(EMPTY, [STALL], [to()], AT)
    (sending,) = due(outbox, [to()], AT)
    outbox = queue(outbox, [resolved()], [to()], AT + 600)
    outbox = told(outbox, sending, OK, AT + 601)
    assert said(list(due(outbox, [to()], AT + 602))) == [("slack", "resolved", "stall")]


def test_it_survives_being_kept() -> None:
    both = [to("slack"), ALERTMANAGER]
    outbox, _ = deliver(queue(EMPTY, [STALL], both, AT), both, AT)
    outbox, _ = deliver(queue(outbox, [firing("crash")], both, AT), both, AT, NEVER)
    assert msgspec.json.decode(msgspec.json.encode(outbox), type=Outbox) == outbox
    assert msgspec.json.decode(b"{}", type=Outbox) == EMPTY
