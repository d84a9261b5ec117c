"""init on a real Slurm: what it proposes is what the cluster takes."""

from pathlib import Path

import pytest

from tests.app.reporting.logs import write
from tests.cluster.slurm import Cluster
from trainwatch.adapters.slurm import Slurm
from trainwatch.app import config
from trainwatch.app.cli import run


def test_what_is_proposed_is_taken(
    commands: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "main_log.txt")
    assert run(["init", "main_log.txt", "--output", "trainwatch.toml"]) == 0
    text = (tmp_path / "trainwatch.toml").read_text()
    assert (
        "# prepost: for small jobs by its name, though its nodes have GPUs; jobs up to 1 d" in text
    )
    cron = config.parse(text).cron
    assert (cron.mode, cron.partition, cron.account) == ("daemon", "prepost", "root")
    job = commands.submit("true", f"--partition={cron.partition}", f"--account={cron.account}")
    commands.until(lambda: not commands.run("squeue", "-h", "-j", job, check=False), "its end")


def test_the_associations_are_those_of_whoever_asks(commands: Cluster) -> None:
    (root,) = Slurm().associations()
    assert (root.cluster, root.account, root.partition, root.qos) == (
        "test",
        "root",
        "",
        ("normal",),
    )
    gpu, prepost = Slurm().partitions()
    assert (gpu.name, gpu.default, gpu.max_time_s, gpu.nodes_up) == ("gpu", True, None, 2)
    assert (prepost.name, prepost.gpus, prepost.max_time_s) == ("prepost", True, 86_400.0)
