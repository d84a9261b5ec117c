"""The screen of 500 runs of 100,000 iterations each: first paint, a refresh, scrolling, and memory.

The trap: 500 histories are gigabytes. One is written, and the others' columns are links to its files: what is
read of each, its status and the end of two columns, is the same.
"""

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from benchmarks import tui
from benchmarks.long_run import prepare
from benchmarks.measure import TRAINWATCH, Claim, environment, held_mb
from trainwatch.adapters.store import StoreReader
from trainwatch.app import wirefleet
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.wire import Site
from trainwatch.core.model.status import Alert, Status

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from trainwatch.app.tui.fleetapp import FleetApp

RUNS, ROWS = 500, 100_000
SIZES = ((80, 24), (200, 60))
_TURNS = 40
_MEMORY = "import sys; from benchmarks import fleet; fleet.held(*sys.argv[1:])"


def claims() -> list[Claim]:
    """The figures of the screen of all runs."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        config = made(root)
        found = [_first_paint(root, config)]
        for size in SIZES:
            found += asyncio.run(_on_the_screen(root, config, size))
        return [*found, _memory(root, config)]


def made(root: Path) -> Path:
    """So many runs as their watchers leave them, and the configuration that names them."""
    first, state_dir = root / "run-0.log", root / "state"
    prepare(first, state_dir, ROWS)
    site = Site(Settings(), state_dir)
    template = site.folder(site.run_of(str(first)))
    status = StoreReader(template).status()
    if status is None:
        raise RuntimeError("the store that was just written has no status")
    tables = list[str]()
    for number in range(RUNS):
        name = f"run-{number}"
        log = root / f"{name}.log"
        log.touch()
        _store(site.folder(RunSettings(log=str(log), name=name)), template, _of(status, number))
        tables.append(
            f'[[runs]]\nname = "{name}"\nproject = "project {number % 12}"\nlog = "{log}"\n'
        )
    config = root / "config.toml"
    config.write_text("\n".join(tables))
    return config


def held(config: str, state_dir: str) -> None:
    """Show all runs without a terminal, and print the most memory that took, in MB."""
    app = _app(Path(config), Path(state_dir))

    async def look() -> None:
        async with app.run_test(size=(200, 60)) as pilot:
            await _complete(app, pilot)
            for _ in range(20):
                await pilot.press("pagedown")
            await _complete(app, pilot)

    asyncio.run(look())
    print(held_mb())


def _of(status: Status, number: int) -> Status:
    """One of the runs: some are well, some are not."""
    health = ("ok", "ok", "ok", "warning", "critical", "unknown")[number % 6]
    alert = Alert(rule="stall", severity="critical", since=0.0, summary="no iteration for 43 min")
    return replace(
        status,
        run=f"run-{number}",
        health=health,
        iteration=ROWS - number,
        heartbeat_at=time.time(),
        silent_after_s=1e6,
        alerts=(alert,) if health == "critical" else (),
    )


def _store(folder: Path, template: Path, status: Status) -> None:
    if folder != template:
        shutil.copytree(template, folder, copy_function=os.link)
        (folder / "status.json").unlink()
    (folder / "status.json").write_bytes(msgspec.json.encode(status))


def _first_paint(root: Path, config: Path) -> Claim:
    """In a terminal of its own: from the start of the process to all runs, sorted and added up."""
    command = [*TRAINWATCH, "tui", "--config", str(config), "--state-dir", str(root / "state")]
    shown = f"{RUNS // 6} critical"
    return tui.beside_an_empty_app(f"{RUNS} runs: first paint of all", command, shown, 1.5)


async def _on_the_screen(root: Path, config: Path, size: tuple[int, int]) -> list[Claim]:
    """CPU time of everything that a refresh and a key cause, up to the update that is sent."""
    later = list[float]()  # as many seconds as it is after all
    app = _app(config, root / "state", lambda: time.time() + sum(later))
    async with app.run_test(size=size) as pilot:
        await _complete(app, pilot)
        app._fleet_feed.close()
        await pilot.pause(0.1)
        source = app._fleet_feed._source
        runs = app._screen_of_all.runs
        folders = sorted((root / "state/runs").iterdir())

        def get_on(number: int) -> None:
            """A tenth of the runs got on meanwhile."""
            for folder in folders[number % 10 :: 10]:
                _touch(folder / "status.json", number)

        def refresh() -> None:
            later.append(2.0)
            app._show_fleet(source.read(runs.in_view))

        page, step = partial(runs.action_page, 1), partial(runs.action_move, 3)
        shown, paged = [], []
        for number in range(_TURNS):
            get_on(number)
            shown.append(await _painted(app, pilot, refresh))
        for _ in range(_TURNS):
            paged.append(await _painted(app, pilot, page))
            runs.action_edge(0) if runs.at > RUNS - 100 else None
        stepped = [await _painted(app, pilot, step) for _ in range(_TURNS)]
    at = f"{RUNS} runs at {size[0]}x{size[1]}"
    return [
        _claim(f"{at}: a refresh, a tenth of them changed", shown, 0.05),
        _claim(f"{at}: a page further", paged, 0.05),
        _claim(f"{at}: three rows further", stepped, 0.05),
    ]


async def _painted(app: "FleetApp", pilot: "Pilot[None]", act: Callable[[], None]) -> float:
    """CPU time from what is done to the update that is sent."""
    await pilot.pause(0.02)
    began = time.process_time()
    act()
    await pilot.pause(0)
    app.screen._compositor.render_update(full=False)
    return time.process_time() - began


def _touch(path: Path, number: int) -> None:
    status = msgspec.json.decode(path.read_bytes(), type=Status)
    path.write_bytes(msgspec.json.encode(replace(status, iteration=ROWS + number)))


async def _complete(app: "FleetApp", pilot: "Pilot[None]") -> None:
    while not app.fleet.rows or not app.complete:
        await pilot.pause(0.05)


def _app(config: Path, state_dir: Path, now: Callable[[], float] = time.time) -> "FleetApp":
    from trainwatch.app import config as configs
    from trainwatch.app.tui.fleetapp import FleetApp

    site = Site(configs.load(config), state_dir)
    return FleetApp(wirefleet.fleet(site, now=now), lambda row: wirefleet.opened(site, row))


def _memory(root: Path, config: Path) -> Claim:
    command = [sys.executable, "-c", _MEMORY, str(config), str(root / "state")]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    most_mb = float(said.stdout)
    return Claim(f"{RUNS} runs: memory", f"{most_mb:.0f} MB", "< 200 MB", most_mb < 200)


def _claim(what: str, times: list[float], most_s: float) -> Claim:
    ordered = sorted(times)
    median, slow = statistics.median(ordered), ordered[int(0.95 * len(ordered))]
    measured = f"{median * 1e3:.1f} ms (95 %: {slow * 1e3:.1f} ms)"
    return Claim(what, measured, f"< {most_s * 1e3:.0f} ms", slow < most_s)
