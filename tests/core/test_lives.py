"""However often a daemon is ended and started, and however often it looks: the same alerts at the same times.

The observations are those of simulated incidents, cut into lives at any place; what one leaves to the next
goes through JSON as it does in the store.
"""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.judging import Judged
from trainwatch.core.facts import configured
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.observations import Observation
from trainwatch.simulate.incidents.table import INCIDENTS
from trainwatch.simulate.observe import Observer
from trainwatch.simulate.run import happenings

_MOST = 1_300  # observations of an incident
# Short ones, of each kind: hangs, crashes, queues, numbers, disks, sight.
_LIVED = {
    "dataloader-hang": "stall",
    "prolog": "stall",
    "launcher-alive": "crash",
    "batch-does-not-divide": "crash-loop",
    "slow-node": "throughput-drop",
    "loss-nan": "loss-nan",
    "spike-on-restart": "",  # it is over before its trouble
    "no-saves": "checkpoint-overdue",
    "queue-unknown": "blind",
    "queue-falsely-empty": "",
    "script-never-ends": "script-failed",
    "watcher-blind": "blind",
    "held-back-output": "",
}


@cache
def observed(name: str) -> tuple[Observation, ...]:
    """The first observations of an incident, enough for its rule to fire."""
    incident, observer = INCIDENTS[name], Observer()
    made = happenings(incident.scenario, incident.timeline)
    return tuple(seen for happening in made for seen in observer.see(happening))[:_MOST]


def lived(name: str, ends: set[int], looks: dict[int, list[float]]) -> list[Change]:
    """What is told where lives end before these observations, with looks at these shares of the way there."""
    seen = observed(name)
    run = Judged(configured=configured(dict(INCIDENTS[name].scenario.configured)), at=seen[0].at)
    before = seen[0].at
    for place, each in enumerate(seen):
        if place in ends:
            run.reborn()
        for share in looks.get(place, ()):
            run.wait(max(0.0, before + share * (each.at - before) - run.at))
        run.see(each)
        before = each.at
    run.wait(3600.0)
    return run.changes


@cache
def whole(name: str) -> list[Change]:
    return lived(name, set(), {})


@pytest.mark.parametrize(("name", "rule"), _LIVED.items())
def test_a_daemon_that_ends_again_and_again_tells_the_same(name: str, rule: str) -> None:
    told = whole(name)
    assert not rule or rule in {change.rule for change in told}
    assert len({(c.at, c.rule, c.key, c.change) for c in told}) == len(told)  # none twice
    assert lived(name, set(range(0, len(observed(name)), 3)), {}) == told


places = st.integers(0, _MOST)
shares = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=4).map(sorted)


@settings(max_examples=20)
@given(
    name=st.sampled_from(sorted(_LIVED)),
    ends=st.sets(places, max_size=12),
    looks=st.dictionaries(places, shares, max_size=60),
)
def test_any_lives_and_any_looks_tell_the_same(
    name: str, ends: set[int], looks: dict[int, list[float]]
) -> None:
    assert lived(name, ends, looks) == whole(name)


@pytest.mark.parametrize("name", _LIVED)
def test_looks_between_all_observations_change_nothing(name: str) -> None:
    looks = {place: [0.0, 0.31, 0.77, 1.0] for place in range(len(observed(name)))}
    assert lived(name, set(), looks) == whole(name)
