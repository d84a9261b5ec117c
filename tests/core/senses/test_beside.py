"""The senses of disks, floods of output, and figures that disagree."""

import pytest

from tests.core.judging import T0
from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.facts import Facts
from trainwatch.core.model.observations import DiskReading
from trainwatch.core.model.state import Row
from trainwatch.core.senses.disks import DiskSense
from trainwatch.core.senses.figures import FigureSense
from trainwatch.core.senses.flood import FloodSense

H = 3600.0


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
