"""What is flagged of an iteration, skipped or NaN, and what is counted of all of them."""

import pytest

from tests.core.folding import Run
from tests.core.logs.making import iteration
from tests.core.run.logged import trained
from trainwatch.core.columns import LOSS_NAN, SKIPPED
from trainwatch.core.tally import of_run

FLAGS = [
    ("a loss", iteration(5), 0),
    ("a loss that is left out", iteration(5, loss=None), LOSS_NAN),
    ("a loss that is printed as nan", iteration(5, loss="nan"), LOSS_NAN),
    ("an infinite loss", iteration(5, loss="inf"), 0),
    ("a skipped step", iteration(5, loss=None, skipped=1), SKIPPED),
    ("a skipped step that prints a stale loss", iteration(5, skipped=1), SKIPPED),
    ("a placeholder", iteration(5, loss="-1.00000"), 0),
]


@pytest.mark.parametrize(("line", "flags"), [pytest.param(*row[1:], id=row[0]) for row in FLAGS])
def test_flags(line: str, flags: int) -> None:
    run = Run([*trained(1, 4), line])
    assert run.state.open is not None
    assert run.state.open.flags == flags
    if flags:
        assert "loss" not in run.state.open.values
    if flags == SKIPPED:
        assert "grad_norm" not in run.state.open.values  # it is the stale previous one


def test_a_log_interval_is_skipped_only_if_all_of_it_is() -> None:
    ten = ["  log_interval .................................... 10"]
    lines = [
        iteration(n, skipped=s, loss=x)
        for n, s, x in ((10, 10, None), (20, 9, "5.0E+00"), (30, 3, None))
    ]
    run = Run([*ten, *lines, iteration(40)])
    assert run.column("flags") == [SKIPPED, 0.0, LOSS_NAN]
    assert of_run(run.state).skipped == 22
    assert of_run(run.state).nan_losses == 1


def test_a_count_that_is_no_number_counts_nothing() -> None:
    strange = iteration(2).replace(
        "number of skipped iterations:   0", "number of skipped iterations: nan"
    )
    run = Run([iteration(1), strange, iteration(3, skipped=2)])
    assert of_run(run.state).skipped == 2
    assert run.status().skipped_iterations == 2


def test_a_first_record_that_stands_for_nobody_knows_how_many() -> None:
    run = Run([iteration(10, skipped=9, loss="5.0E+00"), iteration(20)])
    assert run.column("flags") == [0.0]
    assert run.column("loss") == [5.0]
    assert Run([iteration(10, skipped=10, loss=None), iteration(20)]).column("flags") == [SKIPPED]


def test_the_status_says_that_the_loss_is_nan() -> None:
    run = Run([*trained(1, 4), iteration(5, loss=None)])
    status = run.status()
    assert (status.loss, status.loss_is_nan, status.health) == (None, True, "critical")
    healed = run.read(trained(6, 6)).status()
    assert not healed.loss_is_nan
    assert healed.loss == pytest.approx(8.994)


def test_an_infinite_loss_is_no_number_for_json() -> None:
    status = Run([*trained(1, 4), iteration(5, loss="inf", grad_norm="inf")]).status()
    assert (status.loss, status.grad_norm) == (None, None)


def test_counters() -> None:
    overflow = "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 8, reducing to 4"
    run = Run([*trained(1, 3), overflow, overflow, trained(3, 3)[0], trained(4, 4)[0][:99]])
    counters = run.state.counters
    assert (counters.overflows, counters.duplicates, counters.torn) == (2, 1, 1)
    assert counters.records == 7
