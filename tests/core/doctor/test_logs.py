"""A log by its two ends."""

import pytest

from tests.core.logs.making import iteration
from trainwatch.core.doctor import logs
from trainwatch.core.doctor.logs import Ends, LogSeen
from trainwatch.core.logs.scan import Scanner

NOW = 1_700_000_000.0


def seen(head: bytes, tail: bytes = b"") -> LogSeen:
    ends = Ends(size_bytes=len(head) + len(tail), mtime=NOW - 60, head=head, tail=tail)
    return logs.seen(ends, Scanner(), 0.0, NOW)


def lines(first: int, last: int) -> bytes:
    return "".join(f"{iteration(n)}\n" for n in range(first, last + 1)).encode()


def test_first_and_last_are_of_both_ends() -> None:
    whole = lines(10, 20)
    assert (seen(whole).first, seen(whole).last) == (10, 20)
    far = seen(lines(1, 5) + b" iteration  6/ 1", b"3.0 |\n" + lines(900, 905))
    assert (far.first, far.last, far.known) == (1, 905, True)
    assert seen(lines(7, 7)).first == 7


def test_a_line_that_the_cut_went_through_is_no_iteration() -> None:
    assert seen(lines(1, 3), lines(4, 4)[10:] + b"x\n").last == 3


JUDGED: dict[str, tuple[LogSeen, str, str]] = {
    "empty": (LogSeen(0, NOW), "warning", "is empty so far"),
    "unknown": (LogSeen(9, NOW), "unknown", "neither its beginning nor its end"),
    "begins": (LogSeen(9, NOW, known=True), "ok", "/l, 9 B, no iteration yet, no time"),
    "runs": (
        LogSeen(9, NOW - 90, "megatron-lm", True, 1, 95_000, NOW - 120),
        "ok",
        "megatron-lm, iterations 1 to 95,000, its last time is of 2 min ago, written 1 min 30 s ago",
    ),
    "of tomorrow": (LogSeen(9, NOW, "olmo", True, 5, 5, NOW + 7200), "warning", "2 h from now"),
    "of no time": (LogSeen(9, NOW, "olmo", True, 5, 5), "ok", "iteration 5, no time in its lines"),
}


@pytest.mark.parametrize("name", JUDGED)
def test_judged(name: str) -> None:
    log, verdict, saw = JUDGED[name]
    found = logs.judged("run a", "/l", log, NOW)
    assert found.verdict == verdict
    assert saw in found.saw
    assert bool(found.do) == (verdict != "ok")


def test_where_to_look_for_another_is_quoted() -> None:
    found = logs.missing("run a", "/a b/log.txt", "/a b/log.txt does not exist")
    assert (found.verdict, found.do[-28:]) == ("wrong", "logs: trainwatch init '/a b'")


@pytest.mark.parametrize("data", [b"", b"\x00" * 100, b"\xff\xfe\n" * 9, b"a" * 9999, b"\r" * 99])
def test_no_bytes_are_too_odd(data: bytes) -> None:
    assert not seen(data, data).known
