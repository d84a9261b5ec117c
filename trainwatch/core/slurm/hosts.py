"""Lists of nodes: `r[1-3,7]i0n[00-08],login1` to names, and back.

The trap: `n[0-999999999]` is eleven characters. Nothing here makes more than MOST names.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product

from trainwatch.core.patterns import pattern

MOST = 65_536  # what one list may hold; the largest machines have some tens of thousands of nodes

_LONGEST = 4 * 1024 * 1024  # characters of a list
_MOST_DIGITS = 9
_PARTS = pattern(r"\[([^\[\]]*)\]|([^\[\],\s]+)")
_RANGE = pattern(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_NUMBERED = pattern(r"(.*?)([0-9]+)([^0-9]*)", re.DOTALL)
_BARE = pattern(r"[^\[\],\s]+")


def expand(text: str) -> tuple[str, ...]:
    """The names of a list, in its order; none for an empty one.

    Raises ValueError for what is not a list of nodes, and for one of more than MOST names.
    """
    if len(text) > _LONGEST:
        raise ValueError("the list of nodes is too long")
    names: list[str] = []
    for item in _items(text):
        parts, size = list[Sequence[str]](), 1
        for options in _options(item):
            parts.append(options)
            size *= len(options)
            if len(names) + size > MOST:
                raise ValueError(f"more than {MOST} nodes in one list")
        names.extend("".join(chosen) for chosen in product(*parts))
    return tuple(names)


def fold(names: Iterable[str]) -> str:
    """A list that `expand` turns into the same names in the same order; the shortest if they are `in_order`.

    Raises ValueError for a name that holds brackets, commas or blanks, or is empty.
    """
    folded: list[str] = []
    for (head, tail, numbered), group in groupby(map(_split, names), key=_kind):
        parts = list(group)
        numbers = [number for _, number, _ in parts if number is not None]
        if not numbered:
            folded.extend(name for name, _, _ in parts)
            continue
        ranges = list(_ranges(numbers))
        single = len(ranges) == 1 and "-" not in ranges[0]
        folded.append(f"{head}{ranges[0] if single else '[' + ','.join(ranges) + ']'}{tail}")
    return ",".join(folded)


def is_name(text: str) -> bool:
    """Whether it is one node's name: not empty, without brackets, commas and blanks."""
    return _BARE.fullmatch(text) is not None


def in_order(names: Iterable[str]) -> list[str]:
    """Each name once, `n2` before `n10`."""
    return sorted(set(names), key=_rank)


def _items(text: str) -> Iterator[str]:
    """The parts between the commas that stand outside of brackets."""
    if not text:
        return
    depth = begin = 0
    for at, sign in enumerate(text):
        if sign == "[":
            depth += 1
        elif sign == "]":
            depth -= 1
        elif sign == "," and not depth:
            yield text[begin:at]
            begin = at + 1
        if depth not in (0, 1):
            raise ValueError("brackets that do not match in a list of nodes")
    if depth:
        raise ValueError("a list of nodes that is cut off")
    yield text[begin:]


def _options(item: str) -> Iterator[Sequence[str]]:
    """What stands in each place of `r[1-3]n5`: `r`; `1`, `2`, `3`; `n5`."""
    at = 0
    while at < len(item):
        match = _PARTS.match(item, at)
        if match is None:
            raise ValueError("a name of a node with a blank in it")
        yield [match[2]] if match[1] is None else _numbers(match[1])
        at = match.end()
    if not at:
        raise ValueError("a name of a node that is empty")


def _numbers(text: str) -> list[str]:
    """`00-02,7` as `00`, `01`, `02`, `7`: as wide as the first of a range is."""
    numbers: list[str] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError("a range of nodes that is not one")
        low, high = int(match[1]), int(match[2] or match[1])
        if high < low or len(numbers) + high - low >= MOST:
            raise ValueError("a range of nodes that is backwards or too long")
        width = len(match[1])
        numbers.extend(f"{number:0{width}d}" for number in range(low, high + 1))
    return numbers


def _split(name: str) -> tuple[str, str | None, str]:
    """What stands before the last number, that number, and what stands behind it."""
    if _BARE.fullmatch(name) is None:
        raise ValueError("a name of a node that is empty or holds brackets, commas or blanks")
    match = _NUMBERED.fullmatch(name)
    if match is None or len(match[2]) > _MOST_DIGITS:
        return name, None, ""
    return match[1], match[2], match[3]


def _kind(parts: tuple[str, str | None, str]) -> tuple[str, str, bool]:
    return parts[0], parts[2], parts[1] is not None


def _ranges(numbers: list[str]) -> Iterator[str]:
    first = last = numbers[0]
    for number in [*numbers[1:], ""]:
        if number and _follows(last, number):
            last = number
            continue
        yield first if first == last else f"{first}-{last}"
        first = last = number


def _follows(last: str, number: str) -> bool:
    """Whether a range that reaches `last` would print `number` next."""
    same_width = len(number) == len(last) or not (last.startswith("0") or number.startswith("0"))
    return same_width and int(number) == int(last) + 1


def _rank(name: str) -> tuple[str, str, int, str]:
    head, number, tail = _split(name)
    return head, tail, int(number or 0), name
