"""Which checkpoints stay: policies times sets, as tables; and what no input may ever remove."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.checkpoints.making import DAY_S, HOUR_S, NOW, contents, deepspeed, named
from trainwatch.core import retention
from trainwatch.core.checkpoints import trackers
from trainwatch.core.checkpoints.survey import Found, Survey, survey
from trainwatch.core.model.plans import Plan
from trainwatch.core.model.policies import Policy
from trainwatch.core.retention import Pinned, Safe

TENS = {n: (30 - n / 10) * DAY_S for n in range(10, 210, 10)}  # 10, 20 ... 200, a day apart
ODD = dict.fromkeys((95, 106, 194, 207, 290, 310, 405), 10 * DAY_S)


def plan(seen: Survey, policy: Policy, pinned: Pinned | None = None) -> Plan:
    return retention.plan("/root", seen, policy, pinned or Pinned())


def safe(wanted: Policy, *names: str) -> Safe:
    return Safe(place="/kept", wanted=wanted, backed_up=frozenset(names))


def removed(made: Plan) -> list[int]:
    return [each.iteration for each in made.remove]


def kept(made: Plan) -> list[int]:
    return [each.iteration for each in made.keep]


@pytest.mark.parametrize(
    ("policy", "stays"),
    [
        (Policy(last=2), [190, 200]),
        (Policy(last=5), [160, 170, 180, 190, 200]),
        (Policy(last=50), list(TENS)),
        (Policy(last=2, every=100), [100, 190, 200]),
        (Policy(last=2, every=50), [50, 100, 150, 190, 200]),
        (Policy(last=2, every=1000), [190, 200]),
        (Policy(last=2, steps=(10, 70, 75)), [10, 70, 190, 200]),
        (Policy(last=2, every=100, steps=(30,)), [30, 100, 190, 200]),
        (Policy(newer_h=24 * 12 + 1), [180, 190, 200]),
        (Policy(newer_h=1), [200]),
        (Policy(last=3, newer_h=24 * 12 + 1), [180, 190, 200]),
    ],
)
def test_what_stays_of_regular_saves(policy: Policy, stays: list[int]) -> None:
    made = plan(deepspeed(TENS, latest=200), policy)
    assert made.refused == ()
    assert kept(made) == stays
    assert sorted(kept(made) + removed(made)) == list(TENS)


@pytest.mark.parametrize(
    ("policy", "stays"),
    [
        (Policy(last=2, every=100), [310, 405]),
        (Policy(last=2, every_closest=100), [95, 194, 310, 405]),
        (Policy(last=2, every_closest=200), [194, 310, 405]),
    ],
)
def test_what_stays_of_irregular_saves(policy: Policy, stays: list[int]) -> None:
    """Of two that are equally near, 290 and 310 to 300, the later one."""
    assert kept(plan(deepspeed(ODD, latest=405), policy)) == stays


def test_each_reason_is_said() -> None:
    made = plan(deepspeed(TENS, latest=200), Policy(last=2, every=100, steps=(100,)))
    assert {each.iteration: each.why for each in made.keep} == {
        100: ("every 100", "a milestone"),
        190: ("one of the last 2",),
        200: ("one of the last 2", "every 100", "the newest complete one", "latest names it"),
    }
    assert made.remove[0].why == "no policy keeps it"
    assert made.freed_bytes == 17 * 2000


@pytest.mark.parametrize("policy", [Policy(), Policy(every=100), Policy(steps=(5,))])
def test_a_policy_that_does_not_say_what_of_the_newest_stays_removes_nothing(
    policy: Policy,
) -> None:
    made = plan(deepspeed(TENS, latest=200), policy)
    assert (made.remove, len(made.keep)) == ((), len(TENS))
    assert "keep_last" in made.refused[0]


def test_what_a_job_uses_stays_and_says_why() -> None:
    pinned = Pinned(in_use={50: "the running attempt went on from it"})
    made = plan(deepspeed(TENS, latest=200), Policy(last=2), pinned)
    assert kept(made) == [50, 190, 200]
    assert made.keep[0].why == ("the running attempt went on from it",)


def test_the_tracked_one_stays_after_a_rollback_and_so_do_those_beyond_it() -> None:
    made = plan(deepspeed(TENS, latest=100), Policy(last=2))
    assert kept(made) == [90, *range(100, 210, 10)]
    assert removed(made) == list(range(10, 90, 10))


def test_what_is_wanted_as_a_backup_stays_until_it_is_one() -> None:
    seen, policy = deepspeed(TENS, latest=200), Policy(last=2)
    backups = Policy(last=2, every=100)
    waiting = Pinned(backups=(safe(backups, "global_step190"),))
    made = plan(seen, policy, waiting)
    assert kept(made) == [100, 190, 200]
    assert made.keep[0].why == ("wanted as a backup at /kept, and not there yet",)
    saved = Pinned(backups=(safe(backups, "global_step100"),))
    assert kept(plan(seen, policy, saved)) == [190, 200]
    both = Pinned(backups=(safe(backups, "global_step100"), safe(Policy(steps=(30,)))))
    assert kept(plan(seen, policy, both)) == [30, 190, 200]


def test_what_was_never_completed_goes_only_when_asked_for_old_and_passed() -> None:
    half = frozenset({50})
    there = [
        (named(f"global_step{n}"), contents(f"global_step{n}", {"a": 10 if n == 50 else 1000}, age))
        for n, age in TENS.items()
    ]
    seen = survey(there, {"latest": trackers.read("latest", b"global_step200")}, NOW)
    assert kept(plan(seen, Policy(last=2))) == [50, 190, 200]
    made = plan(seen, Policy(last=2, partial_after_h=48))
    assert kept(made) == [190, 200]
    assert "never completed" in next(e.why for e in made.remove if e.iteration in half)
    assert kept(plan(seen, Policy(last=2, partial_after_h=24 * 365))) == [50, 190, 200]


def test_a_clock_that_is_ahead_makes_nothing_old() -> None:
    """The nodes that write are hours ahead of the one that looks, or an hour behind it."""
    ahead = {n: age_s - 300 * DAY_S for n, age_s in TENS.items()}
    assert removed(plan(deepspeed(ahead, latest=200), Policy(newer_h=1))) == []
    seen = deepspeed(TENS | {210: -2 * HOUR_S}, latest=200)
    assert seen.found[-1].state == "writing"
    made = plan(seen, Policy(last=2, partial_after_h=1))
    assert kept(made) == [190, 200, 210]
    behind = deepspeed(TENS | {210: 1 * HOUR_S}, latest=200)  # in truth it is being written now
    assert behind.found[-1].state == "partial"
    assert kept(plan(behind, Policy(last=2, partial_after_h=1))) == [190, 200, 210]


def test_of_two_layouts_in_one_root_each_keeps_its_own() -> None:
    both = [
        (named(f"{form}{n}"), contents(f"{form}{n}", {"a": 9, "trainer_state.json": 1}))
        for form in ("global_step", "checkpoint-")
        for n in (10, 20, 30, 40)
    ]
    seen = survey(both, {"latest": trackers.read("latest", b"global_step40")}, NOW)
    made = plan(seen, Policy(last=2))
    assert [each.name for each in made.remove] == [
        "checkpoint-10",
        "global_step10",
        "checkpoint-20",
        "global_step20",
    ]


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (deepspeed({10: 1e6, 20: 1e6}, latest=None), "no complete checkpoint is there"),
        (
            survey([], {"latest": trackers.read("latest", b"rubbish")}, NOW),
            "latest holds 'rubbish'",
        ),
        (survey([], {}, NOW, unseen=["global_step5: Permission denied"]), "Permission denied"),
    ],
)
def test_when_nothing_may_be_removed_at_all(seen: Survey, why: str) -> None:
    made = plan(seen, Policy(last=2))
    assert made.remove == ()
    assert any(why in each for each in made.refused)
    assert len(made.keep) == len(seen.found)


def test_links_are_said_and_refuse_nothing() -> None:
    made = plan(survey([], {}, NOW, left=["global_step5 is a symbolic link"]), Policy(last=2))
    assert (made.refused, made.said) == ((), ("global_step5 is a symbolic link",))


policies = st.builds(
    Policy,
    last=st.none() | st.integers(2, 9),
    every=st.none() | st.integers(1, 50),
    every_closest=st.none() | st.integers(1, 50),
    steps=st.lists(st.integers(0, 60), max_size=3).map(tuple),
    newer_h=st.none() | st.floats(0.5, 500),
    partial_after_h=st.none() | st.floats(1, 500),
)
names = st.sampled_from(
    ["global_step{}", "iter_{:07d}", "checkpoint-{}", "step-{}", "a-step={}.ckpt"]
)
files = st.dictionaries(
    st.sampled_from(["a.pt", "b.pt", ".metadata", "common.pt", "trainer_state.json", "optim.pt"]),
    st.integers(0, 5),
    max_size=4,
)
checkpoints = st.lists(
    st.tuples(names, st.integers(0, 60), files, st.floats(-50, 900)), max_size=25
)


def tracked(latest: int, megatron: int) -> dict[str, trackers.Tracker]:
    """Both trackers; below 0 there is none."""
    told = {}
    if latest >= 0:
        told["latest"] = trackers.read("latest", f"global_step{latest}".encode())
    if megatron >= 0:
        file = "latest_checkpointed_iteration.txt"
        told[file] = trackers.read(file, str(megatron).encode())
    return told


def follows(other: Found, one: Found) -> bool:
    """Whether a job could go on from `other` instead, and further on."""
    further = other.kind == one.kind and other.iteration > one.iteration
    return further and other.state == "complete"


@given(
    checkpoints, policies, st.integers(-1, 60), st.integers(-1, 60), st.none() | policies, st.data()
)
def test_no_input_removes_what_is_needed(
    there: list[tuple[str, int, dict[str, int], float]],
    policy: Policy,
    latest: int,
    megatron: int,
    wanted: Policy | None,
    data: st.DataObject,
) -> None:
    found = {
        form.format(n): (named(form.format(n)), contents(form.format(n), each, age * HOUR_S))
        for form, n, each, age in there
    }
    seen = survey(found.values(), tracked(latest, megatron), NOW)
    saved = frozenset(data.draw(st.sets(st.sampled_from(sorted(found) or ["x"]))))
    used = dict.fromkeys(data.draw(st.sets(st.integers(0, 60), max_size=3)), "used")
    places = (safe(wanted, *saved),) if wanted is not None else ()
    made = plan(seen, policy, Pinned(in_use=used, backups=places))
    gone, stays = {each.name for each in made.remove}, {each.name for each in made.keep}
    assert gone | stays == set(found)
    assert not gone & stays
    by_name = {one.name: one for one in seen.found}
    for name in gone:
        one = by_name[name]
        assert not one.tracked
        assert one.iteration not in used
        assert one.state in ("complete", "partial")
        later = [other for other in seen.found if follows(other, one)]
        if one.state == "complete":
            assert later
            assert len(later) >= (policy.last or 0)
            needed = retention.wanted(seen, wanted) if wanted is not None else {}
            assert name not in needed or name in saved
        else:
            assert policy.partial_after_h is not None
    assert all(each.why or made.refused for each in made.keep)
