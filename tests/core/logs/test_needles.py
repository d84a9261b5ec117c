"""The literals that lines are found by: none hides another, and both ways of searching agree."""

import random
from collections.abc import Callable, Sequence
from itertools import permutations

import pytest

from trainwatch.core.logs.needles import SHARED, Finder, at_once, by_word, in_groups, one_by_one
from trainwatch.core.logs.table import FORMATS

NEEDLES = tuple(dict.fromkeys(needle for f in FORMATS for needle in f.needles))
SEEN_BY = {n: frozenset(f.name for f in FORMATS if n in f.needles) for n in NEEDLES}


def test_no_needle_holds_another() -> None:
    assert [(a, b) for a, b in permutations(NEEDLES, 2) if b in a] == []


def clashes(seen_by: dict[bytes, frozenset[str]]) -> list[tuple[bytes, bytes]]:
    """Pairs of which the first ends as the second begins, and is not for all formats of the second."""
    return [
        (a, b)
        for a, b in permutations(seen_by, 2)
        for length in range(3, min(len(a), len(b)))
        if a.endswith(b[:length]) and not seen_by[a] >= seen_by[b]
    ]


def test_no_needle_runs_into_one_of_another_format() -> None:
    """Two bytes may be shared (`s/it`, `it/s`): more could hide a word of real text."""
    assert clashes(SEEN_BY) == []


def test_no_word_that_is_searched_for_hides_another() -> None:
    """One that is found is passed over as a whole: what begins inside of it is not found."""
    words = by_word(NEEDLES)
    seen_by = {
        word: frozenset[str]().union(*(SEEN_BY[needle] for needle, _, _ in held))
        for word, held in words.items()
    }
    assert clashes(seen_by) == []
    assert [(a, b) for a, b in permutations(words, 2) if b in a] == []


def test_each_shared_word_spares_a_search() -> None:
    words = by_word(NEEDLES)
    assert [word for word in SHARED if len(words.get(word, ())) < 2] == []


@pytest.mark.parametrize("count", [0, 1, 52, 53, 101, 104, 105, 160])
def test_no_few_words_are_left_over(count: int) -> None:
    words = [b"word %d" % number for number in range(count)]
    groups = in_groups(words)
    assert [word for group in groups for word in group] == words
    sizes = [len(group) for group in groups]
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    assert len(groups) == -(-count // 52)


def test_needles_are_long_enough_to_be_rare() -> None:
    assert [n for n in NEEDLES if len(n) < 4] == []


def random_text(seed: int, between: tuple[bytes, ...]) -> bytes:
    chance = random.Random(seed)
    words = [chance.choice(NEEDLES) + chance.choice(between) for _ in range(300)]
    for _ in range(50):
        needle = chance.choice(NEEDLES)
        words.insert(chance.randrange(len(words)), needle[: chance.randrange(len(needle))] + b"~")
    return b"".join(words)


@pytest.mark.parametrize("seed", range(20))
def test_both_searches_find_the_same(seed: int) -> None:
    pytest.importorskip("ahocorasick_rs", reason="no wheel for this machine")
    text = random_text(seed, (b"~", b"\n", b"~~~", b"\0", b"12345678\n"))
    assert at_once(NEEDLES)(text) == one_by_one(NEEDLES)(text)


@pytest.mark.parametrize("seed", range(20))
def test_glued_together_nothing_is_made_up(seed: int) -> None:
    pytest.importorskip("ahocorasick_rs", reason="no wheel for this machine")
    text = random_text(seed, (b"",))
    assert set(at_once(NEEDLES)(text)) <= set(one_by_one(NEEDLES)(text))


FINDERS = [at_once, one_by_one]


@pytest.mark.parametrize("make", FINDERS)
@pytest.mark.parametrize(
    ("needles", "text", "hits"),
    [
        ((b"abcd",), b"abcd", [(0, 0)]),
        ((b"abcd", b"wxyz"), b"wxyz-abcd-wxyz", [(0, 1), (5, 0), (10, 1)]),
        ((b"abcd",), b"", []),
        ((b"abcd",), b"abc\nd", []),
        ((b"abab",), b"ababab", [(0, 0)]),
        (tuple(b"%04d" % n for n in range(100)), b"0099 0031 0032", [(0, 99), (5, 31), (10, 32)]),
    ],
)
def test_hits(
    make: Callable[[Sequence[bytes]], Finder],
    needles: tuple[bytes, ...],
    text: bytes,
    hits: list[tuple[int, int]],
) -> None:
    if make is at_once:
        pytest.importorskip("ahocorasick_rs", reason="no wheel for this machine")
    assert make(needles)(text) == hits
