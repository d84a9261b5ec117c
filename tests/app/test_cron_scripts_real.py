"""Hourly and daily scripts as a configuration makes them: real folders, processes, ledger and lock."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.waiting import waits
from trainwatch.app import config, wireslurm
from trainwatch.app.cron.scripts import Scripts
from trainwatch.core.model.observations import ScriptReading

NOON = 1_777_888_800.0  # 2026-05-04 10:00 UTC


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    place = tmp_path / "cron.hourly"
    place.mkdir(mode=0o755)
    return place


def put(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def scripts(folder: Path, more: str = "") -> Scripts:
    settings = config.parse(f'[scripts]\nhourly = ["{folder}"]\n{more}')
    place = folder.parent / "state"
    made = wireslurm.scripts(settings, place, folder.parent / "t.toml", patience_s=20.0)
    assert made is not None
    return made


def run(made: Scripts, now: float = NOON) -> list[ScriptReading]:
    """One tick, as from a cron line: what is due runs to its end."""
    told, until = made.tick(now), time.monotonic() + 30
    while made.busy:
        assert time.monotonic() < until
        time.sleep(0.02)
        told += made.tick(now + 1)
    return told


def test_one_tick_runs_all_that_is_due(folder: Path) -> None:
    put(folder, "a", 'echo "$TRAINWATCH_STATE_DIR $TRAINWATCH_PERIOD $TRAINWATCH_CONFIG"')
    put(folder, "b", "echo no room; exit 1")
    made = scripts(folder)
    told = run(made)
    assert [(t.script, t.exit_code, t.why) for t in told] == [
        ("cron.hourly/a", 0, ""),
        ("cron.hourly/b", 1, "no room"),
    ]
    assert (made.troubles, made.close(NOON)) == ((), [])
    state = folder.parent / "state"
    output = (state / "cron" / "scripts" / "hourly" / "a.out").read_text()
    assert f"{state} hourly {folder.parent / 't.toml'}\n" in output
    assert output.startswith("=== 2026-05-04 ")
    again = scripts(folder)  # another process, as the ledger sees it
    assert run(again, NOON + 600) == []
    assert [s.outcome for s in again.statuses(NOON + 600)] == ["ok", "failed"]
    assert len(run(again, NOON + 3600)) == 2
    again.close(NOON + 3600)
    left = [path.name for path in (state / "cron").iterdir()]
    assert sorted(left) == ["scripts", "scripts.json"]  # no locks, no temporary files


def test_without_folders_there_are_none() -> None:
    assert wireslurm.scripts(config.parse(""), config.default_state_dir()) is None


def test_the_same_folder_by_two_names_is_one(folder: Path) -> None:
    (folder.parent / "link").symlink_to(folder)
    settings = config.parse(f'[scripts]\nhourly = ["{folder}/", "{folder.parent}/link"]')
    assert settings.scripts.folders()["hourly"] == (str(folder),)
    settings = config.parse('[scripts]\nhourly = ["~nobody-of-that-name/x"]')
    assert len(settings.scripts.folders()["hourly"]) == 1


WATCH = """
import sys, time
from pathlib import Path
from trainwatch.app import config, wireslurm
settings = config.parse(f'[scripts]\\nhourly = ["{sys.argv[1]}"]')
made = wireslurm.scripts(settings, Path(sys.argv[2]), patience_s=20.0)
made.tick(float(sys.argv[3]))
print("begun", flush=True)
time.sleep(60)
"""


def test_a_watcher_that_is_killed(folder: Path) -> None:
    """With SIGKILL, its script left alone: the next one waits for it, and says that it was lost."""
    put(folder, "copy", "echo $$ > ../pid; sleep 60")
    watcher = subprocess.Popen(
        [sys.executable, "-c", WATCH, folder, folder.parent / "state", str(NOON)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watcher.stdout is not None
    assert watcher.stdout.readline() == "begun\n"
    assert waits((folder.parent / "pid").exists)
    watcher.send_signal(signal.SIGKILL)
    watcher.communicate()
    made = scripts(folder)
    assert run(made, NOON + 60) == []
    assert made.statuses(NOON + 60)[0].outcome == "running"
    pid = int((folder.parent / "pid").read_text())
    os.killpg(pid, signal.SIGKILL)
    assert waits(lambda: not Path(f"/proc/{pid}").exists() or "Z" in _state(pid))
    (lost,) = run(made, NOON + 180)
    assert (lost.exit_code, lost.how[:26]) == (None, "was lost with its watcher ")
    assert run(made, NOON + 3599) == []
    ledger = json.loads((folder.parent / "state" / "cron" / "scripts.json").read_text())
    assert ledger["scripts"][f"hourly:{folder}/copy"]["began"] == NOON
    made.close(NOON + 3599)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_many_processes_at_once_begin_it_once(folder: Path) -> None:
    put(folder, "count", "echo x >> ../count")
    start = [sys.executable, "-c", WATCH.replace("time.sleep(60)", "time.sleep(2)")]
    watchers = [
        subprocess.Popen([*start, folder, folder.parent / "state", str(NOON)], stdout=-1)
        for _ in range(5)
    ]
    for watcher in watchers:
        watcher.communicate()
        assert watcher.returncode == 0
    assert (folder.parent / "count").read_text() == "x\n"


def test_handing_over_ends_what_runs(folder: Path) -> None:
    put(folder, "slow", "echo started; sleep 60")
    made = scripts(folder)
    made.tick(NOON)
    (told,) = made.close(NOON + 5, 0.3)
    assert (told.exit_code, told.how) == (None, "was ended when its watcher handed over")
    other = scripts(folder)
    assert run(other, NOON + 60) == []
    assert other.statuses(NOON + 60)[0].outcome == "ended"
    other.close(NOON + 60)


def test_a_state_folder_that_cannot_be_written(folder: Path) -> None:
    put(folder, "a", "echo x >> ../count")
    (folder.parent / "state").write_text("a file in the way")
    made = scripts(folder)
    assert run(made) == []
    assert (
        "cron.hourly/a is not begun" in made.troubles[-1] or "nothing is begun" in made.troubles[-1]
    )
    assert not (folder.parent / "count").exists()
    made.close(NOON)
