"""Batch scripts on a real Slurm: submitted once, found by their comment, followed to their end."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.slurm import Cluster
from trainwatch.adapters.slurm import Hands
from trainwatch.app import config, wireslurm
from trainwatch.app.cron.scripts import Scripts
from trainwatch.core.errors import SchedulerUnknown
from trainwatch.core.model.observations import ScriptReading
from trainwatch.core.slurm.submitting import Submission

NOON = 1_777_888_800.0
MINUTE = 60.0


class Watch:
    """A watcher whose clock a test winds; Slurm's own goes on."""

    def __init__(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o755)
        self.folder, self.state, self.now = tmp_path / "cron.hourly", tmp_path / "state", NOON
        self.folder.mkdir(mode=0o755, exist_ok=True)
        settings = config.parse(f'[scripts]\nhourly = ["{self.folder}"]')
        made = wireslurm.scripts(settings, self.state, patience_s=30.0)
        assert made is not None
        self.scripts: Scripts = made
        self.told = list[ScriptReading]()

    def put(self, name: str, text: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.folder / name).chmod(0o644)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < end, self.scripts.statuses(self.now)
            self.told += self.scripts.tick(self.now)
            self.now += MINUTE if self.now < NOON + 59 * MINUTE else 0.0
            time.sleep(0.2)


def test_batch_scripts_end_well_and_badly(commands: Cluster, tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    watch.put("good.slurm", "#SBATCH --comment=team-a\necho done; pwd")
    watch.put("bad.slurm", "exit 3")
    watch.put("wrong.slurm", "#SBATCH --partition=nowhere")
    watch.until(lambda: len(watch.told) == 3)
    told = {seen.script.removeprefix("cron.hourly/"): seen for seen in watch.told}
    assert (told["good.slurm"].exit_code, told["bad.slurm"].exit_code) == (0, 3)
    assert "ended as FAILED" in told["bad.slurm"].how
    assert told["wrong.slurm"].how == "was not submitted: Slurm refused it"
    assert "partition" in told["wrong.slurm"].why
    output = watch.state / "cron" / "scripts" / "hourly" / "good.slurm.out"
    assert output.read_text() == f"done\n{watch.folder}\n"
    assert [path.name for path in watch.folder.iterdir() if path.suffix != ".slurm"] == []
    assert {status.outcome for status in watch.scripts.statuses(watch.now)} == {"ok", "failed"}
    watch.scripts.close(watch.now)


def test_an_answer_that_got_lost(
    commands: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job is there all the same; the next watcher finds it by its comment, and submits no other."""
    submit = Hands.submit

    def lost(hands: Hands, job: Submission) -> str:
        submit(hands, job)
        raise SchedulerUnknown("sbatch gave no answer in 60 s")

    monkeypatch.setattr(Hands, "submit", lost)
    watch = Watch(tmp_path)
    watch.put("long.slurm", "exec sleep 600")
    watch.told += watch.scripts.tick(NOON)
    assert watch.scripts.statuses(NOON)[0].job_id == ""
    watch.scripts.close(NOON)
    monkeypatch.undo()
    for name, value in commands.env.items():
        monkeypatch.setenv(name, value)
    second = Watch(tmp_path)
    second.now = NOON + MINUTE
    second.until(lambda: any(s.job_id for s in second.scripts.statuses(second.now)))
    second.now = NOON + 3 * 60 * MINUTE  # three hours later it is still there
    for _ in range(3):
        second.told += second.scripts.tick(second.now)
        second.now += MINUTE
    shown = commands.run("squeue", "-h", "-o", "%i %k").splitlines()
    assert len(shown) == 1
    assert "trainwatch-script:" in shown[0]
    assert shown[0].split()[0] == second.scripts.statuses(second.now)[0].job_id
    assert second.told == []
    second.scripts.close(second.now)
