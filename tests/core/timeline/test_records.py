"""Records that are torn, of many lines, or do not say of which iteration they are."""

from tests.core.folding import Run
from tests.core.logs.making import iteration
from tests.core.timeline.logged import DUMP, trained
from trainwatch.core import tally


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
