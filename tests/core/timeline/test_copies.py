"""What is said more than once counts once: by ranks, by nodes, by DeepSpeed beside Megatron."""

import pytest

from tests.core.folding import Run
from tests.core.logs.making import iteration
from tests.core.timeline.logged import hf, spans, titan, trained


def test_two_formats_of_which_one_counts_from_0_are_one_attempt() -> None:
    stats = '"key": "tracked_stats", "value": {"train_loss": 2.001}'
    lines = [
        line
        for n in range(1, 6)
        for line in (iteration(n), f':::MLLOG {{{stats}, "metadata": {{"step": {n - 1}}}}}')
    ]
    assert spans(Run(lines)) == [(1, 5, 5, 0)]


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
