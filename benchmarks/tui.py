"""The screen on a run of 1,000,000 iterations: first paint, a frame, and what it costs while nothing changes.

The trap: the first paint counts from the start of the process to the moment a terminal has the iteration.
"""

import asyncio
import fcntl
import os
import pty
import select
import shlex
import shutil
import statistics
import struct
import subprocess
import tempfile
import termios
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import TRAINWATCH, Claim
from trainwatch.adapters.store import StoreWriter
from trainwatch.app.config import Settings
from trainwatch.app.wire import Site
from trainwatch.core.columns import Columns
from trainwatch.core.model.snapshot import Snapshot, Wanted

ROWS = 1_000_000
SIZES = ((80, 24), (120, 40), (200, 60))
_STARTS = 5
_FRAMES = 40
_IDLE_S = 20.0
_SETTLE_S = 6.0


def main() -> None:
    """Measure, and print a line a figure."""
    for claim in claims():
        sign = {True: "ok", False: "MISSED", None: "-"}[claim.holds]
        print(f"{sign:<7}{claim.what:<52}{claim.measured:<34}{claim.asked}")


def claims() -> list[Claim]:
    """The figures of the screen."""
    with tempfile.TemporaryDirectory() as folder:
        log, state_dir = Path(folder) / "main_log.txt", Path(folder) / "state"
        prepare(log, state_dir)
        found = [_first_paint(log, state_dir), _in_tmux(log, state_dir), _with_data(log, state_dir)]
        found += [_frame(log, state_dir, size) for size in SIZES]
        return [*found, *_idle(log, state_dir)]


def prepare(log: Path, state_dir: Path, rows: int = ROWS) -> None:
    """A store of so many iterations, and the log that its watcher would have read last."""
    log.write_text("".join(_line(n, rows) for n in range(rows - 2000, rows + 1)))
    site = Site(Settings(), state_dir)
    run = site.run_of(str(log))
    watched = site.watched(run)
    while watched.tick(time.time(), 0.0):
        pass
    state, status = watched.state, watched.status(time.time())
    watched.close()
    store = StoreWriter(site.folder(run))
    saved = store.load()
    if saved is None:
        raise RuntimeError("the store that was just written is empty")
    store.start_over()
    table = columns(rows)
    for start in range(0, rows - 1, 100_000):
        store.commit(table.slice(start, min(start + 100_000, rows - 1)), (), state, saved.mark)
    store.publish(status)
    store.close()


def columns(rows: int) -> Columns:
    """History as a long run leaves it: noise, a few spikes, a loss that was NaN, ten attempts."""
    from array import array

    random = np.random.default_rng(0)
    x = np.arange(1.0, rows + 1)
    values = {
        "iteration": x,
        "attempt": np.floor(x / (rows / 10)),
        "at_s": 1.7e9 + 5 * x,
        "step_time_s": random.normal(5, 0.05, rows),
        "loss": 1.9 + 9 * np.exp(-x / (rows * 0.02)) + random.normal(0, 0.04, rows),
        "grad_norm": np.abs(random.normal(0.2, 0.05, rows)),
        "learning_rate": 6e-5 * (1 - x / rows),
        "global_batch_size": np.full(rows, 2048.0),
        "consumed_samples": 2048 * x,
        "flags": np.zeros(rows),
    }
    values["loss"][777_777 % rows] = np.nan
    values["flags"][777_777 % rows] = 1.0
    return Columns({name: array("d", v.tobytes()) for name, v in values.items()}, rows)


def _line(n: int, rows: int) -> str:
    return (
        f" iteration {n:8d}/{rows * 2:8d} | consumed samples: {n * 2048:12d} | "
        f"elapsed time per iteration (ms): 5000.0 | learning rate: 6.000E-05 | "
        f"global batch size: 2048 | lm loss: 1.900000E+00 | grad norm: 0.200 | "
        f"number of skipped iterations: 0 | number of nan iterations: 0 |\n"
    )


def _first_paint(log: Path, state_dir: Path) -> Claim:
    """In a terminal of its own (a pty): from the start of the process to the iteration on the screen."""
    times = []
    for _ in range(_STARTS):
        with _Terminal(_command(log, state_dir), (200, 60)) as terminal:
            times.append(terminal.wait_for(f"{ROWS:,}".encode()))
    return _claim("first paint, process start to iteration shown", times, 1.0)


def _with_data(log: Path, state_dir: Path) -> Claim:
    """The same, until the charts are drawn, too."""
    times = []
    for _ in range(_STARTS):
        with _Terminal(_command(log, state_dir), (200, 60)) as terminal:
            times.append(terminal.wait_for("⣿".encode()))
    return _claim("first full paint, with four charts at 200x60", times, 1.0)


def _in_tmux(log: Path, state_dir: Path) -> Claim:
    if shutil.which("tmux") is None:
        return Claim("first paint in tmux", "no tmux here", "< 1 s", None)
    times = [_tmux_start(log, state_dir, number) for number in range(_STARTS)]
    return _claim("first paint in tmux", times, 1.0)


def _tmux_start(log: Path, state_dir: Path, number: int) -> float:
    tmux = ("tmux", "-L", f"trainwatch-bench-{os.getpid()}-{number}")
    command = shlex.join(_command(log, state_dir))
    session = (*tmux, "-f", os.devnull, "new-session", "-d", "-x", "200", "-y", "60", command)
    began = time.perf_counter()
    subprocess.run(session, check=True)
    try:
        while time.perf_counter() - began < 20:
            capture = subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, check=True)
            shown = capture.stdout.decode()
            if f"{ROWS:,} / " in shown and "⣿" in shown:
                return time.perf_counter() - began
            time.sleep(0.02)
        raise RuntimeError("the screen did not show the iteration within 20 s")
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


def _frame(log: Path, state_dir: Path, size: tuple[int, int]) -> Claim:
    """Zooming and panning over all of history: CPU time of a frame, everything that Textual does included."""
    times = sorted(asyncio.run(_frames(log, state_dir, size)))
    median, slow = statistics.median(times), times[int(0.95 * len(times))]
    measured = f"{median * 1e3:.1f} ms (95 %: {slow * 1e3:.1f} ms)"
    return Claim(f"a frame, zoom and pan at {size[0]}x{size[1]}", measured, "< 16 ms", slow < 0.016)


async def _frames(log: Path, state_dir: Path, size: tuple[int, int]) -> list[float]:
    from trainwatch.app.tui.app import ScreenApp
    from trainwatch.app.tui.chart.group import Charts

    site = Site(Settings(), state_dir)
    source = _Still(site.screen(site.run_of(str(log))))
    app, times = ScreenApp(source), []
    async with app.run_test(size=size) as pilot:
        while len(app.query_one(Charts).traces) < len(app.query_one(Charts).wanted()):
            await pilot.pause(0.05)
        charts = app.query_one(Charts)
        for number in range(_FRAMES):
            await pilot.pause(0.05)
            began = time.process_time()
            (charts.action_zoom if number % 2 else charts.action_pan)(1.02 if number % 2 else -0.01)
            await pilot.pause(0)
            app.screen._compositor.render_update(full=False)
            times.append(time.process_time() - began)
    return times[4:]


class _Still:
    """A source whose run is read once: nothing is watched in the process that is measured."""

    def __init__(self, source: object) -> None:
        self._source = source
        self._seen: tuple[Wanted, Snapshot] | None = None

    def read(self, wanted: Wanted) -> Snapshot:
        if self._seen is None or self._seen[0] != wanted:
            self._seen = (wanted, self._source._read(wanted, time.time()))  # type: ignore[attr-defined]
        return self._seen[1]

    def find(self, *_: object) -> None:
        return None


def _idle(log: Path, state_dir: Path) -> list[Claim]:
    """While nothing changes: CPU, and what goes over the line."""
    with _Terminal(_command(log, state_dir), (120, 40)) as terminal:
        terminal.wait_for(f"{ROWS:,}".encode())
        terminal.read_for(_SETTLE_S)
        before = terminal.cpu_s()
        received = terminal.read_for(_IDLE_S)
        share = (terminal.cpu_s() - before) / _IDLE_S
        memory_mb = terminal.peak_mb()
    cpu = f"{share * 100:.2f} % of a core"
    return [
        Claim("nothing changes: CPU", cpu, "< 1 %", share < 0.01),
        Claim(
            "nothing changes: sent to the terminal",
            f"{received} bytes in {_IDLE_S:.0f} s",
            "",
            None,
        ),
        Claim("memory, watching with it", f"{memory_mb:.0f} MB", "", None),
    ]


def _command(log: Path, state_dir: Path) -> list[str]:
    return [*TRAINWATCH, "tui", "--state-dir", str(state_dir), str(log)]


def _claim(what: str, times: list[float], most_s: float) -> Claim:
    median = statistics.median(times)
    measured = f"{median * 1e3:.0f} ms (worst {max(times) * 1e3:.0f} ms)"
    return Claim(what, measured, f"< {most_s:g} s", median < most_s)


class _Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command: list[str], size: tuple[int, int]) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self._began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)
        self._ours = ours
        self._seen = b""

    def __enter__(self) -> "_Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        os.write(self._ours, b"q")
        self.read_for(0.5)
        self._process.terminate()
        self.read_for(0.2)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
        os.close(self._ours)

    def wait_for(self, text: bytes) -> float:
        """Seconds from the start until it was written."""
        while text not in self._seen:
            if time.perf_counter() - self._began > 30:
                raise RuntimeError(f"{text.decode()} was not shown within 30 s")
            self._read(0.05)
        return time.perf_counter() - self._began

    def read_for(self, seconds: float) -> int:
        """Bytes that came within so many seconds."""
        end, count = time.perf_counter() + seconds, 0
        while (left := end - time.perf_counter()) > 0:
            count += self._read(min(left, 0.5))
        return count

    def cpu_s(self) -> float:
        """CPU time it took so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self) -> float:
        """The most memory it had."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

    def _read(self, wait_s: float) -> int:
        if not select.select([self._ours], [], [], wait_s)[0]:
            return 0
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # the program has ended
            return 0
        self._seen = (self._seen + data)[-1_000_000:]
        return len(data)


if __name__ == "__main__":
    main()
