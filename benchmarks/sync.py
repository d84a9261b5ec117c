"""What a growing log costs at the far side: by us, and as the client's own CommitScheduler sends it.

The trap: Xet keeps chunks compressed, so less is stored than was appended; LFS keeps each copy as it is. The
Hub is one on loopback whose Xet store is a folder, written to by the real client.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Claim
from benchmarks.scan import MB, make
from tests.hub.memory import TOKEN, Hub
from tests.hub.server import serving
from trainwatch.app import wirehouse
from trainwatch.app.config import Settings
from trainwatch.app.syncing.settings import SyncSettings
from trainwatch.simulate.bulk import REALISTIC

SIZE = int(os.environ.get("TRAINWATCH_BENCH_SYNC_MB", "20")) * MB
STEPS = 50
_MOST = 1.0  # bytes stored for each that was appended
_LEAST_TIMES = 10.0
_THEIRS = """
import sys
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub._commit_scheduler import PartialFileIO
path, size, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for number in range(1, steps + 1):
    part = PartialFileIO(path, size_limit=size * number // steps)
    add = CommitOperationAdd(path_in_repo="main_log.txt", path_or_fileobj=part)
    HfApi().create_commit("me/theirs", [add], commit_message=str(number))
"""


def claims() -> Iterator[Claim]:
    """Bytes at the far side after a log grew in so many steps, and how long a turn takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "whole.txt"
        make(log, SIZE, REALISTIC)
        size = log.stat().st_size
        ours, took_s = _ours(folder, log)
        theirs = _theirs(folder, log)
    what = f"a log grown to {size / MB:.0f} MB in {STEPS} steps: stored at the far side"
    share, times = ours / size, theirs / ours
    measured = f"{ours / MB:.1f} MB, {share:.2f} bytes for each that was appended"
    yield Claim(what, measured, f"under {_MOST:g}", share < _MOST)
    measured = f"{theirs / MB:.0f} MB, {times:.0f} times as much"
    what = "the same by CommitScheduler, which sends all of it again"
    yield Claim(what, measured, f"{_LEAST_TIMES:g} times", times >= _LEAST_TIMES)
    measured = f"{took_s / STEPS:.1f} s, most of it the client's import"
    yield Claim("a turn of sending", measured, "", None)


def _ours(folder: Path, log: Path) -> tuple[int, float]:
    root = folder / "run"
    root.mkdir()
    settings = SyncSettings(
        name="logs",
        root=str(root),
        what=("*.txt",),
        to="hf://models/me/ours",
        most_commits_per_hour=128,
        calm_min=0,
    )
    with _hub(folder / "ours", "ours") as hub, log.open("rb") as source:
        (route,) = wirehouse.routes(Settings(sync=(settings,)), folder / "state")
        step = -(-log.stat().st_size // STEPS)
        began = time.monotonic()
        for _ in range(STEPS):
            with (root / "main_log.txt").open("ab") as grown:
                grown.write(source.read(step))
            said = route.turn(at_once=True)
            assert said.sent, said.why
        return hub.stored_bytes(), time.monotonic() - began


def _theirs(folder: Path, log: Path) -> int:
    command = [sys.executable, "-c", _THEIRS, str(log), str(log.stat().st_size), str(STEPS)]
    with _hub(folder / "theirs", "theirs") as hub:
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return hub.stored_bytes()


@contextmanager
def _hub(folder: Path, name: str) -> Iterator[Hub]:
    """A Hub that the client believes in while the context lasts."""
    with serving(folder) as hub:
        hub.make(f"models/me/{name}")
        found = {
            "HF_ENDPOINT": hub.url,
            "HF_TOKEN": TOKEN,
            "HF_HOME": str(folder / "home"),
            "HF_XET_CACHE": str(folder / "cache"),
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        }
        before = {key: os.environ.get(key) for key in found}
        os.environ.update(found)
        try:
            yield hub
        finally:
            for key, value in before.items():
                if value is None:
                    os.environ.pop(key)
                else:
                    os.environ[key] = value
