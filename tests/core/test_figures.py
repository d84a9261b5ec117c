"""How a run is doing, in the numbers that a person would compute, and where each came from."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.core.folding import NOW, Run
from tests.core.logs.making import iteration, stamped
from tests.core.logs.reading import at
from trainwatch.core import tally
from trainwatch.core.facts import Facts, configured
from trainwatch.core.figures import consumed_samples
from trainwatch.core.overall import mean_speed

BLOOM = [
    "using world size: 384, data-parallel-size: 8, tensor-model-parallel size: 4, "
    "pipeline-model-parallel size: 12",
    "----- arguments -----",
    "  num_layers ...................................... 70",
    "  hidden_size ..................................... 14336",
    "  padded_vocab_size ............................... 250880",
    "  seq_length ...................................... 2048",
    "  global_batch_size ............................... 2048",
    "  checkpoint_activations .......................... True",
    "  params_dtype .................................... torch.bfloat16",
    "  log_interval .................................... 1",
    "NVIDIA A100-SXM4-80GB",
]


def trained(first: int, last: int, **how: Any) -> list[str]:
    return [
        iteration(n, **{"batch": 2048, "step_ms": 105_220.0, **how}) for n in range(first, last + 1)
    ]


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


# --- progress, ETA


def test_progress_by_samples_with_a_ramp_up() -> None:
    """311541 iterations in all, but 15,019,344 of 300,000,000 samples: not a tenth of the way."""
    dump = [
        "  global_batch_size ............................... 1024",
        "  rampup_batch_size ............................... ['16', '16', '5_000_000']",
        "  train_samples ................................... 300000000",
        "  seq_length ...................................... 2048",
    ]
    line = (
        " iteration    33240/  311541 | consumed samples:     15019344 | elapsed time per iteration (ms): "
        "23491.4 | learning rate: 9.702E-05 | global batch size:  1024 | lm loss: 2.722675E+00 | number of "
        "skipped iterations:   0 | number of nan iterations:   0 |"
    )
    figures = Run([*dump, line]).figures()
    assert figures.progress is not None
    assert figures.progress.unit == "samples"
    assert figures.progress.share == pytest.approx(0.0500645, abs=1e-6)
    assert figures.eta_s == pytest.approx((300e6 - 15_019_344) / (1024 / 23.4914))
    assert figures.consumed_tokens == 15_019_344 * 2048
    assert figures.sources["consumed_samples"] == "log"
    assert figures.sources["consumed_tokens"] == "derived"


def test_progress_by_tokens() -> None:
    lines = ["  train_tokens .................. 4000", "  seq_length .................... 10"]
    figures = Run([*lines, *trained(1, 2, batch=100, step_ms=1000.0)]).figures()
    assert figures.progress is not None
    assert (figures.progress.unit, figures.progress.done) == ("tokens", 2000.0)
    assert figures.eta_s == pytest.approx(2.0)


def test_progress_by_iterations_while_the_batch_size_is_one() -> None:
    figures = Run(trained(1, 10, batch=16, step_ms=2000.0, target=100)).figures()
    assert figures.progress is not None
    assert figures.progress.share == pytest.approx(0.1)
    assert figures.eta_s == pytest.approx(180.0)


def test_no_eta_where_the_batch_size_changed_and_no_target_is_known() -> None:
    line = iteration(10, batch=16).replace(f"{160:12d}", f"{90:12d}")
    figures = Run([line]).figures()
    assert figures.eta_s is None
    assert "batch size changed" in figures.eta_unknown


def test_no_eta_without_a_target() -> None:
    figures = Run(["steps: 1 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805"]).figures()
    assert (figures.progress, figures.eta_s) == (None, None)
    assert "no target" in figures.eta_unknown


def test_progress_of_a_bar() -> None:
    status = Run([" 45%|████▌     | 723/1602 [2:12:45<2:59:53, 12.00s/it]"]).status()
    assert (status.iteration, status.target_iteration) == (723, 1602)
    assert status.progress == pytest.approx(723 / 1602)
    assert status.eta_s is None or status.eta_s == pytest.approx((1602 - 723) * 12.0)


RAMPED = configured({"global_batch_size": 1024, "rampup": (16, 16, 5_000_000)})


@pytest.mark.parametrize(("number", "samples"), [(29020, 10_698_064), (33240, 15_019_344)])
def test_consumed_samples_of_a_ramp_up(number: int, samples: int) -> None:
    assert consumed_samples(RAMPED, number) == samples


@pytest.mark.parametrize(
    "rampup", [(0, 0, 0), (16, 16, 0), (16, 0, 100), (0, 16, 100), (2048, 16, 100), (1, 1, 10**15)]
)
@pytest.mark.parametrize("number", [0, 1, 1000, 10**12])
def test_a_ramp_up_that_cannot_be_does_no_harm(rampup: tuple[int, int, int], number: int) -> None:
    facts = configured({"global_batch_size": 10**15 if rampup[2] > 10**6 else 1024})
    assert consumed_samples(msgspec.structs.replace(facts, rampup=rampup), number) >= 0


# --- at risk


def test_what_a_crash_would_cost() -> None:
    saved = [
        "saving checkpoint at iteration 50 to /x",
        "successfully saved checkpoint at iteration 50 to /x",
    ]
    figures = Run([*BLOOM, *trained(1, 50), *saved, *trained(51, 300)]).figures()
    assert figures.iterations_at_risk == 250
    assert figures.at_risk_s is not None
    assert figures.at_risk_s / 3600 == pytest.approx(7.3, abs=0.01)
    assert figures.at_risk_gpu_hours == pytest.approx(2806, abs=1)


def test_without_a_save_all_that_this_attempt_trained_is_at_risk() -> None:
    loaded = "  successfully loaded checkpoint from /ckpt at iteration 100"
    assert Run([loaded, *trained(101, 110)]).figures().iterations_at_risk == 10
    fresh = "    will not load any checkpoints and will start from random"
    assert Run([fresh, *trained(1, 10)]).figures().iterations_at_risk == 10
    assert Run(trained(101, 110)).figures().iterations_at_risk == 10
    assert Run().figures().iterations_at_risk is None


def test_a_save_of_what_was_rolled_back_counts_no_more() -> None:
    saved = ["successfully saved checkpoint at iteration 50 to /x"]
    loaded = "  successfully loaded checkpoint from /x at iteration 20"
    run = Run([*BLOOM, *trained(1, 50), *saved, *BLOOM, loaded, *trained(21, 30)])
    assert run.figures().iterations_at_risk == 10


# --- the whole run


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


# --- the status


def test_the_status_of_a_living_run() -> None:
    lines = [
        *BLOOM,
        *(
            iteration(n, batch=2048, prefix=stamped(n, step_s=105.0), step_ms=105_000.0)
            for n in range(1, 6)
        ),
    ]
    now = at("2024-08-01 09:55:00")
    status = Run(lines, at=now).status(now)
    assert (status.health, status.phase, status.iteration) == ("ok", "train", 5)
    assert status.framework == "megatron-core"
    assert (status.gpus, status.tensor_parallel, status.pipeline_parallel) == (384, 4, 12)
    assert status.data_parallel == 8
    assert status.last_progress_at == at("2024-08-01 09:44:55") + 5 * 105.0
    assert status.parameters == pytest.approx(176.2e9, rel=0.02)
    late = Run(lines, at=now).status(now + 86400)
    assert late.health == "unknown"  # it just stops: neither dead nor alive


def test_a_status_is_json_whatever_was_read() -> None:
    odd = [iteration(n, loss="inf", grad_norm="nan", step_ms=1e300) for n in range(1, 4)]
    assert json.loads(msgspec.json.encode(Run(odd).status()))["iteration"] == 3


def test_a_model_of_another_size_than_configured_is_told() -> None:
    run = Run([*BLOOM, *trained(1, 5)])
    assert run.status(NOW, configured({"parameters": 176e9})).warnings == ()
    warnings = run.status(NOW, configured({"parameters": 104e9})).warnings
    assert len(warnings) == 1
    assert "104" in warnings[0]


def test_more_than_the_gpu_can_do_is_told() -> None:
    run = Run([*BLOOM, *trained(1, 5, step_ms=10_000.0)])
    assert any("312" in warning for warning in run.status().warnings)


# --- real logs

TRUTHS = [
    "meg_ds_3d_gpt2_perf_n16-ds-on.out",
    "meg_ds_zero_gpt2_perf_n16-1999616.out",
    "meg_gpt2_base_n16_dp1_tp4_pp16-1809577.out",
    "meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out",
    "meg_gpt2_perf_n16.out",
    "hf_ds_gpt2_base_n4-1832555.out",
]


@pytest.mark.parametrize("name", TRUTHS)
def test_a_real_log_is_what_was_counted(shared_logs: Path, name: str) -> None:
    truth = json.loads((shared_logs / "groundtruth.json").read_text())[name]
    run = Run((shared_logs / "bigscience" / name).read_bytes())
    counted = tally.of_run(run.state)
    assert counted.records == truth["n_iter_lines"]
    assert counted.skipped == truth["sum_skipped"]
    assert counted.nan_losses == 0
    if truth["first"]:
        assert counted.first_iteration == truth["first"][0][0]
        assert counted.last_iteration == truth["last"][0][0]
        mean_ms = counted.step_time_sum_s / counted.step_times * 1000
        assert mean_ms == pytest.approx(truth["mean_ms"], abs=0.05)
    for key, value in (truth.get("config") or {}).items():
        if value is not None:
            assert real(run, key) == pytest.approx(value, rel=1e-3), key


def real(run: Run, key: str) -> float | None:
    facts = run.figures().facts
    if key == "tflops":
        return mean_speed(run.state, facts).tflops
    if key == "model_size_b":
        return None if facts.parameters is None else facts.parameters / 1e9
    names = {
        "gpus": "gpus",
        "tp": "tensor_parallel",
        "pp": "pipeline_parallel",
        "mbs": "micro_batch_size",
        "gbs": "global_batch_size",
        "seq_length": "seq_length",
    }
    value: float | None = getattr(facts, names[key])
    return value


REAL_ENDS = {
    "meg_ds_zero_gpt2_perf_n16-1999616.out": "time-limit",
    "meg_gpt2_base_n16_dp1_tp4_pp16-1809577.out": "cancelled",
    "meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out": "cancelled",
    "hf_ds_gpt2_base_n4-1832555.out": "completed",
}


@pytest.mark.parametrize("name", REAL_ENDS)
def test_how_a_real_log_ends(shared_logs: Path, name: str) -> None:
    run = Run((shared_logs / "bigscience" / name).read_bytes())
    assert run.status().attempts[-1].end == REAL_ENDS[name]


@pytest.mark.parametrize("name", ["tr1-13B-base_chronicles.log", "tr8-104B-wide_chronicles.log"])
def test_a_diary_with_pasted_lines_is_read_without_harm(shared_logs: Path, name: str) -> None:
    run = Run((shared_logs / "chronicles" / name).read_bytes())
    run.status()
    assert run.state.counters.records > 0
