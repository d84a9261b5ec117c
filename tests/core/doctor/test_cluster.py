"""The cluster, judged: commands, answers, and where our jobs would go."""

import pytest

from trainwatch.core.doctor import cluster
from trainwatch.core.doctor.cluster import COMMANDS, Place
from trainwatch.core.slurm.associations import Association
from trainwatch.core.slurm.partitions import Partition
from trainwatch.core.slurm.site import JobSite

GPU = Partition(name="gpu", default=True, nodes_up=9, gpus=True)
PREPOST = Partition(name="prepost", max_time_s=72_000.0, nodes_up=2)
DOWN = Partition(name="old", up=False, nodes_up=2)
EMPTY = Partition(name="empty", nodes_up=0)
ALL = (GPU, PREPOST, DOWN, EMPTY)
MINE = (Association(cluster="c", account="six@cpu", partition="prepost", qos=("normal", "long")),)


def place(
    table: str = "cron",
    limit_s: float | None = 3600.0,
    *,
    partition: str = "",
    account: str = "",
    qos: str = "",
) -> Place:
    return Place(table, JobSite(partition=partition, account=account, qos=qos), limit_s)


PLACES: dict[str, tuple[Place, tuple[Association, ...] | None, str, str, str]] = {
    "well": (
        place(partition="prepost", account="six@cpu"),
        MINE,
        "ok",
        "six@cpu, jobs up to 1 h",
        "",
    ),
    "nobody knows accounts": (place(partition="prepost"), None, "ok", "nobody says", ""),
    "none of that name": (
        place(partition="cpu"),
        MINE,
        "wrong",
        "cpu is not there",
        "gpu, prepost",
    ),
    "down": (place(partition="old"), None, "wrong", "old is down", "`trainwatch init`"),
    "no node is up": (place(partition="empty"), None, "warning", "no node of", "wait"),
    "too long": (
        place(partition="prepost", limit_s=90_000.0),
        MINE,
        "wrong",
        "jobs of 1 d 1 h, and partition prepost takes 20 h",
        "set time_limit_h in [cron] to 20 or less",
    ),
    "too long an array": (
        place("slurm.jobs", 90_000.0, partition="prepost"),
        MINE,
        "wrong",
        "1 d 1 h",
        "set time_limit_min in [slurm.jobs] to 1200 or less",
    ),
    "a default with GPUs": (place(), None, "warning", "the default one, gpu, has GPUs", "init"),
    "another account": (
        place(partition="prepost", account="x"),
        MINE,
        "wrong",
        "none of yours",
        "six@cpu",
    ),
    "accounts in capitals": (
        place(partition="prepost", account="SIX@CPU"),
        MINE,
        "ok",
        "SIX@CPU",
        "",
    ),
    "another qos": (place(partition="prepost", qos="x"), MINE, "wrong", "qos x", "normal, long"),
    "a qos of ours": (place(partition="prepost", qos="long"), MINE, "ok", "prepost", ""),
    "a partition of others": (
        place(partition="gpu"),
        MINE,
        "wrong",
        "none of your accounts",
        "another",
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_where_jobs_go(name: str) -> None:
    where, associations, verdict, saw, do = PLACES[name]
    found = cluster.placed(where, ALL, associations)
    assert found.verdict == verdict
    assert saw in found.saw
    assert do in found.do
    assert bool(found.do) == (verdict != "ok")


@pytest.mark.parametrize(
    ("there", "needing", "verdict", "saw"),
    [
        ((), (), "ok", "no Slurm on this machine: nothing here waits in a queue"),
        ((), ("[cron]",), "warning", "but [cron] is about jobs"),
        (COMMANDS, ("[cron]",), "ok", "there: sbatch, squeue"),
        (("sbatch", "sacct"), (), "wrong", "squeue, scancel, scontrol, sinfo not found"),
        (COMMANDS[:-1], (), "ok", "not here: scrontab"),
    ],
)
def test_commands(there: tuple[str, ...], needing: tuple[str, ...], verdict: str, saw: str) -> None:
    found = cluster.commands(there, needing)
    assert (found.verdict, saw in found.saw) == (verdict, True)


def test_answers() -> None:
    assert cluster.answer("squeue", 0.2, 20.0, "3 jobs").verdict == "ok"
    assert cluster.answer("squeue", 15.0, 20.0, "3 jobs").verdict == "warning"
    assert cluster.no_answer("squeue", "timed out", needed=True).verdict == "unknown"
    assert cluster.no_answer("squeue", "timed out", needed=False).verdict == "warning"
    off = "sacct: Slurm accounting storage is disabled"
    assert cluster.no_books(off, needed=True).verdict == "ok"
    assert cluster.no_books("sacct gave no answer in 20 s", needed=True).verdict == "unknown"
    assert cluster.scrontab("no").verdict == "wrong"
    assert cluster.scrontab("").verdict == "ok"
