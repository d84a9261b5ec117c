"""Looks with deadlines: what hangs is unknown, and holds up nothing else."""

import threading

import pytest

from trainwatch.app.doctor import asking
from trainwatch.app.doctor.asking import Ask
from trainwatch.core.doctor.check import Check
from trainwatch.core.errors import LeaseHeld, UsageError


def well(name: str) -> Ask:
    check = Check(group="g", name=name, verdict="ok", saw="seen")
    return Ask("g", name, lambda: [check], 20.0)


def test_what_hangs_is_unknown_and_ended_and_the_others_are_there() -> None:
    stuck, ended = threading.Event(), list[str]()

    def hang() -> list[Check]:
        stuck.wait(60.0)
        return []

    hung = Ask("g", "mount", hang, 0.05, "ls", lambda: ended.append("mount"))
    found = asking.answers([well("a"), hung, well("b")])
    stuck.set()
    assert [(one.name, one.verdict) for one in found] == [
        ("a", "ok"),
        ("mount", "unknown"),
        ("b", "ok"),
    ]
    assert (found[1].saw, found[1].do) == ("it gave no answer in 0.05 s", "ls")
    assert ended == ["mount"]


def test_many_that_hang_at_once_cost_one_deadline() -> None:
    stuck, times = threading.Event(), iter(range(1_000))

    def hang() -> list[Check]:
        stuck.wait(60.0)
        return []

    hung = [Ask("g", str(number), hang, 0.5) for number in range(8)]
    found = asking.answers(hung, elapsed=lambda: float(next(times)))
    stuck.set()
    assert {one.verdict for one in found} == {"unknown"}
    assert next(times) < 20


@pytest.mark.parametrize(
    ("error", "verdict", "saw"),
    [
        (UsageError("no such folder"), "wrong", "no such folder"),
        (LeaseHeld("another"), "unknown", "another"),
        (
            ZeroDivisionError("token=abcdefgh"),
            "unknown",
            "failed with ZeroDivisionError: token=***",
        ),
        (OSError(5, "Input/output error"), "unknown", "OSError"),
    ],
)
def test_what_fails_is_told(error: Exception, verdict: str, saw: str) -> None:
    def fail() -> list[Check]:
        raise error

    (found,) = asking.answers([Ask("g", "x", fail, 5.0)])
    assert found.verdict == verdict
    assert saw in found.saw


def test_more_than_go_at_once_come_in_their_order() -> None:
    names = [str(number) for number in range(100)]
    assert [one.name for one in asking.answers([well(name) for name in names])] == names
