"""A whole log in blocks: the same as read in one piece, whatever the file holds; and in little memory."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

from trainwatch.app.reporting import scanning
from trainwatch.app.reporting.scanning import Whole, scan
from trainwatch.core.errors import LogUnreadable
from trainwatch.core.logs.lines import LONGEST
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import RunState
from trainwatch.core.run import Reader
from trainwatch.core.tally import of_run

LINE = (
    " iteration {n:8d}/    1000 | consumed samples: {s:12d} | elapsed time per iteration (ms): {ms:.1f} "
    "| learning rate: 1.0E-04 | global batch size:   512 | lm loss: 8.184724E+00 | loss scale: 1.0 | "
    "grad norm: 1.128 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)
NOISE = "node1:12:34 [0] NCCL INFO Channel 00 : 1[07000] -> 2[0b000] via P2P/IPC\n"
NOW = 4e9  # the files of these tests were not written to for long


def lines(first: int, last: int) -> bytes:
    text = (
        LINE.format(n=n, s=n * 512, ms=100 + n % 7) + NOISE * (n % 4) for n in range(first, last)
    )
    return "".join(text).encode()


def read(path: Path, *, ahead: bool = True, now: float = NOW) -> Whole:
    return scan(path, Scanner(), now=now, utc_offset_s=0.0, ahead=ahead)


def last_and_count(whole: Whole) -> tuple[int | None, int]:
    tally = of_run(whole.state)
    return tally.last_iteration, tally.records


@pytest.fixture(params=[True, False], ids=["ahead", "alone"])
def ahead(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "BLOCK_BYTES", 2 * LONGEST)


@pytest.mark.usefixtures("small_blocks")
def test_blocks_are_the_whole(tmp_path: Path, ahead: bool) -> None:
    path = tmp_path / "a.log"
    data = (
        lines(1, 9000) + b"[exiting program after 1190.03 minutes] datetime: 2021-08-08 01:00:51\n"
    )
    path.write_bytes(data)
    whole = read(path, ahead=ahead)
    chunk = LogChunk(at=NOW, path=str(path), data=data, live=False)
    at_once = Reader(Scanner()).advance(RunState(run="a", log=str(path)), chunk)
    assert whole.state == at_once.state
    times = [*at_once.rows.column("step_time_s"), whole.state.open.values["step_time_s"]]  # type: ignore[union-attr]
    assert whole.median_s == median(times)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("between", "why"),
    [
        (b"x" * 2_000_000 + b"\n", "a line without end"),
        (b"x" * 2_000_000 + b"\r", "one that a carriage return ends"),
        (b"\r".join(b"%d%%|##| %d/100" % (n, n) for n in range(100)) * 50 + b"\n", "bars"),
        (b"\0" * 100_000 + b"\n", "NULs"),
        (bytes(range(256)) * 500 + b"\n", "garbage"),
        (b"\n" * 50_000, "empty lines"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_between_does_not_matter(
    between: bytes, why: str, tmp_path: Path, ahead: bool
) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(lines(1, 100) + between + lines(100, 200) + between + lines(200, 300))
    assert last_and_count(read(path, ahead=ahead)) == (299, 299)


def test_a_hole_is_skipped(tmp_path: Path, ahead: bool) -> None:
    path = tmp_path / "a.log"
    with path.open("wb") as file:
        file.write(lines(1, 10))
        file.seek(3 << 30)
        file.write(b"\n" + lines(10, 20))
    whole = read(path, ahead=ahead)
    assert last_and_count(whole)[0] == 19


def test_nothing_is_behind_a_hole(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(lines(1, 10))
    os.truncate(path, 50 << 20)
    assert last_and_count(read(path)) == (9, 9)


@pytest.mark.parametrize(("now", "records"), [(NOW, 9), (0.0, 8)])
def test_a_last_line_without_an_end_counts_once_nobody_writes_on(
    now: float, records: int, tmp_path: Path, ahead: bool
) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(lines(1, 10).rstrip(b"\n"))
    os.utime(path, (1e9, 1e9)) if now == NOW else None
    path.write_bytes(
        b"".join(lines(n, n + 1).partition(b"\n")[0] + b"\n" for n in range(1, 10))[:-1]
    )
    assert last_and_count(read(path, ahead=ahead, now=now))[1] == records


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_what_is_no_log_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(LogUnreadable, match=r"a\.log"):
        read(path)


def test_a_large_log_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    block = lines(1, 1000)
    with path.open("wb") as file:
        for _ in range(60_000_000 // len(block)):
            file.write(block)
    code = (
        "import sys; from trainwatch.app.cli import run; run(['report', sys.argv[1]]); "
        "print(open('/proc/self/status').read(), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    (peak,) = (line for line in done.stderr.splitlines() if line.startswith("VmHWM:"))
    assert int(peak.split()[1]) < 60_000  # KiB


def test_a_read_that_hangs_is_given_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(lines(1, 10))
    monkeypatch.setattr(scanning, "DEADLINE_S", 0.01)
    reading, go_on = os.pipe()
    monkeypatch.setattr(scanning.Blocks, "next", lambda _: os.read(reading, 1))
    with pytest.raises(LogUnreadable, match="hangs"):
        read(path)
    os.write(go_on, b"x")
