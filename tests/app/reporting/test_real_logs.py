"""`trainwatch report` on real logs: what it says is the counted truth."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.app.reporting.logs import rows_of
from trainwatch.core.columns import Columns
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import RunState
from trainwatch.core.run import Reader

ENDS = {
    "hf_ds_gpt2_base_n4-1832555.out": "completed",
    "meg_ds_3d_gpt2_perf_n16-ds-on.out": "unknown",
    "meg_ds_zero_gpt2_perf_n16-1999616.out": "time-limit",
    "meg_gpt2_base_n16_dp1_tp4_pp16-1809577.out": "cancelled",
    "meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out": "cancelled",
    "meg_gpt2_perf_n16.out": "unknown",
}


@pytest.fixture(scope="module")
def truth(shared_logs: Path) -> dict[str, dict[str, Any]]:
    counted: dict[str, dict[str, Any]] = json.loads((shared_logs / "groundtruth.json").read_text())
    return {name: value for name, value in counted.items() if name.endswith(".out")}


@pytest.fixture
def real(shared_logs: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    found = rows_of(capsys, str(shared_logs / "bigscience" / "*.out"))
    return {Path(row["log"]).name: row for row in found}


def test_every_real_log_has_a_row(
    real: dict[str, dict[str, Any]], truth: dict[str, dict[str, Any]]
) -> None:
    assert real.keys() == truth.keys() == ENDS.keys()


@pytest.mark.parametrize("name", ENDS)
def test_counts_times_and_ends_are_the_counted_truth(
    name: str, real: dict[str, dict[str, Any]], truth: dict[str, dict[str, Any]]
) -> None:
    row, counted = real[name], truth[name]
    assert row["iterations"] == counted["n_iter_lines"]
    assert row["first_iteration"] == (counted["first"][0][0] if counted["first"] else None)
    assert row["last_iteration"] == (counted["last"][0][0] if counted["last"] else None)
    for key, counted_key in (("step_time_s", "mean_ms"), ("step_time_median_s", "median_ms")):
        if counted[counted_key] is None:
            assert row[key] is None
        else:
            assert row[key] * 1000 == pytest.approx(counted[counted_key], abs=0.05001)
    assert row["skipped"] == counted["sum_skipped"]
    assert (row["loss"] is not None) == (counted["n_loss"] > 0)
    assert row["end"] == ENDS[name]
    assert row["log_bytes"] == counted["bytes"]
    assert row["torn_lines"] == counted["interleaved_iter"]


@pytest.mark.parametrize("name", [name for name in ENDS if name.startswith("meg")])
def test_configurations_are_the_counted_truth(
    name: str, real: dict[str, dict[str, Any]], truth: dict[str, dict[str, Any]]
) -> None:
    row, config = real[name], truth[name]["config"]
    for key in ("gpus", "tp", "mbs", "gbs", "seq_length"):
        assert row[key] == config[key], key
    if config["pp"] is not None:
        assert row["pp"] == config["pp"]
    assert row["tflops_exact"] is True
    assert round(row["tflops"], 2) == config["tflops"]
    decimals = len(str(config["model_size_b"]).partition(".")[2])
    assert round(row["model_size_b"], decimals) == config["model_size_b"]


@pytest.mark.parametrize("name", ENDS)
def test_losses_are_the_counted_truth(
    name: str, shared_logs: Path, truth: dict[str, dict[str, Any]]
) -> None:
    data = (shared_logs / "bigscience" / name).read_bytes()
    chunk = LogChunk(at=2e9, path=name, data=data, live=False)
    step = Reader(Scanner()).advance(RunState(run=name), chunk)
    rows: Columns = step.rows
    known = sum(1 for loss in rows.column("loss") if not math.isnan(loss))
    known += bool(step.state.open and "loss" in step.state.open.values)
    assert known == truth[name]["n_loss"]


def test_a_log_that_holds_only_bars_says_so(real: dict[str, dict[str, Any]]) -> None:
    row = real["hf_ds_gpt2_base_n4-1832555.out"]
    assert (row["bar_step"], row["bar_total"], row["framework"]) == (16, 16, "hf-trainer")
    assert row["bar_step_time_s"] > 0
    assert (row["gpus"], row["mbs"], row["gbs"]) == (16, 4, 64)  # 4 nodes of 4 were launched
