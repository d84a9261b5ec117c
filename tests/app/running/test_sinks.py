"""Sinks whose target is slow, hangs, or goes away: who waits, and what is said to be missing."""

import threading

from tests.waiting import until
from trainwatch.adapters.running import Sink


class Gate:
    """A target that writes only while it is open."""

    def __init__(self) -> None:
        self.gone = False
        self.open = threading.Event()
        self.got: list[bytes | int] = []
        self.hung = 0

    def write(self, data: bytes) -> None:
        self.open.wait()
        self.got.append(data)

    def hangs(self) -> None:
        self.hung += 1

    def missed(self, count: int) -> None:
        self.got.append(count)


def joined(gate: Gate) -> list[bytes | int]:
    """What came, pieces put together between gaps."""
    found: list[bytes | int] = []
    for each in gate.got:
        if found and isinstance(each, bytes) and isinstance(found[-1], bytes):
            found[-1] += each
        else:
            found.append(each)
    return found


def test_what_is_put_comes_in_order() -> None:
    gate = Gate()
    gate.open.set()
    sink = Sink(gate)
    for number in range(1000):
        sink.put(b"%d\n" % number)
    assert sink.finish()
    assert joined(gate) == [b"".join(b"%d\n" % number for number in range(1000))]


def test_a_target_that_hangs_is_left_out_and_the_gap_has_its_place() -> None:
    gate = Gate()
    sink = Sink(gate, most_bytes=10, patience_s=0.1)
    sink.put(b"aaaa")
    sink.put(b"bbbb")
    sink.put(b"cccc")  # there is no room, and nothing moves
    sink.put(b"dddd")  # nor is it waited for again
    assert gate.hung == 1
    gate.open.set()
    until(lambda: gate.got and gate.got[-1] == 8, "the gap")
    sink.put(b"eeee")
    assert sink.finish()
    assert joined(gate) == [b"aaaabbbb", 8, b"eeee"]


def test_a_piece_larger_than_all_room_is_taken_when_nothing_waits() -> None:
    gate = Gate()
    gate.open.set()
    sink = Sink(gate, most_bytes=10, patience_s=5.0)
    for _ in range(3):
        sink.put(b"x" * 100)
    assert sink.finish()
    assert joined(gate) == [b"x" * 300]


def test_a_target_that_is_gone_is_given_nothing_and_waited_for_by_nobody() -> None:
    gate = Gate()
    gate.open.set()
    sink = Sink(gate, most_bytes=10, patience_s=60.0)
    sink.put(b"a")
    until(lambda: gate.got, "the first")
    gate.gone = True
    sink.put(b"b" * 100)
    assert sink.finish()
    assert gate.got == [b"a"]


def test_the_end_is_not_waited_for_when_nothing_moves() -> None:
    gate = Gate()
    sink = Sink(gate, patience_s=0.1)
    sink.put(b"a")
    assert not sink.finish()
    gate.open.set()
