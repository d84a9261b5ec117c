"""Attempts inside one run, duplicates from ranks and layers, what was trained twice."""

import pytest

from tests.core.folding import Run
from tests.core.logs.making import iteration, stamped
from trainwatch.core import tally

DUMP = [
    "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4, "
    "pipeline-model-parallel size: 4",
    "------------------------ arguments ------------------------",
    "  log_interval .................................... 1",
    "  train_iters ..................................... 1000",
    "-------------------- end of arguments ---------------------",
]
EXIT = "[exiting program after 1190.03 minutes] datetime: 2024-08-01 10:00:00"
KILLED = (
    "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2024-08-01T10:00:00 DUE TO TIME LIMIT ***"
)


def trained(first: int, last: int, loss: float = 2.0, prefix: str = " ") -> list[str]:
    """Iterations `first` to `last`, each with a loss of its own."""
    return [
        iteration(n, loss=f"{loss + n / 1000:.6E}", prefix=prefix) for n in range(first, last + 1)
    ]


def spans(run: Run) -> list[tuple[int | None, int | None, int, int]]:
    """First and last iteration, records, and records of iterations trained before, by attempt."""
    tallies = [tally.of_attempt(run.state, n) for n in range(len(run.attempts))]
    return [(t.first_iteration, t.last_iteration, t.records, t.retrained) for t in tallies]


def test_a_run_without_trouble_is_one_attempt() -> None:
    run = Run([*DUMP, *trained(1, 10)])
    assert spans(run) == [(1, 10, 10, 0)]
    assert run.iterations() == list(range(1, 11))
    assert run.state.high_water == 10
    assert run.state.rows == 9  # the newest is open


def test_a_restart_with_a_dump() -> None:
    run = Run([*DUMP, *trained(1, 5), *DUMP, *trained(4, 8, loss=2.5)])
    assert spans(run) == [(1, 5, 5, 0), (4, 8, 5, 2)]
    assert run.iterations() == [1, 2, 3, 4, 5, 4, 5, 6, 7, 8]
    assert run.attempts_of_iterations() == [0] * 5 + [1] * 5
    assert [a.reason for a in run.attempts] == ["first lines", "world size"]
    assert run.kinds().count("attempt-began") == 2


def test_a_restart_that_repeats_the_very_same_losses() -> None:
    run = Run([*DUMP, *trained(1, 5), *DUMP, *trained(4, 8)])
    assert spans(run) == [(1, 5, 5, 0), (4, 8, 5, 2)]


def test_a_rollback_without_a_word() -> None:
    run = Run([*trained(1, 10), *trained(6, 12, loss=2.5)])
    assert spans(run) == [(1, 10, 10, 0), (6, 12, 7, 5)]
    assert run.attempts[1].reason == "rollback"


def test_a_step_back_that_is_printed_later_is_no_copy() -> None:
    """Trained again with the same losses to the last digit, which says nothing but that it is exact."""
    first = [iteration(n, prefix=stamped(n, "2024-08-01 09:00:00", 10.0)) for n in range(1, 11)]
    again = [iteration(n, prefix=stamped(n, "2024-08-01 09:30:00", 10.0)) for n in range(6, 10)]
    assert spans(Run([*first, *again])) == [(1, 10, 10, 0), (6, 9, 4, 4)]
    late = [iteration(n, prefix=stamped(n, "2024-08-01 09:00:30", 10.0)) for n in range(6, 10)]
    assert spans(Run([*first, *late])) == [(1, 10, 10, 0)]


def test_two_formats_of_which_one_counts_from_0_are_one_attempt() -> None:
    stats = '"key": "tracked_stats", "value": {"train_loss": 2.001}'
    lines = [
        line
        for n in range(1, 6)
        for line in (iteration(n), f':::MLLOG {{{stats}, "metadata": {{"step": {n - 1}}}}}')
    ]
    assert spans(Run(lines)) == [(1, 5, 5, 0)]


def test_a_rollback_to_the_very_beginning() -> None:
    run = Run([*trained(1, 10), *trained(1, 3, loss=2.5)])
    assert spans(run) == [(1, 10, 10, 0), (1, 3, 3, 3)]
    assert run.state.high_water == 10


def test_a_crash_loop_never_gets_further() -> None:
    loop = [line for n in range(4) for line in (*DUMP, *trained(5, 7, loss=3.0 + n))]
    run = Run([*DUMP, *trained(1, 7), *loop])
    assert spans(run) == [(1, 7, 7, 0), *[(5, 7, 3, 3)] * 4]
    assert run.state.high_water == 7


def test_a_crash_loop_that_reaches_nothing() -> None:
    run = Run([*DUMP, *trained(1, 3), *[*DUMP, "ValueError: no data"] * 3])
    assert [(a.tally.records, a.fault is not None) for a in run.attempts] == [
        (3, False),
        (0, True),
        (0, True),
        (0, True),
    ]


def test_two_dumps_before_the_first_iteration_are_two_starts_of_one_process_only() -> None:
    """Each line of a dump comes once from an attempt: its second coming is another attempt."""
    run = Run([*DUMP, *DUMP, *trained(1, 3)])
    assert [a.tally.records for a in run.attempts] == [0, 2]


def test_a_resume_after_an_exit_with_a_dump() -> None:
    run = Run([*DUMP, *trained(1, 5), EXIT, *DUMP, *trained(6, 9)])
    assert spans(run) == [(1, 5, 5, 0), (6, 9, 4, 0)]


@pytest.mark.parametrize("end", [EXIT, KILLED])
def test_a_resume_long_after_an_end_without_a_dump(end: str) -> None:
    before = [iteration(n, prefix=stamped(n, "2024-08-01 09:50:00", 60.0)) for n in range(1, 6)]
    after = [iteration(n, prefix=stamped(n, "2024-08-01 20:00:00", 60.0)) for n in range(6, 9)]
    run = Run([*before, end, *after])
    assert spans(run) == [(1, 5, 5, 0), (6, 8, 3, 0)]
    assert run.attempts[1].reason == "resumed"


def test_lines_that_were_held_back_come_after_the_end() -> None:
    before = [iteration(n, prefix=stamped(n, "2024-08-01 09:59:00", 5.0)) for n in range(1, 12)]
    run = Run([*before[:-1], KILLED, before[-1]])
    assert spans(run) == [(1, 11, 11, 0)]


def test_without_stamps_one_line_after_an_end_is_late_and_more_are_a_new_start() -> None:
    assert len(Run([*trained(1, 5), EXIT, *trained(6, 6)]).attempts) == 1
    assert spans(Run([*trained(1, 5), EXIT, *trained(6, 12)])) == [(1, 6, 6, 0), (7, 12, 6, 0)]


def test_array_jobs_are_attempts_with_ids_of_their_own() -> None:
    log = []
    for job, first in ((682842, 1), (682843, 5), (682844, 9)):
        notice = KILLED.replace("JOB 77", f"JOB {job}")
        log += [*DUMP, *trained(first, first + 3), notice]
    run = Run(log)
    assert [a.job_id for a in run.attempts] == ["682842", "682843", "682844"]
    assert spans(run) == [(1, 4, 4, 0), (5, 8, 4, 0), (9, 12, 4, 0)]


TITAN = "[titan] 2025-11-25 19:45:{:02d},000 - root - INFO - step: {}  loss:  {:.4f}  tps: 100"


def titan(first: int, last: int, rank: str = "") -> list[str]:
    return [rank + TITAN.format(n % 60, n, 9 - n / 100) for n in range(first, last + 1)]


def test_a_log_that_changes_framework_half_way() -> None:
    started = "[titan] 2025-11-25 19:44:00,000 - root - INFO - Starting job: again"
    run = Run([*DUMP, *trained(1, 5), started, *titan(1, 4)])
    assert [a.format for a in run.attempts] == ["megatron-lm", "torchtitan"]
    assert spans(run) == [(1, 5, 5, 0), (1, 4, 4, 4)]


def test_a_log_that_changes_framework_without_a_word() -> None:
    run = Run([*trained(1, 5), *titan(1, 4)])
    assert [a.format for a in run.attempts] == ["megatron-lm", "torchtitan"]


def test_a_version_of_the_same_family_may_change_at_a_restart() -> None:
    core = [iteration(n, prefix=stamped(n)) for n in range(6, 9)]
    run = Run([*DUMP, *trained(1, 5), *DUMP, *core])
    assert [a.format for a in run.attempts] == ["megatron-lm", "megatron-core"]


def test_every_rank_prints_each_step() -> None:
    lines = [
        line for n in range(1, 6) for rank in range(4) for line in titan(n, n, f"[rank{rank}]:")
    ]
    run = Run(lines)
    assert spans(run) == [(1, 5, 5, 0)]
    assert run.state.counters.duplicates == 15


def test_ranks_that_lag_behind() -> None:
    lines = [
        *titan(1, 3, "[rank0]:"),
        *titan(1, 3, "[rank1]:"),
        *titan(4, 6, "[rank0]:"),
        *titan(4, 6, "[rank1]:"),
    ]
    run = Run(lines)
    assert spans(run) == [(1, 6, 6, 0)]
    assert run.state.counters.duplicates == 6


def test_the_same_process_twice_is_a_copy_where_the_loss_is_the_same() -> None:
    """AMD's Megatron prints each record from two code lines."""
    lines = [line for line in trained(1, 6) for _ in range(2)]
    run = Run(lines)
    assert spans(run) == [(1, 6, 6, 0)]
    assert run.state.counters.duplicates == 6


def test_a_copy_that_comes_late() -> None:
    lines = trained(1, 6)
    run = Run([*lines, *lines[3:5]])
    assert spans(run) == [(1, 6, 6, 0)]
    assert run.state.counters.duplicates == 2


DS_STEPS = "steps: {n} loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805"
DS_STEP = (
    "[2022-08-29 06:58:56,121] [INFO] [Rank 0] step={n}, skipped=0, lr=[5e-05], mom=[(0.9, 0.999)]"
)


@pytest.mark.parametrize("first", [DS_STEPS, DS_STEP])
def test_deepspeed_and_megatron_say_the_same_once(first: str) -> None:
    lines = [text for n in range(1, 7) for text in (first.format(n=n), *trained(n, n))]
    run = Run(lines)
    assert spans(run) == [(1, 6, 6, 0)]
    assert run.attempts[0].format == "megatron-lm"
    assert run.column("step_time_s") == [0.2636] * 5  # Megatron's word counts


def test_deepspeed_behind_megatron() -> None:
    lines = [text for n in range(1, 7) for text in (*trained(n, n), DS_STEPS.format(n=n))]
    run = Run(lines)
    assert spans(run) == [(1, 6, 6, 0)]
    assert run.column("step_time_s") == [0.2636] * 5
    assert run.column("samples_per_s") == [6.805] * 5  # which Megatron did not print


def test_deepspeed_alone() -> None:
    run = Run([DS_STEPS.format(n=n) for n in range(1, 7)])
    assert spans(run) == [(1, 6, 6, 0)]
    assert run.attempts[0].format == "deepspeed"


def test_deepspeed_that_speaks_of_another_iteration_is_not_heard() -> None:
    run = Run([*trained(1, 5), DS_STEP.format(n=500), *trained(6, 8)])
    assert run.iterations() == list(range(1, 9))


def test_torn_lines_lose_themselves_only() -> None:
    lines = trained(1, 9)
    lines[4] = lines[4][:120]
    run = Run(lines)
    assert run.iterations() == [1, 2, 3, 4, 6, 7, 8, 9]
    assert run.state.counters.torn == 1


def test_a_step_that_follows_a_torn_line_is_skipped_and_not_nan() -> None:
    """The counters are of a log interval: what the torn line had counted is not to be missed."""
    lines = [*trained(1, 4), trained(5, 5)[0][:120], iteration(6, skipped=1, loss=None)]
    run = Run([*DUMP, *lines])
    assert run.state.open is not None
    assert run.state.open.flags == 2
    assert tally.of_run(run.state).nan_losses == 0


OLMO = [
    "[2024-04-17 09:42:{s:02d}] INFO     [olmo.train:816, rank=0] [step={n}/739328]",
    "    train/CrossEntropyLoss=10.{n}",
    "    throughput/total_tokens={tokens}",
    "    throughput/device/tokens_per_second=45,538",
    "    throughput/device/batches_per_second=0.125",
]


def test_a_record_of_many_lines_is_one() -> None:
    lines = [text.format(n=n, s=n * 8, tokens=n * 4096) for n in range(1, 6) for text in OLMO]
    run = Run(lines)
    assert run.iterations() == [1, 2, 3, 4, 5]
    assert run.column("loss") == [10.1, 10.2, 10.3, 10.4]
    assert run.column("consumed_tokens") == [4096.0, 8192.0, 12288.0, 16384.0]
    assert run.state.counters.duplicates == 0


def test_a_step_time_that_is_printed_replaces_one_from_stamps() -> None:
    lines = [text.format(n=n, s=n * 9, tokens=n) for n in range(1, 6) for text in OLMO]
    run = Run(lines)
    assert run.column("step_time_s") == [8.0] * 4
    assert run.column("flags") == [0.0] * 4


def test_lines_of_a_record_before_its_head_belong_to_nothing() -> None:
    run = Run(["    train/CrossEntropyLoss=10.5"])
    assert run.iterations() == []


def test_a_line_of_another_format_is_no_part_of_a_record() -> None:
    run = Run([*trained(1, 2), "    train/CrossEntropyLoss=10.5", *trained(3, 3)])
    assert run.column("loss") == [2.001, 2.002]


def hf(first: int, last: int, *, bars: bool = True, total: int = 160) -> list[str]:
    lines = []
    for n in range(first, last + 1):
        if bars:
            lines.append(f"  3%|▎  | {n}/{total} [{n // 60:02d}:{n % 60:02d}<05:10,  2.00s/it]")
        lines.append(f"{{'loss': {3 - n / 100}, 'learning_rate': 5e-05, 'epoch': {n / 80}}}")
    return lines


def test_the_bar_says_which_iteration_it_is() -> None:
    run = Run([line for n in (10, 20, 30) for line in hf(n, n)])
    assert run.iterations() == [10, 20, 30]
    assert run.state.bar is not None
    assert (run.state.bar.done, run.state.bar.total) == (30, 160)


def test_without_a_bar_records_are_counted() -> None:
    assert Run(hf(1, 4, bars=False)).iterations() == [1, 2, 3, 4]


def test_without_a_bar_the_epoch_says_which_iteration_it_is() -> None:
    head = ["***** Running training *****", "  Num Epochs = 2", "  Total optimization steps = 160"]
    log = [*head, *(line for n in (10, 20, 30) for line in hf(n, n, bars=False))]
    assert Run(log).iterations() == [10, 20, 30]


RUNNING = ["***** Running training *****", "  Num Epochs = 2", "  Total optimization steps = 160"]
RECORDS = [hf(n, n) for n in (10, 20, 30)]
NAN_RECORD = "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 5e-05, 'epoch': 0.5}"
NODES = {
    "each record by every node": [line for bar, said in RECORDS for line in (bar, *[said] * 4)],
    "their bars too": [line for bar, said in RECORDS for line in (*[bar] * 4, *[said] * 4)],
    "without bars": [line for _, said in RECORDS for line in [said] * 4],
    "one node after the other": [line for _ in range(4) for both in RECORDS for line in both],
    "labels tell the nodes": [
        label + said.replace("'loss': ", "'loss': 1" if label == "8: " else "'loss': ")
        for _, said in RECORDS
        for label in ("0: ", "8: ")
    ],
}


@pytest.mark.parametrize("name", NODES)
def test_records_that_every_node_prints_count_once(name: str) -> None:
    run = Run([*RUNNING, *NODES[name]])
    assert run.iterations() == [10, 20, 30]
    assert len(run.attempts) == 1
    assert (
        run.state.counters.duplicates
        == len(NODES[name]) - sum("it/s" in line or "s/it" in line for line in NODES[name]) - 3
    )


def test_a_nan_that_every_node_prints_counts_once() -> None:
    assert Run([*RUNNING, *RECORDS[0], *[NAN_RECORD] * 4]).iterations() == [10, 40]


def test_an_epoch_that_goes_back_after_a_start_is_no_copy() -> None:
    log = [*RUNNING, *hf(10, 10), *hf(20, 20)]
    assert Run([*log, *log]).iterations() == [10, 20, 10, 20]


def test_an_evaluation_bar_is_no_progress() -> None:
    evaluation = [f"{n * 2}%|▎  | {n}/50 [00:0{n // 10}<00:10,  9.00it/s]" for n in (1, 25, 50)]
    run = Run([*hf(1, 10), *evaluation, *hf(11, 12)])
    assert run.iterations() == list(range(1, 13))
    middle = Run([*hf(1, 10), *evaluation])
    assert middle.state.bar is not None
    assert (middle.state.bar.done, middle.state.bar.total) == (10, 160)
    assert middle.status().iteration == 10


def test_a_bar_over_something_else_before_training_gives_way() -> None:
    before = ["100%|███| 37/37 [00:12<00:00,  2.9it/s]"]
    assert Run([*before, *hf(1, 5)]).iterations() == [1, 2, 3, 4, 5]


def test_a_bar_that_begins_anew_is_a_restart() -> None:
    run = Run([*hf(70, 75), *hf(1, 5)])
    assert run.attempts_of_iterations() == [0] * 6 + [1] * 5
    assert run.iterations() == [70, 71, 72, 73, 74, 75, 1, 2, 3, 4, 5]


def test_a_bar_that_a_launcher_held_back_to_its_end_is_no_restart() -> None:
    """Each node's bar in one piece, after those of the others: a restart would announce itself."""
    bar = "\r".join(f"{n * 6}%|▎  | {n}/16 [{n:02d}:00<01:00, 60.00s/it]" for n in range(17))
    begun = ["***** Running training *****"] * 4
    run = Run([*begun, bar, bar, bar])
    assert len(run.attempts) == 1
    assert run.status().iteration == 16
    assert len(run.read([*begun, bar]).attempts) == 2


def test_bars_of_several_ranks_are_one() -> None:
    lines = [line for n in range(70, 80) for line in (hf(n, n)[0], hf(n - 1, n - 1)[0])]
    run = Run(lines)
    assert len(run.attempts) == 1
    assert run.state.bar is not None
    assert run.state.bar.done == 79


def test_a_bar_of_the_second_epoch_goes_on() -> None:
    bars = [
        f"Epoch {epoch}:  50%|██▌   | {n}/40 [00:{n:02d}<00:20,  1.00it/s, v_num=1]"
        for epoch in (0, 1, 2)
        for n in range(10, 41, 10)
    ]
    run = Run(bars)
    assert len(run.attempts) == 1
    assert run.state.bar is not None
    assert run.state.bar.done == 120
    assert run.status().iteration == 120


def test_numbers_that_count_nothing_do_no_harm() -> None:
    """Samples, epochs and batches that are no counts leave the record without a number of its own."""
    lines = [
        "***** Running training *****",
        "  Num Epochs = 1",
        "  Total optimization steps = 999999999999999",
        "{'loss': 1.0, 'epoch': 1e308}",
        "{'loss': 1.0, 'epoch': nan}",
        "{'loss': 1.0, 'epoch': -1e308}",
        "{'loss': 1.0, 'epoch': inf}",
        ':::MLLOG {"key": "global_batch_size", "value": 3}',
        ':::MLLOG {"key": "train_loss", "value": 3.5, "metadata": {"samples_count": 1e308}}',
        ':::MLLOG {"key": "train_loss", "value": 3.5, "metadata": {"samples_count": 1e999}}',
        ':::MLLOG {"key": "global_batch_size", "value": 1e300}',
        ':::MLLOG {"key": "max_sequence_length", "value": 1e300}',
        ':::MLLOG {"key": "max_steps", "value": 1e300}',
        "steps: 9 loss: 1.0 iter time (s): 1.0 samples/sec: 0.0001",
    ]
    run = Run(lines)
    assert all(0 < n < 2**53 for n in run.iterations())
    run.status()


def test_consumed_samples_number_an_mllog_record() -> None:
    batch = ':::MLLOG {"key": "global_batch_size", "value": 64}'
    record = ':::MLLOG {"key": "train_loss", "value": 3.5, "metadata": {"step": %d, "samples_count": %d}}'
    run = Run([batch, *(record % (n * 64, n * 64) for n in (10, 20, 30))])
    assert run.iterations() == [10, 20, 30]
