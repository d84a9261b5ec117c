"""How fast a run is, by which formula, and where each number came from."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import pytest

from tests.core.figures.bloom import BLOOM, trained
from tests.core.folding import Run
from trainwatch.core.facts import Facts, configured
from trainwatch.core.overall import mean_speed


def test_speed_by_the_exact_formula() -> None:
    figures = Run([*BLOOM, *trained(1, 5)]).figures()
    speed = figures.speed
    assert speed.tflops == pytest.approx(149.02, abs=0.005)
    assert speed.exact
    assert speed.tokens_per_s == pytest.approx(2048 * 2048 / 105.22)
    assert speed.samples_per_s == pytest.approx(2048 / 105.22)
    assert speed.step_time_s == pytest.approx(105.22)
    assert figures.facts.peak_tflops == 312.0
    assert speed.mfu is not None
    assert 0.3 < speed.mfu < 149.02 / 312  # recomputation is no use to the model
    assert speed.sources["tflops"] == "derived"
    assert speed.sources["step_time_s"] == "log"


def test_a_configured_fact_overrides_and_says_so() -> None:
    figures = Run([*BLOOM, *trained(1, 5)]).figures(configured({"gpus": 192}))
    assert figures.speed.tflops == pytest.approx(2 * 149.02, abs=0.01)
    assert figures.sources["gpus"] == "config"
    assert figures.sources["seq_length"] == "log"


def test_without_a_shape_the_quick_formula_does() -> None:
    lines = [
        "using world size: 64",
        "  seq_length ........ 1024",
        "  checkpoint_activations ........ True",
    ]
    run = Run([*lines, *trained(1, 5, batch=1024, step_ms=122_000.0)])
    speed = run.figures(configured({"parameters": 52e9})).speed
    assert speed.tflops == pytest.approx(55.8667540983606)
    assert not speed.exact


def test_gpus_are_as_many_as_the_launcher_was_told() -> None:
    launched = "+ python -m torch.distributed.launch --nproc_per_node 4 --nnodes 16"
    facts = Run([launched, *trained(1, 2)]).figures().facts
    assert (facts.gpus, facts.sources["gpus"]) == (64, "derived")
    facts = Run([launched, "using world size: 32", *trained(1, 2)]).figures().facts
    assert (facts.gpus, facts.sources["gpus"]) == (32, "log")


def test_without_facts_the_logs_word_counts() -> None:
    line = "[titan] 2025-11-25 19:45:0{n},000 - root - INFO - step:  {n}  loss:  7.7  tps: 1,000  tflops: 21.55  mfu: 2.18%"
    speed = Run([line.format(n=n) for n in range(1, 5)]).figures().speed
    assert (speed.tflops, speed.tokens_per_s) == (21.55, None)  # tps is per device
    assert speed.mfu == pytest.approx(0.0218)
    assert speed.sources["tflops"] == speed.sources["mfu"] == "log"


def test_tokens_per_second_of_all_devices() -> None:
    mesh = "[titan] x Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=4, cp=1, tp=8"
    line = "[titan] 2025-11-25 19:45:0{n},000 - root - INFO - step:  {n}  loss:  7.7  tps: 1,000"
    speed = Run([mesh, *(line.format(n=n) for n in range(1, 5))]).figures().speed
    assert speed.tokens_per_s == 32_000.0
    assert speed.sources["tokens_per_s"] == "log"


def test_now_is_the_median_of_the_last_iterations_of_this_batch_size() -> None:
    slow = trained(1, 60, step_ms=200_000.0)
    fast = trained(61, 130, step_ms=100_000.0)
    outlier = trained(131, 131, step_ms=900_000.0)
    figures = Run([*BLOOM, *slow, *fast, *outlier]).figures()
    assert figures.speed.step_time_s == 100.0
    assert figures.usual_step_time_s == pytest.approx(200.0)


def test_a_ramp_up_begins_a_new_baseline() -> None:
    small = trained(1, 60, batch=1024, step_ms=50_000.0)
    figures = Run([*BLOOM, *small, *trained(61, 63)]).figures()
    assert figures.speed.step_time_s == pytest.approx(105.22)
    assert figures.global_batch_size == 2048


def test_another_attempt_begins_a_new_baseline() -> None:
    first = trained(1, 60, step_ms=50_000.0)
    figures = Run([*BLOOM, *first, *BLOOM, *trained(61, 63)]).figures()
    assert figures.speed.step_time_s == pytest.approx(105.22)


def test_the_mean_is_of_all_records_whatever_their_batch_size() -> None:
    small = trained(1, 10, batch=1024, step_ms=50_000.0)
    large = trained(11, 20, batch=2048, step_ms=110_000.0)
    run = Run([*BLOOM, *small, *large])
    speed = mean_speed(run.state, run.figures().facts)
    assert speed.step_time_s == pytest.approx(80.0)
    # samples over time: 30,720 in 1,600 s
    assert speed.samples_per_s == pytest.approx((10 * 1024 + 10 * 2048) / 1600)


def test_a_run_that_reached_nothing_has_no_figures() -> None:
    for run in (Run(), Run(BLOOM), Run(["words"])):
        figures = run.figures()
        assert (figures.iteration, figures.speed.step_time_s, figures.loss) == (None, None, None)
        assert mean_speed(run.state, Facts()).step_time_s is None
