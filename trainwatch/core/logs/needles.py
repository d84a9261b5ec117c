"""Which places of a block may hold a record: many literals searched for at once.

With `ahocorasick_rs` a hundred needles cost about as much as reading the block once; without it (no
wheel for the machine) they are searched for one by one: slower, and the same answer.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

try:
    import ahocorasick_rs
except ImportError:  # on machines without a wheel
    ahocorasick_rs = None  # type: ignore[assignment]

Finder = Callable[[bytes], list[tuple[int, int]]]
_AT_ONCE = 48  # SIMD search slows down beyond this many literals; several passes are faster


def finder(needles: tuple[bytes, ...]) -> Finder:
    """A function from a block to (position, index of the needle), in order of position."""
    return one_by_one(needles) if ahocorasick_rs is None else at_once(needles)


@lru_cache(maxsize=8)
def places(needle: bytes) -> Callable[[bytes], list[int]]:
    """A function from a block to every place of one needle, which may be frequent."""
    if ahocorasick_rs is not None:
        leftmost = ahocorasick_rs.MatchKind.LeftmostFirst
        find = ahocorasick_rs.BytesAhoCorasick((needle,), leftmost).find_matches_as_indexes
        return lambda block: [position for _, position, _ in find(block)]
    one = one_by_one((needle,))  # type: ignore[unreachable]
    return lambda block: [position for position, _ in one(block)]


@lru_cache(maxsize=8)  # built in milliseconds, and the same for every run that is watched
def at_once(needles: tuple[bytes, ...]) -> Finder:
    """Search by SIMD, in groups. A needle that overlaps an earlier one of its group is not reported."""
    leftmost = ahocorasick_rs.MatchKind.LeftmostFirst  # the only kind that searches by SIMD
    groups = [
        (start, ahocorasick_rs.BytesAhoCorasick(needles[start : start + _AT_ONCE], leftmost))
        for start in range(0, len(needles), _AT_ONCE)
    ]

    def find(block: bytes) -> list[tuple[int, int]]:
        found = [
            (position, start + index)
            for start, group in groups
            for index, position, _ in group.find_matches_as_indexes(block)
        ]
        found.sort()
        return found

    return find


def one_by_one(needles: Sequence[bytes]) -> Finder:
    """Search with `bytes.find`, a pass for each needle."""

    def find(block: bytes) -> list[tuple[int, int]]:
        found = []
        for index, needle in enumerate(needles):
            position = block.find(needle)
            while position >= 0:
                found.append((position, index))
                position = block.find(needle, position + len(needle))
        found.sort()
        return found

    return find
