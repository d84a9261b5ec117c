"""The sense of learning, and of the first iterations after a restart."""

import pytest

from tests.core.judging import T0
from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.senses.bump import BumpSense
from trainwatch.core.senses.learning import LearningSense
from trainwatch.core.senses.resume import ResumeSense

NAN = float("nan")


def _learned(rows: int = 40, loss: float = 2.5, norm: float = 1.0) -> LearningSense:
    sense = LearningSense()
    for number in range(1, rows + 1):
        sense.row(T0 + number, number, loss + number % 3 / 100, norm, 0, 0.0)
    return sense


def test_formats_that_count_no_skips_are_no_news() -> None:
    sense = LearningSense()
    assert not any(sense.row(T0, n, 2.5, 1.0, 0, NAN) for n in range(1, 100))


@pytest.mark.parametrize(("skipped", "steps"), [(1.0, 1), (1e300, 1), (float("inf"), 3), (-1.0, 1)])
def test_any_count_of_skips(skipped: float, steps: int) -> None:
    sense = _learned()
    sense.row(T0, 40 + steps, NAN, NAN, 0, skipped)
    assert sense.skips.bit_count() == (steps if skipped > 0 else 0)


def test_nans_are_counted_in_iterations() -> None:
    sense = _learned()
    sense.row(T0, 44, NAN, 1.0, LOSS_NAN, 0.0)
    assert sense.nans == 0b1111
    sense.row(T0, 45, 2.5, 1.0, 0, 0.0)
    assert sense.nans == 0b11110


def test_a_spike_heals_by_the_loss_coming_back() -> None:
    sense = _learned()
    assert not sense.row(T0, 41, 6.0, 1.0, 0, 0.0)  # one alone may be a bad batch
    assert sense.row(T0, 42, 6.5, 1.0, 0, 0.0)
    assert (sense.spike_iteration, sense.spike_peak) == (42, 6.5)
    turned = [sense.row(T0, n, 6.0, 1.0, 0, 0.0) for n in range(43, 200)]
    assert not any(turned)  # nothing new
    for number in range(200, 205):
        sense.row(T0, number, 2.5, 1.0, 0, 0.0)
    assert sense.spike_iteration is None


@pytest.mark.parametrize(("norm", "surges"), [(9.9, False), (10.0, True), (float("inf"), True)])
def test_a_surge_is_ten_times_the_base_at_once(norm: float, surges: bool) -> None:
    sense = _learned()
    sense.row(T0, 41, 2.5, norm, 0, 0.0)
    assert (sense.surge_iteration == 41) is surges


@pytest.mark.parametrize("norm", [0.0, -1.0, float("inf"), NAN])
def test_norms_that_are_not_measured_are_no_base(norm: float) -> None:
    sense = _learned(norm=norm)
    sense.row(T0, 41, 2.5, 5.0, 0, 0.0)
    assert sense.surge_iteration is None


def _rates(sense: ResumeSense, first: int, last: int, attempt: int, rate: float) -> list[int]:
    return [n for n in range(first, last + 1) if sense.row(T0, n, rate, attempt, 100)]


def test_a_rate_that_jumped_stays_told_until_it_is_trained_with() -> None:
    sense = ResumeSense()
    assert _rates(sense, 1, 500, 0, 1e-4) == []
    assert _rates(sense, 501, 650, 1, 3e-4) == [501]
    assert sense.jump is not None
    assert (sense.jump.iteration, sense.jump.found) == (501, 3e-4)
    assert _rates(sense, 651, 720, 1, 3e-4) == [701]
    assert sense.jump is None


def test_a_rate_on_its_curve_is_no_jump() -> None:
    sense = ResumeSense()
    for attempt, (first, last) in enumerate([(1, 500), (401, 700), (601, 900)]):
        for number in range(first, last + 1):
            assert not sense.row(T0, number, 6e-5 * (1 - number / 1000), attempt, 100)


def test_the_loss_is_compared_where_it_was() -> None:
    sense = BumpSense()
    for number in range(1, 500):
        sense.row(T0, number, 10 - number / 100, 0.01, 0, 100)
    for number in range(301, 320):  # higher than the last, as it was here before
        assert not sense.row(T0, number, 10 - number / 100, 0.01, 1, 100)
    found = [n for n in range(401, 411) if sense.row(T0, n, 6.6, 0.01, 2, 100)]
    assert found == [405]
