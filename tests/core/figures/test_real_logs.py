"""The figures of real logs are what was counted in them."""

import json
from pathlib import Path

import pytest

from tests.core.folding import Run
from trainwatch.core import tally
from trainwatch.core.overall import mean_speed

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
