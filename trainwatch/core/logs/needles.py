"""Which places of a block may hold a record: many literals searched for at once.

With `ahocorasick_rs` a hundred needles cost about as much as reading the block once; without it (no
wheel for the machine) they are searched for one by one: slower, and the same answer.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

try:
    import ahocorasick_rs
except ImportError:  # on machines without a wheel
    ahocorasick_rs = None  # type: ignore[assignment]

Finder = Callable[[bytes], list[tuple[int, int]]]
# What several needles hold, and lines without one of them seldom: fewer words to search for.
SHARED = (
    b"heckpoint ",
    b"arameters",
    b"alidation",
    b" latency",
    b"train_",
    b"Train",
    b"oss':",
    b"rror",
    b"kill",
)
_AT_ONCE = 52  # SIMD search slows down beyond this many literals; several passes are faster


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


def by_word(needles: Sequence[bytes]) -> dict[bytes, list[tuple[bytes, int, int]]]:
    """What to search for, and what it may be a part of: needle, the word's place in it, needle's index."""
    held_by: dict[bytes, list[tuple[bytes, int, int]]] = {}
    for index, needle in enumerate(needles):
        word = next((word for word in SHARED if word in needle), needle)
        held_by.setdefault(word, []).append((needle, needle.index(word), index))
    return held_by


def in_groups(words: Sequence[bytes]) -> list[tuple[bytes, ...]]:
    """Few groups, all of one size.

    A few words left over would be searched for by their rarest letter, which stands everywhere in a log:
    five of them took seven times as long as the other 96.
    """
    passes = -(-len(words) // _AT_ONCE)
    ends = [len(words) * number // (passes or 1) for number in range(passes + 1)]
    return [tuple(words[start:end]) for start, end in pairwise(ends)]


@lru_cache(maxsize=8)  # built in milliseconds, and the same for every run that is watched
def at_once(needles: tuple[bytes, ...]) -> Finder:
    """Search by SIMD, in groups. A needle that overlaps an earlier one of its group is not reported.

    Those that hold the same word are found by it, and told apart where it stands. Those that begin alike
    are searched for together: SIMD does not tell their beginnings apart.
    """
    leftmost = ahocorasick_rs.MatchKind.LeftmostFirst  # the only kind that searches by SIMD
    held_by = by_word(needles)
    groups = []
    for together in in_groups(sorted(held_by)):
        kinds = [held_by[word] for word in together]
        groups.append((kinds, ahocorasick_rs.BytesAhoCorasick(together, leftmost)))

    def find(block: bytes) -> list[tuple[int, int]]:
        found = [
            (position - before, index)
            for kinds, group in groups
            for kind, position, _ in group.find_matches_as_indexes(block)
            for needle, before, index in kinds[kind]
            if position >= before and block.startswith(needle, position - before)
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
