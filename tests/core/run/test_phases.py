"""The phase a run is in, and its validations."""

from tests.core.folding import Run
from tests.core.run.logged import DONE, DUMP, STARTED, trained

PHASES = [
    (DUMP, "startup"),
    ([" loading checkpoint from /ckpt at iteration 10"], "load"),
    (["  successfully loaded checkpoint from /ckpt at iteration 10"], "startup"),
    (["[before the start of training step] datetime: 2024-08-01 09:00:00"], "train"),
    (trained(11, 12), "train"),
    ([STARTED.format(12)], "save"),
    ([DONE.format(12)], "train"),
    (trained(13, 14), "train"),
    (["** Starting validation **"], "evaluate"),
    ([" validation loss at iteration 14 | lm loss value: 2.0 |"], "evaluate"),
    (trained(15, 16), "train"),
    (["[exiting program at iteration 16] datetime: 2024-08-01 10:00:00"], "exit"),
    (DUMP, "startup"),
    (trained(17, 18), "train"),
    (["slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-08-01T11:00:00 ***"], "exit"),
]


def test_phases_follow_the_log() -> None:
    run = Run()
    assert run.state.phase == "unknown"
    seen = []
    for lines, _ in PHASES:
        seen.append(run.read(lines).state.phase)
    assert seen == [phase for _, phase in PHASES]


def test_an_evaluation_is_known_from_its_interval() -> None:
    run = Run(["  eval_interval ................................... 10", *trained(1, 9)])
    assert run.state.phase == "train"
    assert run.read(trained(10, 10)).state.phase == "evaluate"
    assert run.read(trained(11, 11)).state.phase == "train"


def test_a_phase_keeps_its_beginning() -> None:
    run = Run(DUMP, at=100.0, live=True)
    for n, seen_at in ((1, 200.0), (2, 210.0), (3, 220.0)):
        run.read(trained(n, n), at=seen_at, live=True)
    assert run.state.phase_since is not None
    assert (run.state.phase, run.state.phase_since.at) == ("train", 200.0)


def test_a_validation() -> None:
    line = " validation loss at iteration 7000 | lm loss value: 7.174200E+00 | lm loss PPL: 1.305315E+03 |"
    run = Run([*trained(1, 3), line])
    result = run.state.validation
    assert result is not None
    assert (result.iteration, result.values["loss"]) == (7000, 7.1742)
    assert run.status().validation_loss == 7.1742
    assert run.iterations() == [1, 2, 3]  # it is no iteration


def test_a_validation_that_does_not_say_when_is_of_the_newest_iteration() -> None:
    run = Run([*trained(1, 3), "Validation logs: val_per_token_loss: 3.0179 |"])
    assert run.status().validation_iteration == 3


def test_29_validations_of_one_iteration_are_29_lines_of_the_journal() -> None:
    lines = [f" valid-{n} loss at iteration 10 | lm loss value: {n}.5 |" for n in range(29)]
    assert Run([*trained(1, 10), *lines]).kinds().count("validation") == 29
