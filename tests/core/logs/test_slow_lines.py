"""No line is slow, however hostile: patterns that look back over and over would hang the watcher.

The trap: an ordinary pattern such as `a\\s*b?\\s*c` takes hours on 64 KB of blanks. Thousands of lines are
tried at a quarter of the length a line may have, some at all of it: read in linear time a quarter costs
a few milliseconds, in quadratic time a sixteenth of what the whole line would.
"""

import re
import time
from collections.abc import Callable, Iterator

import pytest

from tests.core.logs.making import iteration, log
from tests.core.logs.reading import expand
from tests.core.logs.test_table import LINES
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.logs.text import LONGEST_LINE

LIMIT_S = 1.0  # of CPU, for the longest line: tens of times what it takes
PARTS = 4
LENGTH = LONGEST_LINE // PARTS
FILLS = (" ", "a", "1,", "|", ": ")
TRIES = 5  # a machine that is shared charges us for its own pauses now and then, never each time


def hostile(line: str, length: int = LENGTH) -> Iterator[str]:
    """The line over and over, and the line with a long run of something in it."""
    yield line * (length // len(line))
    yield (line + " ") * (length // (len(line) + 1))
    for place in (0, len(line) // 2, len(line)):
        head, tail = line[:place], line[place:]
        if place:
            yield head * (length // len(head) - 1) + line
        for fill in FILLS:
            run = fill * ((length - len(line)) // len(fill))
            yield head + run + tail


def within(limit_s: float, act: Callable[[], object]) -> bool:
    """Whether it takes no more CPU than this, the best of a few tries."""
    for _ in range(TRIES):
        began = time.process_time()
        act()
        if time.process_time() - began < limit_s:
            return True
    return False


@pytest.mark.parametrize("name", LINES)
def test_no_line_is_slow(name: str) -> None:
    scanner = Scanner()

    def read(made: str, limit_s: float) -> None:
        data = made.encode()
        assert within(limit_s, lambda: expand(scanner, data)), (line, made[:200], made[-200:])

    for line in LINES[name]:
        for made in hostile(line):
            read(made, LIMIT_S / PARTS**2)
    line = LINES[name][0]
    for made in hostile(line, LONGEST_LINE):
        read(made, LIMIT_S)


def test_a_slow_pattern_would_be_seen() -> None:
    """The textbook one: blanks that either side may take."""
    slow = re.compile(r"\s*=?\s*x")
    made = next(made for made in hostile("step = 1") if " " * 1000 in made)
    assert not within(LIMIT_S / PARTS**2, lambda: slow.match(made))


HOSTILE = {
    "a line of 16 MB": b"x" * 2**24,
    "a line of 16 MB full of records": b" elapsed time per iteration (ms): 1 |" * (2**24 // 37),
    "ten thousand needles on a line": b"saving checkpoint at iteration 1 " * 10_000,
    "ten thousand iterations on a line": log([iteration(1)]).strip() * 10_000,
    "many empty lines": b"\n" * 200_000,
    "many short lines": b"it/s\n" * 200_000,
    "many carriage returns": b"1\r" * 200_000,
    "escapes": b"\x1b[" * 500_000,
    "escapes that never end": (b"\x1b]" + b"x" * 600) * 2_000,
    "zeros": b"\0" * 2_000_000,
    "random bytes of every kind": bytes(range(256)) * 10_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("learned", [False, True])
def test_no_block_is_slow(name: str, learned: bool) -> None:
    known = log(iteration(n) for n in range(1, 20)) if learned else b""

    def read() -> None:
        """Each try as the first: what a try learns must not help the next."""
        scanner = Scanner()
        expand(scanner, known)
        expand(scanner, HOSTILE[name])

    assert within(5.0, read)


def test_a_line_of_needles_behind_a_learned_layout_takes_no_memory() -> None:
    """Each place on a line stands for a copy of the line, if nobody looks out."""
    scanner = Scanner()
    expand(scanner, log(iteration(n) for n in range(1, 20)))
    line = b" elapsed time per iteration (ms): 1 |" * 10_000
    assert expand(scanner, line) == []
    assert within(1.0, lambda: expand(scanner, line))
