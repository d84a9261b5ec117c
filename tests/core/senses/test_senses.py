"""Each sense by literal rows: what it notices, when, and what it leaves alone."""

import pytest

from tests.core.judging import T0, pending, running
from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.facts import Facts
from trainwatch.core.model.observations import DiskReading, QueueReading
from trainwatch.core.model.state import Row
from trainwatch.core.senses.bump import BumpSense
from trainwatch.core.senses.disks import DiskSense
from trainwatch.core.senses.figures import FigureSense
from trainwatch.core.senses.flood import FloodSense
from trainwatch.core.senses.learning import LearningSense
from trainwatch.core.senses.pace import PaceSense
from trainwatch.core.senses.queue import QueueSense
from trainwatch.core.senses.resume import ResumeSense
from trainwatch.core.senses.robust import median, quantile, spread
from trainwatch.core.senses.speed import SpeedSense

NAN = float("nan")
H = 3600.0


def test_robust_statistics() -> None:
    assert (median([3.0, 1.0, 2.0]), median([1.0, 2.0])) == (2.0, 1.5)
    assert quantile([float(n) for n in range(100)], 0.95) == 95.0
    assert spread([1.0, 2.0, 3.0], 2.0) == pytest.approx(1.4826)


# speed


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


# learning


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


# the first iterations after a restart


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


# the queue


def _answered(*answers: QueueReading) -> QueueSense:
    sense = QueueSense()
    for answer in answers:
        sense.take(answer)
    return sense


def _answer(at: float, *jobs: object) -> QueueReading:
    return QueueReading(at=at, state="ok", jobs=jobs)  # type: ignore[arg-type]


def test_no_answer_begins_and_ends_nothing() -> None:
    unknown = QueueReading(at=T0 + 60, state="unknown", why="Socket timed out")
    sense = _answered(_answer(T0, running("7")), unknown)
    assert (sense.running_since, sense.alone_since, sense.absent_since) == (T0, T0, None)
    assert sense.unknown_since == T0 + 60
    assert QueueSense().runs is None


def test_a_job_that_is_being_cleaned_up_follows_nobody() -> None:
    ending = pending("6", "None")
    ending = type(ending)(job_id="6", name="run", state="COMPLETING")
    sense = _answered(_answer(T0, running("7"), ending))
    assert sense.alone_since == T0
    only = _answered(_answer(T0, ending))
    assert (only.absent_since, only.waiting_since) == (None, None)


def test_of_several_that_run_the_newest_counts() -> None:
    jobs = (running("8", start=T0, nodes=("n2",)), running("7", start=T0 - 9e4, nodes=("n1",)))
    for order in (jobs, jobs[::-1]):
        sense = _answered(_answer(T0 + 60, *order))
        assert (sense.started, sense.nodes) == (T0, ("n2",))


@pytest.mark.parametrize(
    ("reason", "held"),
    [
        ("JobHeldUser", True),
        ("launch failed requeued held", True),
        ("launch_failed_requeued_held", True),
        ("DependencyNeverSatisfied", True),
        ("Dependency", False),
        ("Priority", False),
        ("", False),
    ],
)
def test_who_never_starts_by_itself(reason: str, held: bool) -> None:
    assert bool(_answered(_answer(T0, pending("8", reason))).held_since) is held


# disks


def _disk(*frees_gb: float | None, apart_s: float = H / 4) -> DiskSense:
    sense = DiskSense()
    for n, free in enumerate(frees_gb):
        free_bytes = None if free is None else int(free * 1e9)
        sense.take(DiskReading(at=T0 + n * apart_s, path="d", bytes_free=free_bytes))
    return sense


@pytest.mark.parametrize("rows", range(5, 48))
def test_a_steady_fall_has_the_same_end_however_many_readings(rows: int) -> None:
    frees = [1000.0 - n * 2.5 for n in range(rows)]  # 10 GB an hour
    found = _disk(*frees).runway_s("d")
    assert found is not None
    assert found[0] == pytest.approx(frees[-1] / 10 * H)


@pytest.mark.parametrize(
    "frees",
    [
        (),
        (100.0, 90.0, 80.0),
        (100.0, 100.0, 100.0, 60.0, 60.0, 60.0),  # one checkpoint
        (100.0, 60.0, 100.0, 100.0, 60.0, 100.0),
        (60.0, 70.0, 80.0, 90.0, 100.0),
        (None, None, None, None, None),
    ],
)
def test_no_trend_no_end(frees: tuple[float | None, ...]) -> None:
    assert _disk(*frees).runway_s("d") is None


# floods


def test_a_flood_is_many_times_the_usual_and_held_output_is_none() -> None:
    sense = FloodSense()
    for minute in range(100):
        assert not sense.take(T0 + minute * 60, 10, 1)
    assert not sense.take(T0 + 6000, 6_000, 600)  # an hour that was held back, with its iterations
    for minute in range(100, 130):
        sense.take(T0 + minute * 60, 10, 1)
    assert sense.take(T0 + 8400, 9_000, 1)
    assert sense.since == T0 + 8400
    ended = [m for m in range(140, 180) if sense.take(T0 + m * 60, 10, 1)]
    assert len(ended) == 1


# pace


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


# figures


def test_figures_disagree_when_line_after_line_does() -> None:
    sense, facts = FigureSense(), Facts(global_batch_size=512)

    def row(number: int, logged: float, flags: int = 0) -> Row:
        values = {"step_time_s": 100.0, "samples_per_s": logged}
        return Row(iteration=number, attempt=0, format="", time=None, values=values, flags=flags)

    told = [(1, 5.12), (2, 4.0), (3, 5.12), (4, 0.005), (5, 0.005), (5, 0.005), (6, 0.005)]
    turned = [number for number, logged in told if sense.take(row(number, logged), facts)]
    assert turned == [6]
    assert not sense.take(row(7, 5.12, LOSS_NAN), facts)  # cannot be compared: nothing is over
    assert sense.wrong() == ["samples_per_s"]
    assert sense.take(row(8, 5.12), facts)
