"""Where the round numbers of an axis are."""

import math

_LEAST = 1e-290  # below it, powers of ten are no longer what they say


def round_step(width: float, most: int) -> float:
    """The least of 1, 2, 5, 10, ... that goes into `width` at most so many times."""
    if not _LEAST < width < math.inf or most < 1:
        return 1.0
    rough = width / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next((m * power for m in (1, 2, 5) if m * power >= rough), 10 * power)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two, evenly apart."""
    step = round_step(high - low, most)
    first = math.ceil(low / step)
    count = min(2 * most + 2, math.floor(high / step) - first + 1)
    return [(first + n) * step for n in range(max(0, count))]
