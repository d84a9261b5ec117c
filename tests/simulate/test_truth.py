"""The ground truth: opened once, healed by what it waits for."""

import pytest

from trainwatch.simulate.happenings import Broke, Healed
from trainwatch.simulate.timeline import Timeline
from trainwatch.simulate.truth import Truth, Until


def test_trouble_is_told_once() -> None:
    truth = Truth(Timeline(1000.0, pace=10.0))
    first = list(truth.broke(50.0, "stall", iteration=7, until="progress"))
    assert first == [Broke(1005.0, "stall", "", 7)]
    assert list(truth.broke(60.0, "stall", iteration=7, until="progress")) == []
    assert list(truth.broke(60.0, "stall", key="b", iteration=7, until="told")) == [
        Broke(1006.0, "stall", "b", 7)
    ]
    assert list(truth.healed(70.0, "stall")) == [Healed(1007.0, "stall")]
    assert list(truth.healed(70.0, "stall")) == []


def test_without_a_rule_there_is_no_trouble() -> None:
    assert list(Truth(Timeline(0.0)).broke(1.0, "", iteration=None, until="told")) == []


@pytest.mark.parametrize(
    ("until", "again", "new", "after_a_restart"),
    [
        ("progress", True, True, True),
        ("further", False, True, False),
        ("attempt", False, False, True),
        ("told", False, False, False),
    ],
)
def test_what_heals_it(until: Until, again: bool, new: bool, after_a_restart: bool) -> None:
    def open_truth() -> Truth:
        truth = Truth(Timeline(0.0))
        assert list(truth.broke(1.0, "crash", iteration=1, until=until))
        return truth

    assert bool(list(open_truth().stepped(2.0, further=False))) == again
    assert bool(list(open_truth().stepped(2.0, further=True))) == new
    truth = open_truth()
    truth.restarted()
    assert bool(list(truth.stepped(2.0, further=False))) == after_a_restart
