"""What a crash would cost, and the status of a living run."""

import json

import msgspec
import pytest

from tests.core.figures.bloom import BLOOM, trained
from tests.core.folding import NOW, Run
from tests.core.logs.making import iteration, stamped
from tests.core.logs.reading import at
from trainwatch.core.facts import configured


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
