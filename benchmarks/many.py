"""One daemon over many runs, with its usual interval and real stores: at rest, and while all logs grow.

The trap: what a busy run costs is what is left when the cost of watching quiet ones is taken off. CPU time
counts, not how long anything took: a machine that is shared drifts.
"""

import signal
import subprocess
import tempfile
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from benchmarks import long_run
from benchmarks.measure import TRAINWATCH, Claim, cpu_s, environment, held_mb
from trainwatch.adapters.store import files, history
from trainwatch.adapters.store.writer import StoreWriter
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.wire import Site
from trainwatch.core.model.state import RECENT_ROWS
from trainwatch.simulate.bulk import REALISTIC, blocks
from trainwatch.simulate.scenarios import SCENARIOS

RUNS, ROWS = (10, 100, 500), 100_000
KB, MB = 1024, 1024 * 1024
_READ_BYTES = 256 * KB  # of each log, before the daemon starts
_STRETCH_S = 60.0  # ticks and heartbeats of all runs fall into it several times
_APPENDED_BYTES_PER_S = 2 * KB  # to each log
_PART_S, _TURNS = 5.0, 10  # a tenth of the logs at a time
_OPTIONS = ""  # of the configuration: none, as of who has none
_DEADLINE_S = 300.0
_MOST_SHARE, _MOST_MB, _MOST_RATIO = 0.03, 150.0, 1.5


class Cost(NamedTuple):
    """What so many runs cost."""

    start_s: float  # until every one was looked at
    quiet: float  # share of a core, while nothing is written
    one_busy: float  # share of a core, while one of them is written to
    busy_s_per_mb: float  # CPU time for each MB that is appended, beyond the quiet cost
    peak_mb: float


def claims() -> Iterator[Claim]:
    """The figures of each size, and how the smallest compares with the largest."""
    costs = list[Cost]()
    for runs in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            costs.append(cost := _cost(Path(folder), runs))
        yield from _claims(runs, cost, most=runs == RUNS[-1])
    ratio = costs[-1].busy_s_per_mb / max(costs[0].busy_s_per_mb, 1e-3)
    what = f"what a busy run's MB costs among {RUNS[-1]}, and among {RUNS[0]}"
    yield Claim(what, f"{ratio:.2f} x", f"at most {_MOST_RATIO:g} x", ratio <= _MOST_RATIO)


def _claims(runs: int, cost: Cost, *, most: bool) -> Iterator[Claim]:
    """What is asked for is asked of the largest number of runs."""
    share, memory = f"{cost.quiet:.2%} of a core", f"{cost.peak_mb:.0f} MB"
    sound = (cost.quiet < _MOST_SHARE, cost.peak_mb < _MOST_MB) if most else (None, None)
    yield Claim(f"{runs} runs: until all are watched", f"{cost.start_s:.1f} s", "", None)
    yield Claim(f"{runs} quiet runs: CPU", share, f"under {_MOST_SHARE:.0%}", sound[0])
    yield Claim(f"{runs} runs, one of them busy: CPU", f"{cost.one_busy:.2%} of a core", "", None)
    measured = f"{cost.busy_s_per_mb:.3f} s of CPU for each MB"
    yield Claim(f"{runs} busy runs, beyond the quiet cost", measured, "", None)
    yield Claim(f"{runs} runs: memory at its peak", memory, f"under {_MOST_MB:g} MB", sound[1])


def _cost(root: Path, runs: int) -> Cost:
    prepared = prepare(root, runs)
    began = time.time()
    with _watching(prepared.config, root / "state") as pid:
        _wait([partial(_is_watched, folder, began) for folder in prepared.folders])
        start_s = time.time() - began
        time.sleep(_STRETCH_S / 3)
        quiet = _share(pid, _rest)
        one_busy = _share(pid, lambda: _append(prepared, prepared.logs[:1]))
        before, since = cpu_s(pid), time.monotonic()
        appended = _append(prepared, prepared.logs)
        _wait(
            [partial(_is_read, *pair) for pair in zip(prepared.folders, prepared.logs, strict=True)]
        )
        beyond_s = cpu_s(pid) - before - quiet * (time.monotonic() - since)
        return Cost(start_s, quiet, one_busy, beyond_s / (appended / MB), held_mb(pid))


class Prepared(NamedTuple):
    """Runs as their watchers left them."""

    config: Path
    folders: tuple[Path, ...]  # their stores
    logs: tuple[Path, ...]
    text: bytes  # what the logs begin with, and what is appended to them


def prepare(root: Path, runs: int) -> Prepared:
    """So many runs, each with a log that is read and a store with its history."""
    text = b"".join(blocks(SCENARIOS["demo"], _READ_BYTES + _later_bytes(), share=REALISTIC))
    head = text[: text.rindex(b"\n", 0, _READ_BYTES) + 1]
    site, logs, folders = Site(Settings(), root / "state"), list[Path](), list[Path]()
    for number in range(runs):
        logs.append(root / f"run-{number}.log")
        logs[-1].write_bytes(head)
        run = RunSettings(log=str(logs[-1]), name=f"run-{number}")
        folders.append(site.folder(run))
        if number:
            _copy(folders[0], folders[-1], run)
        else:
            _keep(site, run)
    tables = (f'[[runs]]\nname = "{log.stem}"\nlog = "{log}"\n' for log in logs)
    config = root / "config.toml"
    config.write_text("\n".join((_OPTIONS, *tables)))
    return Prepared(config, tuple(folders), tuple(logs), text)


def _later_bytes() -> int:
    return int(3 * _STRETCH_S * _APPENDED_BYTES_PER_S) + 64 * KB


def _keep(site: Site, run: RunSettings) -> None:
    """The log is read, and stands behind a long history."""
    watched = site.watched(run)
    while watched.tick(time.time(), 0.0):
        pass
    watched.close()
    store = StoreWriter(site.folder(run))
    saved = store.load()
    if saved is None:
        raise RuntimeError("the store that was just written is empty")
    past = long_run.columns(ROWS)  # of this very attempt and batch size: all of it is looked at
    for name, value in (("attempt", 0.0), ("global_batch_size", 192.0)):
        past.data[name] = array("d", (value,)) * past.rows
    store.commit(past, (), saved.state, saved.mark, saved.memory)
    store.close()


def _copy(template: Path, folder: Path, run: RunSettings) -> None:
    """The same store for another run. Of the columns only the end is written, what is before is a hole."""
    kept, status = files.read_kept(template), files.read_status(template)
    if kept is None or status is None:
        raise RuntimeError("the store that was just written is empty")
    (folder / files.HISTORY).mkdir(parents=True)
    state = replace(kept.state, run=run.name or "", log=run.log)
    kept, status = replace(kept, state=state), replace(status, run=run.name or "", log=run.log)
    (folder / files.STATE).write_bytes(files.encode_exactly(kept))
    (folder / files.STATUS).write_bytes(files.encode(status))
    (folder / files.JOURNAL).write_bytes((template / files.JOURNAL).read_bytes())
    for name in history.names(template / files.HISTORY):
        data = history.path_of(template / files.HISTORY, name).read_bytes()
        end = data[-8 * RECENT_ROWS :]
        with history.path_of(folder / files.HISTORY, name).open("wb") as file:
            file.seek(len(data) - len(end))
            file.write(end)


@contextmanager
def _watching(config: Path, state_dir: Path) -> Iterator[int]:
    """The process that watches them all."""
    command = [*TRAINWATCH, "watch", "--config", str(config), "--state-dir", str(state_dir)]
    null = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=null, stderr=null, env=environment())
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _append(prepared: Prepared, logs: Sequence[Path]) -> int:
    """Let these logs grow for a stretch, a few at a time; the bytes that they grew by."""
    turns = min(_TURNS, len(logs))
    part_s = _PART_S * turns / _TURNS
    step, appended, began = int(part_s * _APPENDED_BYTES_PER_S), 0, time.monotonic()
    for turn in range(round(_STRETCH_S / _PART_S) * _TURNS):
        _until(began + turn * part_s / turns)
        for log in logs[turn % turns :: turns]:
            with log.open("ab", buffering=0) as file:
                place = file.tell()
                stop = prepared.text.index(b"\n", place + step) + 1
                appended += file.write(prepared.text[place:stop])
    _until(began + _STRETCH_S)
    return appended


def _share(pid: int, act: Callable[[], object]) -> float:
    """The share of a core that a process takes while that goes on."""
    before, since = cpu_s(pid), time.monotonic()
    act()
    return (cpu_s(pid) - before) / (time.monotonic() - since)


def _rest() -> None:
    time.sleep(_STRETCH_S)


def _until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))


def _is_watched(folder: Path, since: float) -> bool:
    status = files.read_status(folder)
    return status is not None and (status.heartbeat_at or 0.0) > since


def _is_read(folder: Path, log: Path) -> bool:
    kept = files.read_kept(folder)
    return kept is not None and kept.mark.offset == log.stat().st_size


def _wait(waiting: Iterable[Callable[[], bool]]) -> None:
    """Until all of it is so. Raises RuntimeError."""
    end = time.monotonic() + _DEADLINE_S
    while waiting := [is_so for is_so in waiting if not is_so()]:
        if time.monotonic() > end:
            raise RuntimeError(f"{len(waiting)} runs were not looked at in {_DEADLINE_S:.0f} s")
        time.sleep(0.1)
