"""Finishing a round: the procedure on literal folders."""

import pytest

from tests.core.checkpoints.making import DAY_S, NOW, contents, deepspeed, named
from trainwatch.core import rounds
from trainwatch.core.checkpoints import trackers
from trainwatch.core.checkpoints.survey import Survey, survey
from trainwatch.core.model.plans import Plan, TrackerEdit
from trainwatch.core.model.policies import Round
from trainwatch.core.rounds import Stopped, reached

ROUNDS = (
    Round(target=100, save_interval=10),
    Round(target=1000, save_interval=18),
    Round(target=9000, save_interval=1500),
)
STOPPED = Stopped(proof="Slurm shows no job of it")
BOTH = ("latest", "latest_checkpointed_iteration.txt")


def saves(
    *iterations: int, latest: int | None = None, files: tuple[str, ...] = ("latest",)
) -> Survey:
    """Complete checkpoints, and the trackers that name the last (or `latest`)."""
    there = [(named(f"global_step{n}"), contents(f"global_step{n}")) for n in iterations]
    last = latest if latest is not None else iterations[-1]
    told = {
        file: trackers.read(
            file, (f"global_step{last}" if file == "latest" else str(last)).encode()
        )
        for file in files
    }
    return survey(there, told, NOW)


def plan(seen: Survey, number: int, stopped: Stopped = STOPPED) -> Plan:
    return rounds.plan("/root", seen, number, ROUNDS[number - 1], stopped)


def test_overshoot_goes_and_the_tracker_names_the_target() -> None:
    made = plan(saves(80, 90, 100, 110, 120), 1)
    assert made.refused == ()
    assert [each.iteration for each in made.remove] == [120, 110]
    assert [each.iteration for each in made.keep] == [80, 90, 100]
    assert made.keep[-1].why == ("the end of the round",)
    assert made.trackers == (
        TrackerEdit(file="latest", before="global_step120", after="global_step100"),
    )
    assert STOPPED.proof in made.said


def test_a_target_that_is_never_saved_ends_with_the_save_before_it_and_says_so() -> None:
    made = plan(saves(972, 990, 1008, 1026), 2)
    assert [each.iteration for each in made.remove] == [1026, 1008]
    assert made.trackers[0].after == "global_step990"
    assert made.said[0] == (
        "1,000 is never saved with an interval of 18: the round ends with the last save that is not "
        "beyond it, 990"
    )


def test_a_save_at_the_end_of_a_job_that_is_not_beyond_the_target_is_the_end() -> None:
    made = plan(saves(990, 996, 1008), 2)
    assert (made.trackers[0].after, [each.iteration for each in made.remove]) == (
        "global_step996",
        [1008],
    )
    assert plan(saves(990, 1000, 1008), 2).trackers[0].after == "global_step1000"


def test_both_trackers_where_both_exist() -> None:
    made = plan(saves(90, 100, 110, files=BOTH), 1)
    assert {edit.file: edit.after for edit in made.trackers} == {
        "latest": "global_step100",
        "latest_checkpointed_iteration.txt": "100",
    }


def test_megatron_with_a_name_of_seven_digits() -> None:
    there = [(named(f"iter_{n:07d}"), contents(f"iter_{n:07d}")) for n in (90, 100, 110)]
    file = "latest_checkpointed_iteration.txt"
    seen = survey(there, {file: trackers.read(file, b"110")}, NOW)
    made = plan(seen, 1)
    assert made.trackers == (TrackerEdit(file=file, before="110", after="100"),)
    assert [each.name for each in made.remove] == ["iter_0000110"]


def test_a_universal_tracker_that_cannot_be_kept_is_said() -> None:
    names = ("global_step100", "global_step110", "global_step110_universal")
    there = [(named(name), contents(name)) for name in names]
    told = {
        "latest": trackers.read("latest", b"global_step110"),
        "latest_universal": trackers.read("latest_universal", b"global_step110_universal"),
    }
    made = plan(survey(there, told, NOW), 1)
    assert [each.name for each in made.remove] == ["global_step110_universal", "global_step110"]
    assert [edit.file for edit in made.trackers] == ["latest"]
    assert "latest_universal names global_step110_universal, which goes" in made.said[0]


def test_a_second_time_there_is_nothing_to_do() -> None:
    made = plan(saves(90, 100), 1)
    assert made.idle
    assert "the round is finished" in made.said[0]


def test_killed_between_the_tracker_and_the_removal_the_next_run_goes_on() -> None:
    made = plan(saves(90, 100, 110, latest=100), 1)
    assert made.trackers == ()
    assert [each.iteration for each in made.remove] == [110]


@pytest.mark.parametrize(
    ("seen", "number", "stopped", "why"),
    [
        (saves(90, 100, 110), 1, Stopped(why_not="job 7 runs"), "job 7 runs"),
        (
            saves(80, 90),
            1,
            STOPPED,
            "no checkpoint of iteration 100, and the newest complete one is global_step90",
        ),
        (saves(960, 1008), 2, STOPPED, "no checkpoint of iteration 990 to 1,000"),
        (
            deepspeed(
                {90: 5 * DAY_S, 100: 4 * DAY_S, 110: 3 * DAY_S}, latest=110, half=frozenset({100})
            ),
            1,
            STOPPED,
            "global_step100 is not known to be complete",
        ),
        (
            deepspeed({90: DAY_S, 100: DAY_S, 110: 60.0}, latest=100),
            1,
            STOPPED,
            "global_step110 may be being written",
        ),
        (
            survey([], {"latest": trackers.read("latest", b"?")}, NOW),
            1,
            STOPPED,
            "latest holds '?'",
        ),
    ],
)
def test_refusals(seen: Survey, number: int, stopped: Stopped, why: str) -> None:
    assert any(why in each for each in plan(seen, number, stopped).refused)


@pytest.mark.parametrize(
    ("save_interval", "newest", "number"),
    [
        (10, 90, None),
        (10, 100, 1),
        (10, 130, 1),
        (18, 130, None),
        (18, 1000, 2),
        (1500, 9000, 3),
        (7, 9000, None),
        (None, 9000, None),
        (10, None, None),
    ],
)
def test_the_round_that_has_come_to_its_target(
    save_interval: int | None, newest: int | None, number: int | None
) -> None:
    assert reached(ROUNDS, save_interval, newest) == number
