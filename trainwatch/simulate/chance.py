"""Random numbers by place, not by draw: iteration 237 has the same luck however one came to it.

So a run that crashed repeats the same losses, as real data order does, and adding one more noisy line
somewhere does not change all that follows.
"""

import random

_SIZE = 8191  # prime: every stream visits every place of the table


class Chance:
    """Tables of normal and uniform numbers that streams walk through in orders of their own."""

    def __init__(self, seed: int) -> None:
        source = random.Random(seed)
        self._normal = [source.gauss(0.0, 1.0) for _ in range(_SIZE)]
        self._uniform = [source.random() for _ in range(_SIZE)]

    def normal(self, stream: int, place: int) -> float:
        """A number of mean 0 and deviation 1."""
        return self._normal[_index(stream, place)]

    def uniform(self, stream: int, place: int) -> float:
        """A number in 0..1."""
        return self._uniform[_index(stream, place)]

    def pick(self, stream: int, place: int, count: int) -> int:
        """One of 0..count-1."""
        return int(self._uniform[_index(stream, place)] * count)


def _index(stream: int, place: int) -> int:
    return (place * (2 * stream + 3) + stream * 977) % _SIZE
