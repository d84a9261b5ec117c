"""kill -9 at random moments of a live watch: the store is that of an undisturbed one.

As often as was promised, which takes minutes: TRAINWATCH_KILLS=100.
"""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

from trainwatch.adapters.store import StoreReader
from trainwatch.core.columns import Columns
from trainwatch.core.model.state import Event, RunState

KILLS = int(os.environ.get("TRAINWATCH_KILLS", "15"))
BEGAN = int(time.time()) - 86_400  # a log that is watched live has stamps of these days
ITERATIONS = 6000
RESOLVED = "alert-resolved"
CONFIG = "poll_interval_s = 0.2\nlog_utc_offset_h = 0\n"


def log_text() -> bytes:
    """A Megatron-Core log with stamps, saves, a crash and a second attempt that repeats iterations."""
    lines = ["using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1"]
    numbers = [*range(1, 3001), *range(2901, ITERATIONS - 99)]
    for index, number in enumerate(numbers):
        clock = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(BEGAN + 2 * index))
        lines.append(
            f" [{clock}.250000] iteration {number:8d}/   50000 | consumed samples: {number * 16:12d}"
            f" | elapsed time per iteration (ms): {2000 + number % 7:.1f}"
            f" | throughput per GPU (TFLOP/s/GPU): 177.2 | learning rate: 1.000000E-04"
            f" | global batch size:    16 | lm loss: {5 - number / 1e4:.6E} | loss scale: 1.0"
            f" | grad norm: {1 + number % 5:.3f} | number of skipped iterations:   0"
            f" | number of nan iterations:   0 |"
        )
        if number % 100 == 0:
            lines.append(
                f"[{clock}] saving checkpoint at iteration {number:7d} to /ckpt in torch_dist"
            )
            lines.append(
                f"[{clock}] successfully saved checkpoint from iteration {number:7d} to /ckpt"
            )
        if index == 2999:
            lines.append(f"[rank3]: {clock} torch.OutOfMemoryError: CUDA out of memory.")
            lines.append(
                "using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1"
            )
    return ("\n".join(lines) + "\n").encode()


# A watch spends its first half second importing, at each kill: here each is forked from a process that
# has imported everything and run nothing. It is a process of its own all the same, and dies as one.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "__main__",
        __name__,
        "trainwatch.app.cli",
        "trainwatch.app.commands.watch",
        "trainwatch.app.wire",
        "trainwatch.adapters.store.writer",
    ]
)


def watch(log: Path, state_dir: Path, config: Path, *more: str) -> list[str]:
    options = ["--state-dir", str(state_dir), "--config", str(config)]
    return ["watch", str(log), *options, *more]


def run_quietly(arguments: list[str]) -> None:
    """The command line in this process, which says nothing."""
    from trainwatch.app.cli import run

    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.exit(run(arguments))


def stored(state_dir: Path) -> tuple[Columns, list[Event], RunState]:
    (folder,) = (state_dir / "runs").iterdir()
    reader = StoreReader(folder)
    saved = reader.load()
    assert saved is not None
    return reader.rows(0, saved.state.rows), reader.events(), saved.state


def told(events: list[Event]) -> list[tuple[str, int | None, int | None, str]]:
    """The journal, what happened before the alerts: those have the time of their judge, today, among lines of
    yesterday. But for the ends of alerts: those come a minute after their reason, and a minute of the log
    passes here in a hundredth of a second of the daemon that waits for it."""
    kept = [(e.kind, e.iteration, e.attempt, e.text) for e in events if e.kind != RESOLVED]
    return sorted(kept, key=lambda each: each[0].startswith("alert-"))


def wait_for_lease(state_dir: Path, process: BaseProcess) -> None:
    """Until the watch is alive: it holds the lease."""
    while process.is_alive():
        with suppress(FileNotFoundError):  # the new process removes the dead one's
            for lease in state_dir.glob("runs/*/lease"):
                if f"|{process.pid}|" in lease.read_text():
                    return
        time.sleep(0.01)
    raise AssertionError(f"the watch ended by itself with {process.exitcode}")


def write_among_kills(log: Path, state_dir: Path, config: Path) -> None:
    """All of the log, while one watch after another reads it and is killed."""
    chance, text, written = random.Random(20210808), log_text(), 0
    with log.open("ab", buffering=0) as file:
        for kill in range(KILLS):
            arguments = watch(log, state_dir, config)
            process = FORKS.Process(target=run_quietly, args=(arguments,))
            process.start()
            wait_for_lease(state_dir, process)
            until = time.monotonic() + chance.uniform(0, 0.4)
            aim = len(text) * (kill + 1) // KILLS
            while time.monotonic() < until:
                more = min(chance.randint(1, 20_000), aim - written)
                file.write(text[written : written + more])
                written += more
                time.sleep(chance.uniform(0, 0.02))
            process.kill()
            process.join()
            assert process.exitcode == -signal.SIGKILL
        file.write(text[written:])


def test_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    log, config = tmp_path / "main_log.txt", tmp_path / "config.toml"
    config.write_text(CONFIG)
    log.touch()
    write_among_kills(log, tmp_path / "killed", config)
    for state_dir in ("killed", "undisturbed"):
        arguments = watch(log, tmp_path / state_dir, config, "--once")
        command = [sys.executable, "-m", "trainwatch", *arguments]
        subprocess.run(command, check=True, capture_output=True)
    rows, events, state = stored(tmp_path / "killed")
    expected_rows, expected_events, expected = stored(tmp_path / "undisturbed")
    assert expected.rows == len(expected_rows) == 5999
    assert rows == expected_rows
    assert told(events) == told(expected_events)
    ends = [e.text for e in events if e.kind == RESOLVED]
    assert len(set(ends)) == len(ends) <= 1
    assert state.open == expected.open
    assert [a.tally for a in state.attempts] == [a.tally for a in expected.attempts]
    assert (state.save.iteration, state.save.count) == (
        expected.save.iteration,
        expected.save.count,
    )
    assert state.counters == expected.counters
