"""How far a run is, and when it will be done, by samples, tokens, iterations or a bar."""

import msgspec
import pytest

from tests.core.figures.bloom import trained
from tests.core.folding import Run
from tests.core.logs.making import iteration
from trainwatch.core.facts import configured
from trainwatch.core.figures import consumed_samples


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
