"""Whether memory is flat: samples of it over time, and how it goes on after warming up."""

from typing import NamedTuple

MB = 2**20
_WARM = 0.2  # of the time: caches fill
_TEN_MINUTES_S = 600.0


class Trend(NamedTuple):
    """After warming up. Slope by least squares, MB in ten minutes; None where there are too few samples."""

    begin_mb: float
    end_mb: float
    most_mb: float
    slope_mb: float | None

    def __str__(self) -> str:
        slope = "unknown" if self.slope_mb is None else f"{self.slope_mb:+.2f} MB in 10 min"
        return (
            f"RSS {self.begin_mb:.0f} MB after warming up, {self.end_mb:.0f} MB at the end, "
            f"{self.most_mb:.0f} MB at most; {slope}"
        )


def trend(samples: list[tuple[float, int]]) -> Trend:
    """Of times (s) and bytes, at least one."""
    first, last = samples[0][0], samples[-1][0]
    warm = [(at, size / MB) for at, size in samples if at >= first + _WARM * (last - first)]
    edge = max(1, len(warm) // 10)
    begin, end = (
        sorted(size for _, size in part)[len(part) // 2] for part in (warm[:edge], warm[-edge:])
    )
    return Trend(begin, end, max(size for _, size in samples) / MB, _slope(warm))


def _slope(samples: list[tuple[float, float]]) -> float | None:
    if len(samples) < 3:
        return None
    middle = sum(at for at, _ in samples) / len(samples)
    spread = sum((at - middle) ** 2 for at, _ in samples)
    return sum((at - middle) * size for at, size in samples) / spread * _TEN_MINUTES_S
