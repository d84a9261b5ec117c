"""A whole log, read once from its beginning to its end.

The next block is read and searched for records in a thread while one is folded: both happen outside of
Python. The trap is memory that is given back and asked for again with every block (`_keep_heap`).
"""

import os
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from trainwatch.app.logfile import check_log
from trainwatch.app.probe import Probe
from trainwatch.core.errors import LogUnreadable
from trainwatch.core.logs.lines import LONGEST, cut
from trainwatch.core.logs.scan import Marked, Scanner
from trainwatch.core.means import LOGGED, Means
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import RunState
from trainwatch.core.run import Reader
from trainwatch.core.spread import Spread

# Large, as each hand-over between two threads costs time; with more, only memory grows (benchmarks/scan.py).
BLOCK_BYTES = 4 * 1024 * 1024
DEADLINE_S = 60.0  # reading a block for so long is hanging
SETTLED_S = 120.0  # a last line without an end counts in a file that was not written to for so long
# A thread asks for Python after so long: it searches outside of Python, and needs little of it between.
_PATIENCE_S = 5e-5
_HEAP_BYTES = 31 * 1024 * 1024  # glibc learns nothing from 32 MB and more


class Whole(NamedTuple):
    """What a log came to."""

    state: RunState
    median_s: float | None  # of the step times
    logged: dict[str, float]  # means of what the records say of their speed themselves


class Block(NamedTuple):
    """Complete lines, searched for records, and where they begin in the file."""

    marked: Marked
    offset: int
    end: int


def scan(
    path: Path,
    scanner: Scanner,
    *,
    now: float,
    utc_offset_s: float,
    ahead: bool = True,
    told: Callable[[int], None] = lambda read: None,
) -> Whole:
    """Read a log. `ahead` uses a second thread; `told` hears of each block how many bytes it had.

    Raises LogUnreadable.
    """
    check_log(path)
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise LogUnreadable(f"{path}: {error.strerror}") from error
    try:
        whole = Blocks(file, scanner, now)
        blocks = _ahead(path, whole) if ahead else iter(whole)
        return _fold(path, blocks, scanner, now, utc_offset_s, told)
    except OSError as error:
        raise LogUnreadable(f"{path}: {error.strerror}") from error
    finally:
        os.close(file)


def _fold(
    path: Path,
    blocks: Iterator[Block],
    scanner: Scanner,
    now: float,
    utc_offset_s: float,
    told: Callable[[int], None],
) -> Whole:
    reader = Reader(scanner, utc_offset_s=utc_offset_s, keep=("step_time_s", *LOGGED))
    state, spread, means, offset = RunState(run=path.stem, log=str(path)), Spread(), Means(), 0
    for block in blocks:
        chunk = LogChunk(at=now, path=str(path), data=b"", offset=block.offset, live=False)
        step = reader.advance(state, chunk, block.marked)
        state = step.state
        if step.rows.rows:
            spread.add(step.rows.column("step_time_s"))
            means.add(step.rows)
        told(block.end - offset)
        offset = block.end
    last = state.open.values if state.open else {}
    means.add_row(last)
    if "step_time_s" in last:
        spread.add(array("d", (last["step_time_s"],)))
    return Whole(state, spread.median(), means.means())


class Blocks:
    """The complete lines of a file, block after block."""

    def __init__(self, file: int, scanner: Scanner, now: float) -> None:
        self._file, self._scanner, self._now = file, scanner, now
        self._offset, self._in_long_line, self._over = 0, False, False
        _keep_heap()

    def __iter__(self) -> Iterator[Block]:
        while (block := self.next()) is not None:
            yield block

    def next(self) -> Block | None:
        """The next lines; None behind the last."""
        if self._over:
            return None
        data = self._read()
        end = data.rfind(b"\n")
        if end < 1 or self._in_long_line:
            return self._odd(data[1:])
        return self._block(data, end, 0, end)

    def _read(self) -> bytes:
        """What comes next, behind the line end that is before it."""
        if self._offset == 0:
            return b"\n" + os.pread(self._file, BLOCK_BYTES, 0)
        data = os.pread(self._file, BLOCK_BYTES, self._offset - 1)
        return data if data.startswith(b"\n") else b"\n" + data[1:]

    def _block(self, lines: bytes, end: int, start: int, used: int) -> Block:
        offset, self._offset = self._offset + start, self._offset + used
        return Block(self._scanner.mark_block(lines, end), offset, self._offset)

    def _odd(self, data: bytes) -> Block | None:
        """No newline in a whole block: the end of the file, an endless line, a hole, a bar."""
        if data and not data.strip(b"\0") and self._skip_hole(self._offset + len(data)):
            return self.next()
        found = cut(data, self._in_long_line, at_end=len(data) < BLOCK_BYTES - 1)
        self._in_long_line = found.in_long_line
        if found.used:
            return self._block(b"\n" + found.lines, len(found.lines), found.start, found.used)
        self._over = True
        return self._rest(data.rstrip(b"\0")[:LONGEST])

    def _rest(self, line: bytes) -> Block | None:
        """The last line, where it has no end and nobody writes on at it."""
        if not line or self._now - os.fstat(self._file).st_mtime < SETTLED_S:
            return None
        return self._block(b"\n" + line + b"\n", len(line) + 1, 0, len(line))

    def _skip_hole(self, end: int) -> bool:
        """A sparse file reads as NULs where nothing was written: go on where something was."""
        try:
            self._offset = os.lseek(self._file, end, os.SEEK_DATA)
        except OSError:
            return False  # nothing behind it, or a filesystem that cannot tell
        self._in_long_line = False
        return True


def _ahead(path: Path, blocks: Blocks) -> Iterator[Block]:
    """The blocks, each next one prepared while the one before is looked at."""
    probe, patience_s = Probe(lambda: (blocks.next(),)), sys.getswitchinterval()
    sys.setswitchinterval(_PATIENCE_S)
    try:
        while True:
            answer = probe.answer(DEADLINE_S)
            if answer is None:
                raise LogUnreadable(f"{path}: reading it hangs; does its filesystem answer?")
            if answer[0] is None:
                return
            probe.ask()
            yield answer[0]
    finally:
        probe.close()
        sys.setswitchinterval(patience_s)


def _keep_heap() -> None:
    """Let the allocator keep freed blocks for the next ones.

    glibc maps a block of this size anew each time, or gives it back from the top of the heap, and 60,000
    page faults take as long as searching 256 MB. Freeing a large block teaches it otherwise; nobody
    writes to it (its zeros are the system's), so it costs neither memory nor time.
    """
    bytes(_HEAP_BYTES)
