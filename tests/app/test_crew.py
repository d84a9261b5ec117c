"""Threads that are lent: one for calls in turn, another for each that hangs."""

import os
import threading
from collections.abc import Callable

import pytest

from trainwatch.app import crew
from trainwatch.app.crew import Crew
from trainwatch.app.probe import Probe

_S = 10.0  # far more than any of it takes


def probes(count: int, look: Callable[[], int], lent: Crew) -> list[Probe[int]]:
    return [Probe(look, lent) for _ in range(count)]


def test_who_looks_in_turn_shares_a_thread() -> None:
    looked = [probe.answer(_S) for probe in probes(50, threading.get_ident, Crew())]
    assert len(set(looked)) == 1
    assert looked[0] not in (None, threading.get_ident())


def test_what_hangs_keeps_its_thread_and_nobody_waits_for_it() -> None:
    lent, go_on = Crew(), threading.Event()
    hanging = Probe(lambda: go_on.wait(_S), lent)
    assert hanging.answer(0.01) is None
    other = [probe.answer(_S) for probe in probes(3, threading.get_ident, lent)]
    assert len(set(other)) == 1
    assert None not in other
    go_on.set()
    assert hanging.answer(_S) is True


def test_of_many_that_looked_at_once_a_few_threads_stay() -> None:
    lent, together = Crew(), threading.Barrier(3 * crew._MOST_IDLE)
    asked = probes(3 * crew._MOST_IDLE, lambda: together.wait(_S) * 0 + threading.get_ident(), lent)
    for probe in asked:
        probe.ask()
    looked = {probe.answer(_S) for probe in asked}
    assert len(looked) == len(asked)
    assert len(lent._idle) == crew._MOST_IDLE


def test_what_is_raised_is_raised_where_the_answer_is_taken() -> None:
    lent = Crew()

    def fail() -> int:
        raise OSError("gone")

    probe = Probe(fail, lent)
    for _ in range(2):
        with pytest.raises(OSError, match="gone"):
            probe.answer(_S)
    assert Probe(lambda: 7, lent).answer(_S) == 7


def test_one_that_was_let_go_of_before_it_began_does_not_begin() -> None:
    looked, began, go_on = list[int](), threading.Event(), threading.Event()

    class Late(Crew):
        def do(self, call: Callable[[], Callable[[], None]]) -> None:
            def later() -> Callable[[], None]:
                began.set()
                go_on.wait(_S)
                return call()

            super().do(later)

    probe = Probe(lambda: looked.append(1), Late())
    probe.ask()
    began.wait(_S)
    probe.close()
    go_on.set()
    probe.answer(_S)
    assert looked == []


def test_a_process_that_was_forked_off_has_threads_of_its_own() -> None:
    assert Probe(lambda: 1).answer(_S) == 1  # one is idle now, here and not there
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writes, b"%d" % (Probe(lambda: 2).answer(_S) or 0))
        os._exit(0)
    os.close(writes)
    assert os.read(reads, 1) == b"2"
    os.close(reads)
    os.waitpid(child, 0)
