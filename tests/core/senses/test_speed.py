"""The sense of speed, and of pace: what is slow, what cannot be compared, what is usual."""

import pytest

from tests.core.judging import T0
from trainwatch.core.senses.pace import PaceSense
from trainwatch.core.senses.robust import median, quantile, spread
from trainwatch.core.senses.speed import SpeedSense

NAN = float("nan")


def test_robust_statistics() -> None:
    assert (median([3.0, 1.0, 2.0]), median([1.0, 2.0])) == (2.0, 1.5)
    assert quantile([float(n) for n in range(100)], 0.95) == 95.0
    assert spread([1.0, 2.0, 3.0], 2.0) == pytest.approx(1.4826)


def _fed(sense: SpeedSense, times: list[float], first: int = 1, least: float = 0.03) -> int | None:
    """The first iteration at which it is slow."""
    for number, step_s in enumerate(times, first):
        sense.row(T0 + number, number, step_s, 512.0, 0, least)
        if sense.slow:
            return number
    return None


def _noisy(step_s: float, share: float, rows: int) -> list[float]:
    """Deterministic noise, evenly between -share and +share."""
    return [step_s * (1 + share * ((n * 37 % 101) / 50 - 1)) for n in range(rows)]


def test_five_percent_in_one_percent_noise_within_ten_iterations() -> None:
    sense = SpeedSense()
    assert _fed(sense, _noisy(100.0, 0.01, 400)) is None
    found = _fed(sense, _noisy(100.0 / 0.95, 0.01, 20), 401)
    assert found is not None
    assert found <= 410


def test_thirty_percent_in_forty_percent_noise() -> None:
    sense = SpeedSense()
    assert _fed(sense, _noisy(40.0, 0.4, 600)) is None
    found = _fed(sense, _noisy(40.0 / 0.7, 0.4, 300), 601)
    assert found is not None  # 4 h are 250 iterations
    assert found <= 850


def test_a_drop_that_nobody_asked_for_is_none_in_however_little_noise() -> None:
    sense = SpeedSense()
    _fed(sense, _noisy(10.0, 0.0001, 400))
    assert _fed(sense, [10.2] * 60, 401) is None
    other = SpeedSense()
    _fed(other, _noisy(10.0, 0.0001, 400), least=0.01)
    assert _fed(other, [10.2] * 60, 401, least=0.01) is not None


def test_slow_is_over_when_it_is_fast_again_not_when_slow_is_usual() -> None:
    sense = SpeedSense()
    _fed(sense, [10.0] * 400)
    assert _fed(sense, [12.0] * 20, 401)
    for number in range(421, 2000):
        assert not sense.row(T0, number, 12.0, 512.0, 0, 0.03)
    turned = [sense.row(T0, number, 10.0, 512.0, 0, 0.03) for number in range(2000, 2020)]
    assert sum(turned) == 1
    assert not sense.slow


@pytest.mark.parametrize("change", ["batch", "attempt", "gpus"])
def test_what_cannot_be_compared_is_no_drop(change: str) -> None:
    sense = SpeedSense()
    _fed(sense, [10.0] * 400)
    if change == "gpus":
        sense.of_gpus(192)
    batch, attempt = (1024.0 if change == "batch" else 512.0), int(change == "attempt")
    turned = [sense.row(T0, n, 20.0, batch, attempt, 0.03) for n in range(401, 500)]
    assert not any(turned)
    assert sense.typical_s() == 20.0


def test_before_a_restart_tells_enough_what_was_typical_is_known() -> None:
    sense = SpeedSense()
    _fed(sense, [600.0] * 50)
    sense.row(T0, 51, 900.0, 512.0, 1, 0.03)
    assert sense.typical_s() == 600.0


def test_rows_without_a_step_time_say_nothing() -> None:
    sense = SpeedSense()
    assert _fed(sense, [NAN] * 100) is None
    assert sense.typical_s() is None


def test_a_gap_counts_for_its_own_phase_and_a_guess_for_none() -> None:
    pace = PaceSense()
    pace.begin(T0)
    pace.row(T0 + 600, T0 + 600, 1, evaluates=False)
    pace.row(T0 + 610, T0 + 610, 2, evaluates=True)
    pace.row(T0 + 2610, T0 + 2610, 3, evaluates=False)
    assert pace.longest_s == {"startup": 600.0, "train": 10.0, "evaluate": 2000.0}
    pace.guess(T0 + 90_000)
    pace.row(T0 + 99_000, T0 + 99_000, 4, evaluates=False)
    assert pace.longest_s == {"startup": 600.0, "train": 10.0, "evaluate": 2000.0}
    assert not pace.row(T0 + 99_010, T0 + 99_010, 4, evaluates=False)  # told twice
