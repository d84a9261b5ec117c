"""The screen on a run of 1,000,000 iterations: first paint, a frame, and what it costs while nothing changes.

The trap: the first paint counts from the start of the process to the moment a terminal has the iteration.
"""

import asyncio
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.long_run import ROWS, prepare
from benchmarks.measure import TRAINWATCH, Claim, environment
from benchmarks.terminal import Terminal
from trainwatch.app.config import Settings
from trainwatch.app.wire import Site
from trainwatch.core.model.snapshot import Snapshot, Wanted

SIZES = ((80, 24), (120, 40), (200, 60))
_STARTS = 9
_FRAMES = 40
_IDLE_S = 20.0
_SETTLE_S = 6.0
# Textual itself looks for keys ten times a second.
_EMPTY = "from textual.app import App; App().run()"
_ONE_WORD = """
from textual.app import App
from textual.widgets import Static
class OneWord(App):
    def compose(self):
        yield Static("ready")
OneWord().run()
"""


def claims() -> list[Claim]:
    """The figures of the screen."""
    with tempfile.TemporaryDirectory() as folder:
        log, state_dir = Path(folder) / "main_log.txt", Path(folder) / "state"
        prepare(log, state_dir)
        found = [_first_paint(log, state_dir), _in_tmux(log, state_dir), _with_data(log, state_dir)]
        found += [_frame(log, state_dir, size) for size in SIZES]
        return [*found, *_idle(log, state_dir)]


def _first_paint(log: Path, state_dir: Path) -> Claim:
    """In a terminal of its own (a pty): from the start of the process to the iteration on the screen."""
    shown = (_command(log, state_dir), f"{ROWS:,}")
    return beside_an_empty_app("first paint, process start to iteration shown", *shown)


def _with_data(log: Path, state_dir: Path) -> Claim:
    """The same, until the charts are drawn, too."""
    shown = (_command(log, state_dir), "⣿")
    return beside_an_empty_app("first full paint, with four charts at 200x60", *shown)


def beside_an_empty_app(what: str, command: list[str], shown: str, most_s: float = 1.0) -> Claim:
    """In turn with a Textual app that shows one word: what this machine takes for Textual alone."""
    times, empty = [], []
    for _ in range(_STARTS):
        times.append(_until(command, shown))
        empty.append(_until([sys.executable, "-c", _ONE_WORD], "ready"))
    claim = _claim(what, times, most_s)
    beside = f"{statistics.median(empty) * 1e3:.0f} ms, from {min(empty) * 1e3:.0f} ms"
    return claim._replace(measured=f"{claim.measured}; a Textual app of one word: {beside}")


def _until(command: list[str], shown: str) -> float:
    with Terminal(command, (200, 60)) as terminal:
        return terminal.wait_for(shown.encode())


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
    subprocess.run(session, check=True, env=environment())
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
    measured = f"{median * 1e3:.1f} ms (least {times[0] * 1e3:.1f}, 95 %: {slow * 1e3:.1f} ms)"
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

    def ask(self, *_: object) -> None:
        return None

    def hush(self) -> None:
        return None


def _idle(log: Path, state_dir: Path) -> list[Claim]:
    """While nothing changes: CPU, and what goes over the line; beside a Textual app that shows nothing."""
    with Terminal(_command(log, state_dir), (120, 40)) as terminal:
        terminal.wait_for(f"{ROWS:,}".encode())
        share, received = _at_rest(terminal)
        memory_mb = terminal.peak_mb()
    with Terminal([sys.executable, "-c", _EMPTY], (120, 40)) as terminal:
        empty, _ = _at_rest(terminal)
    cpu = f"{share * 100:.2f} % of a core (an empty Textual app: {empty * 100:.2f} %)"
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


def _at_rest(terminal: Terminal) -> tuple[float, int]:
    """The share of a core that it takes, and the bytes that it sends."""
    terminal.read_for(_SETTLE_S)
    before = terminal.cpu_s()
    received = terminal.read_for(_IDLE_S)
    return (terminal.cpu_s() - before) / _IDLE_S, received


def _command(log: Path, state_dir: Path) -> list[str]:
    return [*TRAINWATCH, "tui", "--state-dir", str(state_dir), str(log)]


def _claim(what: str, times: list[float], most_s: float) -> Claim:
    median = statistics.median(times)
    measured = f"{median * 1e3:.0f} ms (from {min(times) * 1e3:.0f} to {max(times) * 1e3:.0f} ms)"
    return Claim(what, measured, f"< {most_s:g} s", median < most_s)
