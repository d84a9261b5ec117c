"""Saves and loads as the log tells of them: begun, done, timed, several at once, never finished."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import pytest

from tests.core.folding import Run
from tests.core.run.logged import DONE, DUMP, STARTED, TOOK, trained


def test_a_save() -> None:
    run = Run([*trained(1, 10), STARTED.format(10), DONE.format(10), TOOK.format(57514.53)])
    save = run.state.save
    assert (save.iteration, save.count, save.path) == (10, 1, "/ckpt")
    assert save.duration_s == pytest.approx(57.51453)
    assert run.status().iterations_at_risk == 0
    assert run.kinds()[-2:] == ["save-started", "saved"]


def test_a_save_that_never_ends_is_none() -> None:
    run = Run([*trained(1, 10), STARTED.format(10), *trained(11, 15)])
    assert run.state.save.iteration is None
    assert run.state.save.started_iteration == 10


def test_an_asynchronous_save_is_complete_when_it_says_so() -> None:
    lines = [*trained(1, 10), STARTED.format(10), *trained(11, 14)]
    run = Run(lines)
    assert (run.state.save.iteration, run.state.phase) == (None, "train")
    run.read([DONE.format(10).replace(" at ", " from "), *trained(15, 16)])
    assert (run.state.save.iteration, run.state.save.count) == (10, 1)
    assert run.status().iterations_at_risk == 6


def test_a_save_that_begins_while_the_last_is_being_written() -> None:
    head = "[2024-08-01 09:{:02d}:00] "
    run = Run(
        [
            *trained(1, 10),
            head.format(10) + STARTED.format(10),
            *trained(11, 20),
            head.format(20) + STARTED.format(20),
            head.format(21) + DONE.format(10),
        ]
    )
    assert (run.state.save.iteration, run.state.save.started_iteration) == (10, 20)
    run.read([head.format(25) + DONE.format(20)])
    assert (run.state.save.iteration, run.state.save.duration_s) == (20, 300.0)


def test_two_layers_announce_one_save() -> None:
    deepspeed = "[2021-08-08 01:00:44,221] [INFO] [Rank 0] Saving model checkpoint: /ckpt/global_step10/mp_rank_00_model_states.pt"
    ready = "[2021-08-08 01:00:44,221] [INFO] [Torch] Checkpoint global_step10 is ready now!"
    run = Run(
        [*trained(1, 10), STARTED.format(10), deepspeed, deepspeed, ready, ready, DONE.format(10)]
    )
    assert run.state.save.count == 1
    assert run.kinds().count("save-started") == 1
    assert run.kinds().count("saved") == 1


def test_the_time_of_a_save_stands_on_the_next_line() -> None:
    run = Run(
        [
            *trained(1, 10),
            STARTED.format(10),
            DONE.format(10),
            "(min, max) time across ranks (ms):",
            "    save-checkpoint ................................: (24895.07, 24895.13)",
        ]
    )
    assert run.state.save.duration_s == pytest.approx(24.89513)


def test_a_measured_time_replaces_the_one_from_stamps() -> None:
    head = "[2024-08-01 09:10:{:02d}] "
    one = [head.format(0) + STARTED.format(10), head.format(9) + DONE.format(10)]
    run = Run([*trained(1, 10), *one])
    assert run.state.save.duration_s == 9.0
    run.read([TOOK.format(8250.0)])
    save = run.state.save
    assert (save.duration_s, save.timed, save.duration_sum_s) == (8.25, 1, 8.25)


def test_the_times_of_several_saves() -> None:
    run = Run(
        line
        for n, ms in ((10, 5000.0), (20, 7000.0), (30, 6000.0))
        for line in (*trained(n, n), STARTED.format(n), DONE.format(n), TOOK.format(ms))
    )
    save = run.state.save
    assert (save.count, save.timed, save.duration_sum_s, save.duration_max_s) == (3, 3, 18.0, 7.0)


def test_the_same_iteration_is_saved_again_after_a_rollback() -> None:
    head = "[2024-08-01 {:02d}:00:00] "
    run = Run(
        [
            *DUMP,
            *trained(1, 10),
            head.format(9) + STARTED.format(10),
            *DUMP,  # it died while saving
            *trained(1, 10),
            head.format(19) + STARTED.format(10),
            head.format(20) + DONE.format(10),
            *DUMP,
            *trained(5, 10),
            head.format(22) + STARTED.format(10),
        ]
    )
    assert run.kinds().count("save-started") == 3
    assert run.state.phase == "save"
    assert run.state.save.duration_s == 3600.0  # not since the attempt that died
    run.read([head.format(23) + DONE.format(10)])
    assert run.state.save.count == 2


def test_a_save_that_does_not_say_of_what() -> None:
    head = "[titan] 2025-11-25 19:45:{:02d},000 - root - INFO - "
    run = Run(
        [
            head.format(1) + "step: 10  loss:  7.7  tps: 100",
            head.format(2) + "Saving the checkpoint (or staging if async is enabled).",
            head.format(9) + "Finished saving the checkpoint (or staging) in 6.50 seconds.",
        ]
    )
    assert (run.state.save.iteration, run.state.save.duration_s) == (10, 6.5)


TITAN = "[titan] 2025-11-25 19:45:{:02d},000 - root - INFO - "
LAST_SAVE = [
    TITAN.format(1) + "step: 1000  loss:  7.7  tps: 100",
    TITAN.format(2) + "Saving the checkpoint (or staging if async is enabled).",
    TITAN.format(3) + "Saving a full checkpoint in last step, step 1005.",
]


@pytest.mark.parametrize(
    "after", ["Sleeping 2 seconds for other ranks to complete", "Training completed"]
)
def test_the_last_save_is_complete_when_the_job_goes_on_to_its_end(after: str) -> None:
    run = Run(LAST_SAVE)
    assert run.state.save.iteration is None
    run.read([TITAN.format(9) + after])
    save = run.state.save
    assert (save.iteration, save.count, save.duration_s) == (1005, 1, 6.0)
    run.read([TITAN.format(11) + "Training completed"])
    assert (run.state.save.count, run.state.phase) == (1, "exit")


def test_a_job_that_ends_without_a_last_save_has_none() -> None:
    run = Run([LAST_SAVE[0], TITAN.format(9) + "Training completed"])
    assert (run.state.save.iteration, run.state.save.count) == (None, 0)


def test_a_load_is_told_once_whoever_tells_it() -> None:
    run = Run(
        [
            *DUMP,
            " loading distributed checkpoint from /ckpt at iteration 680",
            "  successfully loaded checkpoint from /ckpt [ t 1/2, p 1/4 ] at iteration 680",
        ]
    )
    assert run.attempts[0].loaded_iteration == 680
    assert run.kinds().count("loaded") == 1
