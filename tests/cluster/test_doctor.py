"""doctor on a real Slurm: what answers, where jobs may go, which jobs are a run's."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.slurm import Cluster
from tests.core.logs.making import iteration
from trainwatch.app import config
from trainwatch.app.cli import run


def write(path: Path) -> None:
    path.write_text("".join(f"{iteration(number)}\n" for number in range(1, 6)))


def checks(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    capsys.readouterr()
    run(["doctor", "--json"])
    told = json.loads(capsys.readouterr().out)["checks"]
    return {f"{one['group']}/{one['name']}": one for one in told}


def test_what_a_cluster_says(
    commands: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "main_log.txt")
    text = '[[runs]]\nname = "tr11"\nlog = "main_log.txt"\n[runs.slurm]\njob_name = "tr11*"\n'
    file = tmp_path / "trainwatch.toml"
    file.write_text(f'{text}[cron]\npartition = "prepost"\naccount = "root"\n')
    found = checks(capsys)
    for name in ("slurm/commands", "slurm/squeue", "slurm/sinfo", "slurm/sacct", "slurm/cron"):
        assert found[name]["verdict"] == "ok", found[name]
    assert found["slurm/cron"]["saw"] == "partition prepost, root, jobs up to 20 h"
    assert found["slurm/sinfo"]["saw"].startswith("partitions: gpu, prepost (answered in ")
    assert found["chain/chain"]["do"].startswith("trainwatch cron start")
    assert found["run tr11/jobs"]["verdict"] == "warning"
    job = commands.submit("sleep 60", "--job-name=tr11-13B", "--partition=prepost")
    assert checks(capsys)["run tr11/jobs"]["saw"].startswith("1 in the queue")
    commands.run("scancel", job)
    file.write_text(f'{text}[cron]\npartition = "prepost"\naccount = "six"\ntime_limit_h = 30\n')
    assert checks(capsys)["slurm/cron"]["do"] == "set time_limit_h in [cron] to 24 or less"
    file.write_text(f'{text}[cron]\npartition = "prepost"\naccount = "six"\n')
    assert checks(capsys)["slurm/cron"]["do"] == "set account in [cron] to one of: root"
    file.write_text(f'{text}[cron]\npartition = "cpu"\n')
    assert checks(capsys)["slurm/cron"]["saw"] == "partition cpu is not there"


def test_init_finds_the_log_that_a_job_writes(
    commands: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    write(tmp_path / "source.txt")
    log = tmp_path / "far away" / "main_log.txt"
    log.parent.mkdir()
    options = ("--job-name=tr11-13B", "--partition=prepost", f"--output={log}")
    job = commands.submit(f"cat {tmp_path}/source.txt; sleep 120", *options)
    commands.until(lambda: log.exists() and log.stat().st_size > 0, "the job's log")
    assert run(["init", "-o", "trainwatch.toml"]) == 0
    text = Path("trainwatch.toml").read_text()
    (one,) = config.parse(text).runs
    assert (one.log, one.slurm.job_name) == (str(log), "tr11-13B")
    assert f"job {job} (tr11-13B) writes it" in text
    found = checks(capsys)
    assert {name for name, one in found.items() if one["verdict"] in ("wrong", "unknown")} == set()
    assert found["run far away/jobs"]["verdict"] == "ok"
    commands.run("scancel", job)
