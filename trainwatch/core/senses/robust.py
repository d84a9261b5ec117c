"""Robust statistics of short lists; the values are finite."""


def median(values: list[float]) -> float:
    """The middle value, of an even number the upper one of the two."""
    return sorted(values)[len(values) // 2]


def quantile(values: list[float], share: float) -> float:
    """The value below which about `share` (0..1) of them lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(values: list[float], middle: float) -> float:
    """The median distance from the middle, scaled to a standard deviation."""
    return 1.4826 * median([abs(value - middle) for value in values])
