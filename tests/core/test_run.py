"""The fold beside the timeline: saves, phases, validations, times, flags, and what is only remembered."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import math

import pytest

from tests.core.folding import NOW, Run
from tests.core.logs.making import iteration, stamped
from tests.core.logs.reading import at
from trainwatch.core.columns import AT_DERIVED, LOSS_NAN, SKIPPED, STEP_TIME_DERIVED
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import (
    Checkpoint,
    CheckpointReading,
    DiskReading,
    Job,
    LogChunk,
    Observation,
    QueueReading,
)
from trainwatch.core.model.state import RunState
from trainwatch.core.run import Reader
from trainwatch.core.tally import of_run

STARTED = "saving checkpoint at iteration {:7d} to /ckpt"
DONE = "  successfully saved checkpoint at iteration {:7d} to /ckpt"
TOOK = "time (ms) | save-checkpoint: {:.2f}"
DUMP = ["using world size: 16", "----- arguments -----"]


def trained(first: int, last: int) -> list[str]:
    return [iteration(n, loss=f"{9 - n / 1000:.6E}") for n in range(first, last + 1)]


# --- saves


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


# --- phases

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


# --- validations


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


# --- times


def test_stamps_are_the_time() -> None:
    lines = [iteration(n, prefix=stamped(n, step_s=10.0)) for n in range(1, 5)]
    run = Run(lines)
    assert run.column("at_s") == [at(f"2024-08-01 09:45:{s:02d}") for s in (5, 15, 25)]
    assert run.column("flags") == [0.0, 0.0, 0.0]
    assert run.state.open is not None
    assert run.state.open.time is not None
    assert run.state.open.time.source == "stamp"


@pytest.mark.parametrize("live", [False, True])
def test_stamps_count_even_where_arrival_is_known(live: bool) -> None:
    lines = [iteration(n, prefix=stamped(n, step_s=10.0)) for n in range(1, 5)]
    assert Run(lines, live=live).column("at_s")[0] == at("2024-08-01 09:45:05")


def test_the_clock_of_the_log_may_be_ahead_of_utc() -> None:
    lines = [iteration(n, prefix=stamped(n, step_s=10.0)) for n in range(1, 5)]
    assert Run(lines, utc_offset_s=7200.0).column("at_s")[0] == at("2024-08-01 07:45:05")


def test_without_stamps_arrival_is_the_time() -> None:
    run = Run()
    for n in range(1, 5):
        run.read(trained(n, n), at=NOW + 10 * n, live=True)
    assert run.column("at_s") == [NOW + 10, NOW + 20, NOW + 30]
    assert run.column("flags") == [0.0] * 3


CLOCK = "[before the start of training step] datetime: 2024-08-01 09:{:02d}:{:02d}"
OVERFLOW = "[2024-08-01 09:{:02d}:{:02d},000] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 8, reducing to 4"


def taking(seconds: float, *numbers: int) -> list[str]:
    return [iteration(n, step_ms=seconds * 1000) for n in numbers]


# log -> when each of its iterations was completed, in s after 09:00
ADDED_UP: list[tuple[list[str], list[float]]] = [
    ([CLOCK.format(0, 0), *taking(10, 1, 2, 3)], [10, 20, 30]),
    # a stamp of the iteration's own end: it took ten seconds up to there, not from there
    ([CLOCK.format(0, 0), *taking(10, 1), OVERFLOW.format(0, 20), *taking(10, 2, 3)], [10, 20, 30]),
    ([CLOCK.format(0, 0), OVERFLOW.format(0, 10), *taking(10, 1, 2)], [10, 20]),
    # a save between them, which the step time holds or does not
    ([CLOCK.format(0, 0), *taking(10, 1), OVERFLOW.format(1, 0), *taking(60, 2, 3)], [10, 70, 130]),
    ([CLOCK.format(0, 0), *taking(10, 1), OVERFLOW.format(1, 0), *taking(10, 2, 3)], [10, 60, 70]),
    # printed step times that are too long: nobody goes back in time for the stamp
    ([CLOCK.format(0, 0), *taking(20, 1), OVERFLOW.format(0, 5), *taking(20, 2, 3)], [20, 40, 60]),
]


@pytest.mark.parametrize("in_columns", [True, False])
@pytest.mark.parametrize(("lines", "seconds"), ADDED_UP)
def test_added_up_times_neither_run_ahead_nor_back(
    lines: list[str], seconds: list[float], in_columns: bool
) -> None:
    run = Run([*lines, *taking(1, 99)], in_columns=in_columns)
    begun = at("2024-08-01 09:00:00")
    assert [time - begun for time in run.column("at_s")] == seconds


def test_while_catching_up_times_are_added_up_from_the_last_stamp() -> None:
    clock = "[after dataloaders are built] datetime: 2024-08-01 09:00:00"
    run = Run([clock, *(iteration(n, step_ms=10_000.0) for n in (1, 2, 4, 5))])
    begun = at("2024-08-01 09:00:00")
    assert run.column("at_s") == [begun + 10, begun + 20, begun + 40]
    assert run.column("flags") == [AT_DERIVED] * 3


def test_added_up_times_are_never_in_the_future() -> None:
    clock = "[after dataloaders are built] datetime: 2024-08-01 09:00:00"
    seen_at = at("2024-08-01 09:00:25")
    run = Run([clock, *(iteration(n, step_ms=10_000.0) for n in range(1, 6))], at=seen_at)
    assert max(run.column("at_s")) == seen_at


def test_without_any_clock_the_time_is_unknown() -> None:
    run = Run(trained(1, 4))
    assert all(math.isnan(t) for t in run.column("at_s"))
    assert run.column("flags") == [0.0] * 3


def test_stamps_without_a_year_are_of_the_last_such_day() -> None:
    line = "12/21 01:39:51 [INFO|DP=0|TP=0|n1]: iteration: {} / 100 | consumed_tokens: 1K | lm_loss: 2.0"
    run = Run([line.format(1), line.format(2)], at=at("2026-05-01 00:00:00"))
    assert run.column("at_s") == [at("2025-12-21 01:39:51")]
    later = Run([line.format(1), line.format(2)], at=at("2026-12-25 00:00:00"))
    assert later.column("at_s") == [at("2026-12-21 01:39:51")]
    leap = Run(
        [line.format(n).replace("12/21", "02/29") for n in (1, 2)], at=at("2026-05-01 00:00:00")
    )
    assert leap.column("at_s") == [at("2024-02-29 01:39:51")]


# --- step times that are not printed


def test_a_step_time_from_stamps() -> None:
    line = "[titan] 2025-11-25 19:45:{:02d},000 - root - INFO - step: {}  loss:  7.7  tps: 100"
    run = Run([line.format(second, n) for second, n in ((0, 10), (5, 20), (20, 30), (21, 40))])
    assert run.column("step_time_s")[1:] == [0.5, 1.5]
    assert math.isnan(run.column("step_time_s")[0])
    assert run.column("flags") == [0.0, STEP_TIME_DERIVED, STEP_TIME_DERIVED]


def test_a_step_time_from_a_cumulative_time() -> None:
    line = "step:{}/6200 train_loss:4.1 train_time:{}ms step_avg:nanms"
    run = Run([line.format(n, ms) for n, ms in ((1, 0), (2, 250), (4, 1250), (5, 1000), (6, 1300))])
    assert run.column("step_time_s")[1:3] == [0.25, 0.5]
    assert math.isnan(run.column("step_time_s")[3])  # a time that runs backwards tells nothing


def test_a_step_time_from_samples_per_second() -> None:
    facts = "[INFO] [config.py:960:print]   train_batch_size ............. 1024"
    line = "0/{}, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=256.0, MemAllocated=0.36GB"
    run = Run([facts, *(line.format(n) for n in (10, 20, 30))])
    assert run.column("step_time_s") == [4.0, 4.0]


def test_a_printed_step_time_that_cannot_be_is_left_out() -> None:
    lines = [iteration(n, step_ms=-12710.0 if n == 3 else 250.0) for n in range(1, 6)]
    run = Run(lines)
    times = run.column("step_time_s")
    assert [t for t in times if t == t] == [0.25] * 3
    assert math.isnan(times[2])


# --- flags

FLAGS = [
    ("a loss", iteration(5), 0),
    ("a loss that is left out", iteration(5, loss=None), LOSS_NAN),
    ("a loss that is printed as nan", iteration(5, loss="nan"), LOSS_NAN),
    ("an infinite loss", iteration(5, loss="inf"), 0),
    ("a skipped step", iteration(5, loss=None, skipped=1), SKIPPED),
    ("a skipped step that prints a stale loss", iteration(5, skipped=1), SKIPPED),
    ("a placeholder", iteration(5, loss="-1.00000"), 0),
]


@pytest.mark.parametrize(("line", "flags"), [pytest.param(*row[1:], id=row[0]) for row in FLAGS])
def test_flags(line: str, flags: int) -> None:
    run = Run([*trained(1, 4), line])
    assert run.state.open is not None
    assert run.state.open.flags == flags
    if flags:
        assert "loss" not in run.state.open.values
    if flags == SKIPPED:
        assert "grad_norm" not in run.state.open.values  # it is the stale previous one


def test_a_log_interval_is_skipped_only_if_all_of_it_is() -> None:
    ten = ["  log_interval .................................... 10"]
    lines = [
        iteration(n, skipped=s, loss=x)
        for n, s, x in ((10, 10, None), (20, 9, "5.0E+00"), (30, 3, None))
    ]
    run = Run([*ten, *lines, iteration(40)])
    assert run.column("flags") == [SKIPPED, 0.0, LOSS_NAN]
    assert of_run(run.state).skipped == 22
    assert of_run(run.state).nan_losses == 1


def test_a_count_that_is_no_number_counts_nothing() -> None:
    strange = iteration(2).replace(
        "number of skipped iterations:   0", "number of skipped iterations: nan"
    )
    run = Run([iteration(1), strange, iteration(3, skipped=2)])
    assert of_run(run.state).skipped == 2
    assert run.status().skipped_iterations == 2


def test_a_first_record_that_stands_for_nobody_knows_how_many() -> None:
    run = Run([iteration(10, skipped=9, loss="5.0E+00"), iteration(20)])
    assert run.column("flags") == [0.0]
    assert run.column("loss") == [5.0]
    assert Run([iteration(10, skipped=10, loss=None), iteration(20)]).column("flags") == [SKIPPED]


def test_the_status_says_that_the_loss_is_nan() -> None:
    run = Run([*trained(1, 4), iteration(5, loss=None)])
    status = run.status()
    assert (status.loss, status.loss_is_nan, status.health) == (None, True, "critical")
    healed = run.read(trained(6, 6)).status()
    assert not healed.loss_is_nan
    assert healed.loss == pytest.approx(8.994)


def test_an_infinite_loss_is_no_number_for_json() -> None:
    status = Run([*trained(1, 4), iteration(5, loss="inf", grad_norm="inf")]).status()
    assert (status.loss, status.grad_norm) == (None, None)


# --- counters, attempts' own facts, events


def test_counters() -> None:
    overflow = "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 8, reducing to 4"
    run = Run([*trained(1, 3), overflow, overflow, trained(3, 3)[0], trained(4, 4)[0][:99]])
    counters = run.state.counters
    assert (counters.overflows, counters.duplicates, counters.torn) == (2, 1, 1)
    assert counters.records == 7


def test_events_know_the_place_of_their_line() -> None:
    lines = [*trained(1, 2), "words", STARTED.format(2)]
    run = Run(lines)
    data = "".join(f"{line}\n" for line in lines)
    started = next(e for e in run.events if e.kind == "save-started")
    assert started.offset == data.index("saving checkpoint")
    assert started.iteration == 2
    run.read([DONE.format(2)])
    done = next(e for e in run.events if e.kind == "saved")
    assert done.offset == len(data)


def test_what_an_attempt_began_from() -> None:
    loaded = "  successfully loaded checkpoint from /ckpt at iteration 100"
    run = Run([*DUMP, loaded, *trained(101, 103)])
    assert run.attempts[0].loaded_iteration == 100
    assert run.status().iterations_at_risk == 3
    fresh = Run(
        [*DUMP, "    will not load any checkpoints and will start from random", *trained(1, 3)]
    )
    assert fresh.attempts[0].fresh_weights
    assert "fresh-weights" in fresh.kinds()


# --- what is only remembered

OBSERVATIONS: list[tuple[str, Observation]] = [
    ("queue", QueueReading(at=5.0, state="ok", jobs=(Job(job_id="1", name="a", state="RUNNING"),))),
    ("queue", QueueReading(at=6.0, state="unknown", why="Socket timed out")),
    ("checkpoints", CheckpointReading(at=7.0, latest="x", found=(Checkpoint(name="x"),))),
]


@pytest.mark.parametrize(("field", "seen"), OBSERVATIONS)
def test_other_observations_are_kept(field: str, seen: Observation) -> None:
    before = Run(trained(1, 3)).state
    step = Reader(Scanner()).advance(before, seen)
    assert getattr(step.state, field) == seen
    assert step.state.seen_at == seen.at
    assert (step.rows.rows, step.events, step.state.open) == (0, (), before.open)


def test_disks_are_kept_by_path() -> None:
    reader, state = Reader(Scanner()), RunState(run="a run")
    for path, free in (("scratch", 1), ("home", 2), ("scratch", 3)):
        state = reader.advance(state, DiskReading(at=1.0, path=path, bytes_free=free)).state
    assert {path: disk.bytes_free for path, disk in state.disks.items()} == {
        "scratch": 3,
        "home": 2,
    }


def test_a_state_is_not_changed_by_what_comes_after_it() -> None:
    run = Run([*DUMP, *trained(1, 5)])
    before, kept = (
        run.state,
        (run.state.open, run.state.attempts[0].tally, run.state.counters.records),
    )
    run.read([*trained(6, 9), STARTED.format(9), "ValueError: x"])
    assert (before.open, before.attempts[0].tally, before.counters.records) == kept


def test_an_empty_chunk_changes_nothing_but_the_time() -> None:
    run = Run(trained(1, 3))
    before = run.state
    step = Reader(Scanner()).advance(before, LogChunk(at=NOW + 9, path="main_log.txt", data=b""))
    assert step.state.seen_at == NOW + 9
    assert (step.state.open, step.state.attempts, step.events) == (before.open, before.attempts, ())


@pytest.mark.parametrize(
    "keep", [(), ("iteration",), ("iteration", "step_time_s", "flags", "attempt", "at_s")]
)
def test_only_the_wanted_columns_are_handed_out(keep: tuple[str, ...]) -> None:
    data = "".join(f"{line}\n" for line in trained(1, 30)).encode()
    chunk = LogChunk(at=NOW, path="x", data=data, live=True)
    step = Reader(Scanner(), keep=keep).advance(RunState(run="a run"), chunk)
    assert set(step.rows.data) == set(keep)
    assert step.state.rows == 29
    assert step.rows.rows == (29 if keep else 0)
