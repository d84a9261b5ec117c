"""A log as a row: how it ended, what its name adds, what --tokens adds."""

import pytest

from trainwatch.core.facts import Value, configured
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import RunState
from trainwatch.core.rows import KEYS, ReportRow, row_of
from trainwatch.core.run import Reader

FIXED_KEYS = """
    log framework job_id gpus nodes model_size_b tp pp dp mbs gbs seq_length attempts iterations
    first_iteration last_iteration step_time_s step_time_median_s tflops tokens_per_s mfu loss skipped end
"""
STAMPED_AT = 1780002067.645545  # 2026-05-28 21:01:07.645545 UTC
STARTS = "> setting up distributed\n------------------------ arguments ------------------------\n"
ITERATION = (
    " [2026-05-28 21:01:07.645545] iteration {n:8d}/   45776 | consumed samples: {s:12d} | elapsed "
    "time per iteration (ms): 263.6 | learning rate: 1.0E-04 | global batch size:   512 | lm loss: "
    "8.184724E+00 | loss scale: 1.0 | grad norm: 1.128 | number of skipped iterations:   0 | number of "
    "nan iterations:   0 |\n"
)
SHAPE = "".join(
    f"  {key} {'.' * 40} {value}\n"
    for key, value in {
        "num_layers": 70,
        "hidden_size": 14336,
        "seq_length": 2048,
        "padded_vocab_size": 250880,
        "world_size": 384,
        "checkpoint_activations": True,
    }.items()
)


def state_of(text: str) -> RunState:
    chunk = LogChunk(at=2e9, path="x.out", data=text.encode(), live=False)
    return Reader(Scanner()).advance(RunState(run="x", log="x.out"), chunk).state


def row(text: str, now: float = 2e9, **more: object) -> ReportRow:
    return row_of(state_of(text), None, now=now, **more)  # type: ignore[arg-type]


def test_the_first_keys_are_the_interface() -> None:
    fixed = FIXED_KEYS.split()
    assert list(KEYS[: len(fixed)]) == fixed


@pytest.mark.parametrize(
    ("name", "text", "end"),
    [
        ("nothing at all", "", "unknown"),
        ("just stops", STARTS + ITERATION.format(n=1, s=512), "unknown"),
        (
            "is done",
            STARTS
            + ITERATION.format(n=1, s=512)
            + "[after training is done] datetime: 2026-05-28\n",
            "completed",
        ),
        (
            "exits",
            ITERATION.format(n=1, s=512) + "[exiting program after 1190.03 minutes] datetime: x\n",
            "exited",
        ),
        (
            "cancelled without one iteration",
            STARTS + "slurmstepd: error: *** JOB 1 ON n CANCELLED AT 2021-05-23T08:46:02 ***\n",
            "failed",
        ),
        (
            "out of memory without one iteration",
            STARTS + "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
            "failed",
        ),
        (
            "trained before it ran out of memory",
            ITERATION.format(n=1, s=512) + "RuntimeError: CUDA out of memory. Tried to allocate\n",
            "out-of-memory",
        ),
        (
            "trained, and the last attempt reached nothing",
            ITERATION.format(n=1, s=512)
            + "[exiting program after 1190.03 minutes] datetime: x\n"
            + STARTS
            + "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
            "out-of-memory",
        ),
    ],
)
def test_how_it_ended(name: str, text: str, end: str) -> None:
    assert row(text).end == end


@pytest.mark.parametrize(
    ("now", "end"),
    [
        (STAMPED_AT, "running"),
        (STAMPED_AT + 899, "running"),
        (STAMPED_AT + 901, "unknown"),
        (STAMPED_AT - 901, "unknown"),
    ],
)
def test_it_runs_while_an_iteration_was_stamped_lately(now: float, end: str) -> None:
    assert row(ITERATION.format(n=1, s=512), now).end == end


def test_slow_iterations_have_more_time() -> None:
    slow = ITERATION.format(n=1, s=512).replace("263.6", "500000.0")
    assert row(slow, STAMPED_AT + 4999).end == "running"
    assert row(slow, STAMPED_AT + 5001).end == "unknown"


def test_a_time_that_was_added_up_proves_nothing() -> None:
    unstamped = ITERATION.format(n=2, s=1024).replace("[2026-05-28 21:01:07.645545] ", "")
    assert row(ITERATION.format(n=1, s=512) + unstamped, STAMPED_AT).end == "unknown"


def test_figures_are_means_over_the_records() -> None:
    lines = SHAPE + "".join(
        ITERATION.format(n=n, s=n * 512).replace("263.6", f"{ms}")
        for n, ms in ((1, 100_000.0), (2, 110_440.0))
    )
    found = row(STARTS + lines, tokens=1e12)
    assert found.step_time_s == pytest.approx(105.22)
    assert found.tflops == pytest.approx(149.0182 * 512 / 2048, rel=1e-4)
    assert found.tflops_exact is True
    assert found.tokens_per_s == pytest.approx(512 * 2048 / 105.22)
    assert found.days == pytest.approx(1e12 / (512 * 2048 / 105.22) / 86400)
    assert (found.first_iteration, found.last_iteration, found.iterations) == (1, 2, 2)
    assert found.checkpoint_bytes == pytest.approx(14 * (found.model_size_b or 0) * 1e9)


def test_tflops_are_over_the_gpus_each_attempt_had() -> None:
    """Half the GPUs at half the speed: each does as much as before."""
    many = STARTS + SHAPE + ITERATION.format(n=1, s=512).replace("263.6", "100000.0")
    half = many.replace(" 384\n", " 192\n").replace("100000.0", "200000.0").replace("1/", "2/")
    alone, both = row(many), row(many + half)
    assert (both.attempts, both.gpus) == (2, 192)
    assert both.tflops == pytest.approx(alone.tflops)
    peak = configured({"peak_tflops": 312.0})
    assert row(many + half, configured=peak).mfu == pytest.approx(row(many, configured=peak).mfu)
    assert both.tokens_per_s == pytest.approx(2 * 512 * 2048 / 300)
    # what is configured holds for all of them
    said = configured({"gpus": 384})
    assert row(many + half, configured=said).tflops == pytest.approx((alone.tflops or 0) / 1.5)


def test_an_attempt_that_reached_nothing_does_not_count_with_its_gpus() -> None:
    many = STARTS + SHAPE + ITERATION.format(n=1, s=512)
    found = row(many + STARTS + SHAPE.replace(" 384\n", " 8\n") + "RuntimeError: x\n")
    assert (found.attempts, found.gpus) == (2, 8)
    assert found.tflops == pytest.approx(row(many).tflops)


def test_the_batch_size_of_the_records_where_the_log_tells_none() -> None:
    assert row(ITERATION.format(n=1, s=512)).gbs == 512
    told = STARTS + f"  global_batch_size {'.' * 40} 2048\n" + ITERATION.format(n=1, s=512)
    assert row(told).gbs == 2048  # after the ramp-up


def test_a_configured_peak_gives_the_mfu() -> None:
    text = STARTS + SHAPE + ITERATION.format(n=1, s=512)
    assert row(text).mfu is None
    assert row(text, configured=configured({"peak_tflops": 312.0})).mfu is not None


def test_a_name_fills_what_the_log_does_not_say() -> None:
    named: dict[str, Value] = {
        "parameters": 55e9,
        "micro_batch_size": 4,
        "pipeline_parallel": 16,
        "tensor_parallel": 4,
        "data_parallel": 2,
        "accumulation": 256,
        "seq_length": 4096,
        "job_id": "200970",
    }
    found = row(STARTS + "  seq_length " + "." * 40 + " 1024\n", named=named)
    assert (found.model_size_b, found.mbs, found.pp, found.dp) == (55.0, 4, 16, 2)
    assert (found.gpus, found.gbs) == (128, 2048)
    assert found.seq_length == 1024  # the log's word
    assert found.job_id == "200970"


def test_the_cause_is_told() -> None:
    text = (
        ITERATION.format(n=1, s=512) + "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n"
    )
    assert (row(text).cause or "").startswith("cuda-out-of-memory")
