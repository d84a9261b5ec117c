"""What init writes of the cluster: a table that loads, says why, and leaves open what only the user knows."""

import os
from pathlib import Path

import pytest

from trainwatch.app import config, wireslurm
from trainwatch.app.commands.init import configuration
from trainwatch.app.config import RunSettings, Settings
from trainwatch.core.facts import Facts
from trainwatch.core.slurm.proposing import Proposal

RUN = RunSettings(log="main_log.txt", name="tr11")
PREPOST = Proposal(
    partition="prepost",
    time_limit_s=72_000.0,
    mode="daemon",
    account="six@cpu",
    accounts=("six@v100", "six@cpu"),
    qos=("qos_cpu-t3", "qos_cpu-dev"),
    default_qos="qos_cpu-t3",
    why="no GPUs; jobs up to 20 h; 4 nodes are up",
)


def written(proposal: Proposal | None) -> str:
    return configuration(RUN, Facts(), "trainwatch.toml", proposal)


def test_what_is_written() -> None:
    assert written(PREPOST).partition("recompute")[2].partition("\n\n#")[2] == (
        " The job that trainwatch lives in: `trainwatch cron start`. By what sinfo and your associations "
        "allow.\n"
        "# prepost: no GPUs; jobs up to 20 h; 4 nodes are up.\n"
        "[cron]\n"
        'mode = "daemon"                       # hands over to its successor before its limit\n'
        'partition = "prepost"\n'
        'account = "six@cpu"                   # yours: six@v100, six@cpu\n'
        "time_limit_h = 20\n"
        '# qos = ""                            # yours: qos_cpu-t3, qos_cpu-dev; without: qos_cpu-t3\n'
        '# constraint = ""\n'
        "\n"
        "# The job arrays of `trainwatch report --slurm N`.\n"
        "[slurm.jobs]\n"
        'partition = "prepost"\n'
        'account = "six@cpu"                   # yours: six@v100, six@cpu\n'
    )


def test_it_loads() -> None:
    settings = config.parse(written(PREPOST))
    cron, jobs = settings.cron, settings.slurm.jobs
    assert (cron.mode, cron.partition, cron.account) == ("daemon", "prepost", "six@cpu")
    assert cron.time_limit_s == 72_000.0
    assert (jobs.partition, jobs.account) == ("prepost", "six@cpu")


def test_ticks_say_why() -> None:
    short = Proposal(partition='a"b\nc', time_limit_s=600.0, mode="ticks", why="because")
    text = written(short)
    assert "# a short job each interval: no partition for CPU jobs allows long ones\n" in text
    assert '# account = ""\n' in text
    cron = config.parse(text).cron
    assert (cron.mode, cron.partition, cron.time_limit_s) == ("ticks", "", 576.0)


def test_without_slurm_nothing_is_proposed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert wireslurm.proposal(Settings()) is None
    assert "[cron]" not in written(None)


SINFO = """for last; do :; done
echo "$last" | sed -e 's/%P/prepost/;s/%a/up/;s/%l/20:00:00/;s/%D/4/;s/%T/idle/;s/%G/(null)/'
"""
ASSOC = """[ "$*" = "-n -P show assoc user=ada format=Cluster,Account,Partition,QOS,DefaultQOS" ] || exit 9
echo 'here|six@cpu||normal|'
echo 'there|seven||normal|'
"""
CONFIG = "echo 'ClusterName = here'\n"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    for name, script in (
        *(("sinfo", SINFO), ("sacctmgr", ASSOC), ("scontrol", CONFIG), ("sbatch", "exit 1")),
    ):
        put(tmp_path / name, script)
    return tmp_path


def put(command: Path, script: str) -> None:
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)


def test_the_cluster_is_asked(tools: Path) -> None:
    found = wireslurm.proposal(Settings())
    assert found is not None
    assert (found.partition, found.account, found.accounts) == ("prepost", "six@cpu", ("six@cpu",))


@pytest.mark.parametrize("script", ["exit 1", "echo junk", "echo 'error: no access' >&2"])
def test_books_that_refuse_cost_only_the_account(tools: Path, script: str) -> None:
    put(tools / "sacctmgr", script)
    found = wireslurm.proposal(Settings())
    assert found is not None
    assert (found.partition, found.account) == ("prepost", "")


@pytest.mark.parametrize("script", ["exit 1", "echo junk", "sleep 30"])
def test_a_cluster_that_does_not_say_is_left_out(tools: Path, script: str) -> None:
    put(tools / "sinfo", script)
    settings = config.parse("[slurm]\ndeadline_s = 1")
    assert wireslurm.proposal(settings) is None
