"""What is complete, what is being written, and what nobody can say."""

import pytest

from tests.core.checkpoints.making import HOUR_S, NOW, SHARDS, contents, deepspeed, named
from trainwatch.core.checkpoints import trackers
from trainwatch.core.checkpoints.survey import Survey, survey


def states(seen: Survey) -> dict[int, str]:
    return {one.iteration: one.state for one in seen.found}


def test_the_tracked_one_is_complete_and_so_are_those_with_its_files() -> None:
    seen = deepspeed({9: 1e6, 10: 9e5, 100: 8e5}, latest=100)
    assert states(seen) == {9: "complete", 10: "complete", 100: "complete"}
    assert [one.name for one in seen.found][-1] == "global_step100"
    assert seen.found[2].tracked == ("latest",)


def test_a_file_less_is_no_proof_and_other_sizes_are_half_written() -> None:
    seen = deepspeed({10: 1e6, 20: 9e5, 30: 8e5}, latest=30, half=frozenset({20}))
    assert states(seen) == {10: "complete", 20: "unknown", 30: "complete"}
    short = [
        (named(f"global_step{n}"), contents(f"global_step{n}", dict.fromkeys(SHARDS, size)))
        for n, size in ((10, 500), (20, 1000))
    ]
    seen = survey(short, {"latest": trackers.read("latest", b"global_step20")}, NOW)
    assert states(seen) == {10: "partial", 20: "complete"}
    assert "other sizes" in seen.found[0].why


def test_beyond_the_tracker_it_is_being_written_or_was_never_finished() -> None:
    seen = deepspeed({10: 1e6, 20: 5 * HOUR_S, 30: 60.0}, latest=10)
    assert states(seen) == {10: "complete", 20: "partial", 30: "writing"}
    assert seen.found[1].why == "latest names 10, before it; last written 5 h ago"


def test_without_a_tracker_nothing_is_known_of_deepspeed() -> None:
    assert states(deepspeed({10: 1e6, 20: 60.0}, latest=None)) == {10: "unknown", 20: "writing"}


@pytest.mark.parametrize(
    ("name", "files", "state"),
    [
        ("step-5", {"__0_0.distcp": 9, ".metadata": 1}, "complete"),
        ("step-5", {"__0_0.distcp": 9}, "partial"),
        ("checkpoint-5", {"optimizer.pt": 9, "trainer_state.json": 1}, "complete"),
        ("checkpoint-5", {"optimizer.pt": 9}, "partial"),
        ("iter_0000005", {"__0_0.distcp": 9, ".metadata": 1, "common.pt": 1}, "complete"),
        ("iter_0000005", {"__0_0.distcp": 9, ".metadata": 1}, "unknown"),
        ("a-step=5-consumed_samples=10.0", {"weights/x": 9}, "complete"),
        ("a-step=5-consumed_samples=10.0", {}, "partial"),
    ],
)
def test_each_layout_by_what_it_writes_last(name: str, files: dict[str, int], state: str) -> None:
    seen = survey([(named(name), contents(name, files))], {}, NOW)
    assert seen.found[0].state == state


def test_an_unfinished_marker_outweighs_everything() -> None:
    name = "a-step=5"
    seen = survey([(named(name), contents(name))], {}, NOW, unfinished=[name], known=[name])
    assert (seen.found[0].state, seen.newest_complete) == ("partial", None)


def test_what_could_not_be_looked_at_is_unknown() -> None:
    from trainwatch.core.checkpoints.contents import Adding

    adding = Adding(5)
    adding.take("x", 5, NOW, NOW)
    adding.miss()
    seen = survey(
        [(named("global_step5"), adding.done())],
        {"latest": trackers.read("latest", b"global_step5")},
        NOW,
    )
    assert (seen.found[0].state, seen.found[0].complete) == ("unknown", None)


def test_the_reading_that_rules_are_told() -> None:
    reading = deepspeed({10: 1e6, 20: 9e5, 30: 60.0}, latest=20).reading()
    assert (reading.latest, [one.complete for one in reading.found]) == (
        "global_step20",
        [True, True, False],
    )
    assert (reading.found[0].bytes, reading.found[0].files) == (2000, 2)
