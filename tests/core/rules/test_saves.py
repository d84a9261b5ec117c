"""Rules of checkpoints: overdue, half written, and what a run resumed from."""

import pytest

from tests.core.judging import Judged
from tests.core.logs.making import iteration
from tests.core.rules.logged import EXIT, INTERVAL, MIN, STARTUP
from trainwatch.core.model.observations import Checkpoint, CheckpointReading
from trainwatch.core.rules.settings import AlertSettings, PurgeRisk

RANDOM = (
    "WARNING: could not find the metadata file\n"
    "    will not load any checkpoints and will start from random"
)


def _saved(number: int) -> str:
    return f"  successfully saved checkpoint at iteration {number:7d} to /ckpt"


def test_overdue_after_one_and_a_half_intervals_and_over_with_a_save() -> None:
    run = Judged().read([STARTUP, INTERVAL]).train(1, 100).read(_saved(100))
    run.train(101, 210)
    assert run.firing() == []
    run.train(211, 260)
    assert run.firing() == ["checkpoint-overdue"]
    run.read(_saved(260))
    assert run.firing() == []


def _listed(run: Judged, **of: object) -> CheckpointReading:
    found = Checkpoint(**{"name": "global_step200", "iteration": 200, "complete": True, **of})  # type: ignore[arg-type]
    return CheckpointReading(at=run.at, latest="global_step200", found=(found,))


def test_a_save_that_only_the_listing_shows_is_one() -> None:
    run = Judged().read([STARTUP, INTERVAL]).train(1, 140)
    run.train(141, 200).see(_listed(run, mtime=run.at)).train(201, 240)
    assert not run.fires("checkpoint-overdue")


def test_a_listing_of_another_attempt_is_no_save_of_this_one() -> None:
    run = Judged().read([STARTUP, INTERVAL])
    run.see(_listed(run, mtime=run.at - 9e4)).train(1, 200)
    assert run.fires("checkpoint-overdue")


def test_half_written_for_two_hours() -> None:
    run = Judged().train(1, 10)
    run.see(_listed(run, complete=False, mtime=run.at)).wait(119 * MIN)
    assert not run.fires("checkpoint-incomplete")
    run.wait(2 * MIN)
    assert run.fires("checkpoint-incomplete", "global_step200")
    run.see(_listed(run, complete=True, mtime=run.at))
    assert not run.fires("checkpoint-incomplete")


def test_resumed_from_an_older_checkpoint() -> None:
    run = Judged().train(1, 200).read([_saved(200), EXIT])
    run.wait(MIN).read(STARTUP).train(101, 110)
    assert run.fires("resume-mismatch")


@pytest.mark.parametrize("before_save", [1, 2, 10])
def test_a_burst_with_the_next_save_in_it_hides_no_resume(before_save: int) -> None:
    run = Judged().train(1, 200).read([_saved(200), EXIT])
    number = 100 + before_save
    burst = [iteration(n) for n in range(101, number + 1)]
    save = [f"saving checkpoint at iteration {number:7d} to /ckpt", _saved(number)]
    run.wait(MIN).read([STARTUP, *burst, *save, iteration(120)])
    assert run.told("resume-mismatch") == ["firing", "resolved"]


@pytest.mark.parametrize("first", [201, 251])  # from the last that was seen, or one that was not
def test_resumed_where_it_was(first: int) -> None:
    run = Judged().train(1, 200).read(_saved(200)).train(201, 260).read(EXIT)
    run.wait(MIN).read(STARTUP).train(first, first + 15)
    assert not run.fires("resume-mismatch")


@pytest.mark.parametrize("saved", [True, False])
def test_random_weights_are_wrong_where_there_was_a_checkpoint(saved: bool) -> None:
    run = Judged().read([STARTUP, INTERVAL]).train(1, 50)
    if saved:
        run.read(_saved(50))
    run.read(EXIT).wait(MIN).read([STARTUP, *RANDOM.splitlines()])
    assert run.fires("resume-mismatch") is saved


def test_what_is_to_be_typed_holds_a_name_as_one_word() -> None:
    """A folder may be called anything, also what a shell would run."""
    settings = AlertSettings(purge_risk=PurgeRisk(purge_after_days=30.0))
    run = Judged(settings).train(1, 10)
    run.see(_listed(run, name="$(touch x)", atime=run.at - 29.5 * 86_400))
    (alarm,) = [one for one in run.memory.book.alarms if one.finding.rule == "purge-risk"]
    assert "--only '$(touch x)' --to" in alarm.finding.advice
