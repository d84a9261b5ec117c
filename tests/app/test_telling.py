"""Telling, carried out: real receivers, a clock that is handed in, and a tick that never waits."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests.adapters.receiving import Web, web
from tests.core.news import AT, STALL, firing, resolved, to
from trainwatch.adapters.notify import People
from trainwatch.app.telling import MOST_HANGING, Every, Teller
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import OK, Outcome, Sending


@pytest.fixture
def slack() -> Iterator[Web]:
    with web() as found:
        yield found


@pytest.fixture
def mail() -> Iterator[Web]:
    with web() as found:
        yield found


def people(receiver: Web) -> People:
    return People(lambda: receiver.url("json", "/s3cr3t"))


class Hand:
    """A receiver in the test's hand: each call waits for its outcome."""

    def __init__(self) -> None:
        self.got: list[Sending] = []
        self.called = threading.Semaphore(0)
        self.outcome = OK
        self.free = threading.Event()
        self.free.set()

    def send(self, sending: Sending, now: float) -> Outcome:
        self.got.append(sending)
        self.called.release()
        self.free.wait(30)
        return self.outcome


def rules(hand: Hand) -> list[tuple[str, str]]:
    return [(c.change, c.rule) for sending in hand.got for c in sending.changes]


def done(teller: Teller, now: float, *changes: Change) -> None:
    """A tick, and the next one after all was heard."""
    teller.tick(now, changes)
    teller.finish(now, 20)
    assert teller.under_way == 0


def heard(teller: Teller, now: float, under_way: int) -> None:
    """Ticks at the same time until only so many messages are under way."""
    end = time.monotonic() + 20
    while teller.under_way > under_way and time.monotonic() < end:
        teller.tick(now)
        time.sleep(0.01)
    assert teller.under_way == under_way


def test_it_is_told_only_after_it_was(slack: Web) -> None:
    slack.status = 500
    teller = Teller([to()], {"slack": people(slack)})
    done(teller, AT, STALL)
    assert not teller.outbox.told
    assert teller.troubles() == {
        "slack": "it answers 500 Internal Server Error: it fails; 1 message waits"
    }
    slack.status = 200
    done(teller, AT + 29)
    assert len(slack.got) == 1
    done(teller, AT + 30)
    assert len(slack.got) == 2
    assert (teller.outbox.queued, teller.troubles()) == ((), {})
    assert [one.at for one in teller.outbox.told] == [AT + 30]


def test_it_asks_again_when_it_was_told_to(slack: Web) -> None:
    slack.status, slack.headers = 429, {"Retry-After": "300"}
    teller = Teller([to()], {"slack": people(slack)})
    done(teller, AT, STALL)
    slack.status = 200
    done(teller, AT + 299)
    done(teller, AT + 300)
    done(teller, AT + 301)
    assert len(slack.got) == 2


def test_a_receiver_that_hangs_stops_neither_the_tick_nor_the_others(slack: Web, mail: Web) -> None:
    slack.free.clear()
    teller = Teller(
        [to("slack"), to("mail")], {"slack": people(slack), "mail": people(mail)}, deadline_s=60
    )
    done(Teller([to("mail")], {"mail": people(mail)}), AT, STALL)  # apprise is loaded
    began = time.monotonic()
    teller.tick(AT, [STALL])
    assert time.monotonic() - began < 5  # it would wait for 20 s
    assert slack.arrived.acquire(timeout=20)
    heard(teller, AT, under_way=1)
    teller.tick(AT + 59, [firing("crash")])
    heard(teller, AT + 59, under_way=1)
    assert len(mail.got) == 3
    assert teller.troubles() == {}
    teller.tick(AT + 60)
    assert teller.troubles() == {"slack": "it does not answer within 60 s; 2 messages wait"}
    slack.free.set()
    done(teller, AT + 61)
    assert [one.rule for one in teller.outbox.told if one.receiver == "slack"] == ["stall"]
    done(teller, AT + 62)
    assert len(slack.got) == 2  # the one that hung went out after all, and not again
    assert teller.outbox.queued == ()


def test_who_hangs_for_good_keeps_few_threads() -> None:
    hand = Hand()
    hand.free.clear()
    teller = Teller([to()], {"slack": hand}, deadline_s=10)
    now = AT
    for _ in range(20):
        teller.tick(now, [firing(at=now)])
        now += 4000
    assert teller.under_way == MOST_HANGING
    assert all(hand.called.acquire(timeout=20) for _ in range(MOST_HANGING))
    hand.free.set()
    teller.finish(now, 20)
    done(teller, now)
    assert (teller.under_way, teller.outbox.queued) == (0, ())
    assert len(hand.got) == MOST_HANGING + 1


def test_a_resolve_waits_for_its_firing() -> None:
    hand = Hand()
    hand.free.clear()
    teller = Teller([to()], {"slack": hand})
    teller.tick(AT, [STALL])
    teller.tick(AT + 1, [resolved(at=AT + 1)])
    hand.free.set()
    done(teller, AT + 2)
    done(teller, AT + 3)
    assert rules(hand) == [("firing", "stall"), ("resolved", "stall")]


def test_a_sender_with_a_bug_is_a_receiver_that_fails() -> None:
    class Bug:
        def send(self, sending: Sending, now: float) -> Outcome:
            raise RuntimeError("json://s3cr3t")

    teller = Teller([to()], {"slack": Bug()})
    done(teller, AT, STALL)
    assert teller.troubles() == {"slack": "sending failed with RuntimeError; 1 message waits"}


def test_a_new_process_goes_on_with_the_outbox(slack: Web) -> None:
    slack.status = 500
    teller = Teller([to()], {"slack": people(slack)})
    done(teller, AT, STALL)
    slack.status = 200
    done(Teller([to()], {"slack": people(slack)}, teller.outbox), AT + 30)
    assert len(slack.got) == 2


def test_a_tick_says_whether_there_is_something_to_keep() -> None:
    teller = Teller([to()], {"slack": Hand()})
    assert teller.tick(AT) is False
    assert teller.tick(AT, [STALL]) is True
    assert teller.finish(AT, 20) is True
    assert teller.tick(AT + 1) is False
    assert teller.tick(AT + 2, firing=[]) is True


def test_what_is_due_each_interval_is_done_one_at_a_time() -> None:
    free, did, did_one = threading.Event(), list[float](), threading.Semaphore(0)
    free.set()

    def ping(at: float) -> Callable[[], Outcome]:
        def do() -> Outcome:
            did.append(at)
            did_one.release()
            free.wait(30)
            return Outcome(result="again", why="it answers 500")

        return do

    every = Every(300)
    for at in (0, 299, 300, 301):
        every.tick(AT + at, ping(at))
        every.hear(AT + at, 20)
    assert did == [0, 300]
    assert did_one.acquire(timeout=20)
    assert did_one.acquire(timeout=20)
    assert every.trouble == "it answers 500"
    free.clear()
    for at in (600, 900, 1200):
        every.tick(AT + at, ping(at))
    assert did_one.acquire(timeout=20)
    assert did == [0, 300, 600]
    assert every.trouble == "it does not answer within 60 s"
    every.tick(AT - 5000, ping(-5000))
    free.set()
    every.hear(AT, 20)
    every.tick(AT - 5000, ping(-5000))
    every.hear(AT, 20)
    assert did == [0, 300, 600, -5000]
