"""round-done: a round that has come to its target, until it is finished or the next one trains."""

import pytest
from msgspec.structs import replace

from tests.core.judging import Judged, running
from trainwatch.core.model.alerts import Finding
from trainwatch.core.model.observations import Checkpoint, CheckpointReading
from trainwatch.core.model.policies import Round
from trainwatch.core.rules import checkpoints

ROUNDS = (Round(target=50, save_interval=10), Round(target=500, save_interval=18))
INTERVAL = "  save_interval ................................... {}"


def listed(run: Judged, *iterations: int, rounds: tuple[Round, ...] = ROUNDS) -> Judged:
    one = Checkpoint(name="", bytes=200, complete=True)
    found = tuple(replace(one, name=f"global_step{n}", iteration=n) for n in iterations)
    return run.see(CheckpointReading(at=run.at, found=found, rounds=rounds))


def finding(run: Judged) -> Finding | None:
    said = [*checkpoints.round_done(run.judge.sight(run.state, run.at))]
    assert all(isinstance(each, Finding) for each in said)
    return said[0] if said else None  # type: ignore[return-value]


def trained(to: int, interval: int = 10) -> Judged:
    return Judged().queue(running("7")).read(INTERVAL.format(interval)).train(1, to)


@pytest.mark.parametrize(
    ("to", "saved", "summary"),
    [
        (49, (10, 20, 30, 40), None),
        (50, (30, 40, 50), "round 1 has come to its target of 50"),
        (
            72,
            (50, 60, 70),
            "round 1 has come to its target of 50: 2 checkpoints (400 B) are beyond it",
        ),
    ],
)
def test_it_speaks_from_the_save_at_the_target_on(
    to: int, saved: tuple[int, ...], summary: str | None
) -> None:
    found = finding(listed(trained(to), *saved))
    assert (found.summary if found else None) == summary
    assert found is None or found.advice.endswith("trainwatch checkpoints finish-round 1")
    assert found is None or found.key == "round 1"


def test_it_says_what_was_trained_for_nothing() -> None:
    found = finding(listed(trained(72), 50, 60, 70))
    assert found is not None
    assert found.cost == "3 min 40 s trained beyond it"  # 22 iterations of 10 s


def test_which_round_it_is_says_the_save_interval() -> None:
    assert finding(listed(trained(72, 18), 54, 72)) is None  # the second, far from its target
    assert finding(listed(trained(72, 30), 60)) is None  # none of them
    assert finding(listed(trained(72), 50, 60, rounds=())) is None


def test_it_is_told_and_is_over_when_the_round_is_finished() -> None:
    run = listed(trained(72), 50, 60, 70)
    assert run.fires("round-done", "round 1")
    run.queue().wait(60)
    listed(run, 50, 60, 70)
    assert run.fires("round-done")  # the job is gone, and there is still something to finish
    listed(run, 40, 50)
    assert not run.fires("round-done")


def test_what_was_not_completed_brings_no_round_to_its_target() -> None:
    run = trained(49)
    half = Checkpoint(name="global_step50", iteration=50, complete=False)
    run.see(CheckpointReading(at=run.at, found=(half,), rounds=ROUNDS))
    assert finding(run) is None
