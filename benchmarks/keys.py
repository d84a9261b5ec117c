"""From a key to the paint that it causes, in a terminal, while the log that is watched grows fast.

The trap: an update of the log sends bytes, too. So what the terminal shows is followed, and for each key
there is a part of the screen that it alone changes. Time in which the screen's own thread was ready to run
and had no core, as others had them, is taken off: on a machine of its own it is none.
"""

import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, cycle, islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import TRAINWATCH, Claim, environment
from benchmarks.shown import Shown
from benchmarks.terminal import Terminal
from trainwatch.simulate.bulk import REALISTIC, blocks
from trainwatch.simulate.scenarios import SCENARIOS

MB = 1024 * 1024
SIZES = ((120, 40), (200, 60))
KEYS = 200  # that are timed, in turn
_BEFORE_BYTES = 20 * MB  # in the log when the screen opens
_BYTES_PER_S = 5 * MB
_PART_S = 0.02  # the log grows so often
_PAUSES_S = (0.05, 0.4)  # between a paint and the next key
_SETTLE_S = 4.0
_DEADLINE_S = 10.0  # a key whose effect is not seen by then has none
_MOST_S = 0.05
_GROW = "import sys; from benchmarks import keys; keys.grow(*sys.argv[1:])"
_CURSOR = re.compile(r" at ([\d,]+) [─━]")
_TITLES = ("── loss ", "━━ loss ", "── 1 loss ", "━━ 1 loss ")  # a wide one names others, too


class Key(NamedTuple):
    """What is sent, and the part of the screen that it alone changes."""

    sent: bytes
    part: Callable[[Shown], object]


def _cursor(shown: Shown) -> object:
    """The iteration under the cursor, in the first chart's title."""
    found = (_CURSOR.search(row) for row in shown.rows if row.startswith(_TITLES))
    return next((at[1] for at in found if at), None)


def _axis(shown: Shown) -> object:
    """The iterations below the lowest chart: they stand still while the view is not at its end."""
    return shown.rows[_tabs(shown) - 1]


def _follows(shown: Shown) -> object:
    return "following" in shown.rows[_tabs(shown)]


def _hints(shown: Shown) -> object:
    return shown.rows[-1]


def _tabs(shown: Shown) -> int:
    """The row with the names of the panels below."""
    return next(n for n, row in enumerate(shown.rows) if " log  Alerts" in row)


_LEFT, _RIGHT = Key(b"\x1b[D", _cursor), Key(b"\x1b[C", _cursor)
_CLOSER, _FURTHER = Key(b"+", _axis), Key(b"-", _axis)
_TO_LOG, _TO_EVENTS, _TO_CHART = Key(b"l", _hints), Key(b"e", _hints), Key(b"\t", _hints)
_UP, _TO_END = Key(b"k", _follows), Key(b"G", _follows)
_IN_TURN = (
    *(_LEFT, _CLOSER, _LEFT, _FURTHER, _RIGHT, _LEFT, _CLOSER, _RIGHT, _FURTHER),
    *(_TO_LOG, _UP, _TO_END, _UP, _TO_END, _TO_EVENTS, _TO_CHART),
)
_FIRST = (*(_LEFT,) * 30, _CLOSER, _CLOSER)  # to where the view stands still


class Press(NamedTuple):
    """From a key to its paint, in s."""

    wall_s: float
    waited_s: float  # of it, that the screen's thread had no core

    @property
    def own_s(self) -> float:
        """What it takes on a machine of its own."""
        return self.wall_s - self.waited_s


def claims() -> Iterator[Claim]:
    """At each size; and beside it what the same keys take while the log stands still."""
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            at_rest, growing = _measured(Path(folder), size)
        slow_s = _slow([press.own_s for press in growing])
        walls = _told([press.wall_s for press in growing])
        measured = (
            f"{_told([press.own_s for press in growing])}; by the clock {walls}; "
            f"log at rest: {_told([press.own_s for press in at_rest])}"
        )
        what = f"key to paint at {size[0]}x{size[1]}, a log that grows at {_BYTES_PER_S // MB} MB/s"
        yield Claim(what, measured, f"95 % < {_MOST_S * 1e3:.0f} ms", slow_s < _MOST_S)


def _told(times: list[float]) -> str:
    return f"{statistics.median(times) * 1e3:.0f} ms (95 %: {_slow(times) * 1e3:.0f})"


def grow(log: str, before: str, bytes_per_s: str) -> None:
    """Write so many bytes, and once a line comes in go on at that pace for ever."""
    rate, size = float(bytes_per_s), int(before)
    text = chain.from_iterable(blocks(SCENARIOS["demo"], sys.maxsize, share=REALISTIC))
    with Path(log).open("ab", buffering=0) as file:
        file.write(bytes(islice(text, size)))
        print("written", flush=True)
        sys.stdin.readline()
        began, written = time.monotonic(), 0
        while True:
            written += file.write(bytes(islice(text, int(rate * _PART_S))))
            time.sleep(max(0.0, began + written / rate - time.monotonic()))


def _measured(folder: Path, size: tuple[int, int]) -> tuple[list[Press], list[Press]]:
    """Seconds from each key to its paint: while the log stands still, and while it grows."""
    log, luck = folder / "main_log.txt", random.Random(size[0])
    command = [*TRAINWATCH, "tui", "--state-dir", str(folder / "state"), str(log)]
    with _writer(log) as go_on, Terminal(command, size) as terminal:
        terminal.wait_for(b"following")
        hand = _Hand(terminal, Shown(size), luck)
        hand.rest(_SETTLE_S)
        for key in _FIRST:
            hand.press(key)
        at_rest = hand.play(KEYS // 2)
        go_on()
        hand.rest(_SETTLE_S)
        return at_rest, hand.play(KEYS)


@contextmanager
def _writer(log: Path) -> Iterator[Callable[[], None]]:
    """A process of its own that writes the log; it goes on once that is called."""
    words = [str(log), str(_BEFORE_BYTES), str(_BYTES_PER_S)]
    process = subprocess.Popen(
        [sys.executable, "-c", _GROW, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("it was asked for pipes")
    process.stdout.readline()
    try:
        yield lambda: print(file=process.stdin, flush=True)
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


class _Hand:
    """Presses keys, and sees what comes of them."""

    def __init__(self, terminal: Terminal, shown: Shown, luck: random.Random) -> None:
        self._terminal, self._shown, self._luck = terminal, shown, luck
        self._shown.take(terminal.seen)

    def rest(self, seconds: float) -> None:
        """Let the screen go on by itself."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._look(left)

    def play(self, count: int) -> list[Press]:
        """The keys in turn, at random moments; how long each took."""
        times = list[Press]()
        for key in islice(cycle(_IN_TURN), count):
            self.rest(self._luck.uniform(*_PAUSES_S))
            times.append(self.press(key))
        for key in _IN_TURN[count % len(_IN_TURN) :] if count % len(_IN_TURN) else ():
            self.press(key)  # to where the next turn begins
        return times

    def press(self, key: Key) -> Press:
        """How long its paint took. Raises RuntimeError where none comes."""
        before, waited = key.part(self._shown), self._terminal.waited_s()
        began = time.perf_counter()
        self._terminal.type(key.sent)
        while key.part(self._shown) == before:
            if time.perf_counter() > began + _DEADLINE_S:
                raise RuntimeError(f"the key {key.sent!r} had no effect within {_DEADLINE_S:.0f} s")
            came_at = self._look(_DEADLINE_S)
        return Press(came_at - began, self._terminal.waited_s() - waited)

    def _look(self, wait_s: float) -> float:
        """Take what comes next; when it came."""
        data, came_at = self._terminal.next(wait_s)
        self._shown.take(data)
        return came_at


def _slow(times: list[float]) -> float:
    """The 95th percentile."""
    return sorted(times)[int(0.95 * len(times))]
