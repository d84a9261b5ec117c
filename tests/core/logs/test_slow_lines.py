"""No line is slow, however hostile: patterns that look back over and over would hang the watcher.

The trap: an ordinary pattern such as `a\\s*b?\\s*c` takes hours on 64 KB of blanks. Every line here is as
long as a line may be; read in linear time each costs a few milliseconds, in quadratic time seconds.
"""

import time
from collections.abc import Iterator

import pytest

from tests.core.logs.making import iteration, log
from tests.core.logs.reading import expand
from tests.core.logs.test_table import LINES
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.logs.text import LONGEST_LINE

LIMIT_S = 1.0  # of CPU, for one line: a hundred times what it takes
FILLS = (" ", "a", "1,", "|", ": ")


def hostile(line: str) -> Iterator[str]:
    """The line over and over, and the line with a long run of something in it."""
    yield line * (LONGEST_LINE // len(line))
    yield (line + " ") * (LONGEST_LINE // (len(line) + 1))
    for place in (0, len(line) // 2, len(line)):
        head, tail = line[:place], line[place:]
        if place:
            yield head * (LONGEST_LINE // len(head) - 1) + line
        for fill in FILLS:
            run = fill * ((LONGEST_LINE - len(line)) // len(fill))
            yield head + run + tail


@pytest.mark.parametrize("name", LINES)
def test_no_line_is_slow(name: str) -> None:
    scanner = Scanner()
    for line in LINES[name]:
        for made in hostile(line):
            began = time.process_time()
            expand(scanner, made.encode())
            assert time.process_time() - began < LIMIT_S, (line, made[:200], made[-200:])


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
    scanner = Scanner()
    if learned:
        expand(scanner, log(iteration(n) for n in range(1, 20)))
    data = HOSTILE[name]
    began = time.process_time()
    expand(scanner, data)
    assert time.process_time() - began < 5.0


def test_a_line_of_needles_behind_a_learned_layout_takes_no_memory() -> None:
    """Each place on a line stands for a copy of the line, if nobody looks out."""
    scanner = Scanner()
    expand(scanner, log(iteration(n) for n in range(1, 20)))
    line = b" elapsed time per iteration (ms): 1 |" * 10_000
    began = time.process_time()
    assert expand(scanner, line) == []
    assert time.process_time() - began < 1.0
