"""Where a small job that lives for long may go: clusters as they are, and what is proposed on them."""

import pytest

from trainwatch.core.slurm.associations import Association
from trainwatch.core.slurm.partitions import Partition
from trainwatch.core.slurm.proposing import proposed

H = 3600.0
GPU = Partition(name="gpu_p13", default=True, max_time_s=100 * H, nodes_up=300, gpus=True)
CPU = Partition(name="cpu_p1", max_time_s=100 * H, nodes_up=700)
PREPOST = Partition(name="prepost", max_time_s=20 * H, nodes_up=4, gpus=True)
COMPIL = Partition(name="compil", max_time_s=20 * H, nodes_up=3)
ARCHIVE = Partition(name="archive", max_time_s=20 * H, nodes_up=4)
VISU = Partition(name="visu", max_time_s=4 * H, nodes_up=5)
SHORT = Partition(name="short", max_time_s=1 * H, nodes_up=5)
DEBUG = Partition(name="debug_cpu", max_time_s=None, nodes_up=5)
MAIN = Partition(name="main", max_time_s=None, nodes_up=5)
DOWN = Partition(name="serial", up=False, max_time_s=100 * H, nodes_up=5)
EMPTY = Partition(name="serial2", max_time_s=100 * H, nodes_up=0)

# partitions -> the best, its mode and its limit in hours
CLUSTERS = {
    "jean-zay": ((GPU, CPU, VISU, PREPOST, COMPIL, ARCHIVE), "prepost", "daemon", 20.0),
    "no prepost": ((GPU, CPU, VISU, ARCHIVE), "cpu_p1", "daemon", 20.0),
    "one that lives long over one with a good name": ((GPU, SHORT, MAIN), "main", "daemon", 20.0),
    "nothing long": ((GPU, SHORT, VISU), "short", "ticks", 0.5),
    "a tick of ten minutes": (
        (Partition(name="short", max_time_s=600.0, nodes_up=1),),
        "short",
        "ticks",
        600 / H,
    ),
    "GPUs only": ((GPU,), "gpu_p13", "ticks", 0.5),
    "for debugging only if need be": ((DEBUG, CPU), "cpu_p1", "daemon", 20.0),
    "down and empty": ((GPU, DOWN, EMPTY, CPU), "cpu_p1", "daemon", 20.0),
    "no limits": ((MAIN,), "main", "daemon", 20.0),
}


@pytest.mark.parametrize(("partitions", "best", "mode", "limit_h"), CLUSTERS.values(), ids=CLUSTERS)
def test_the_best_partition(
    partitions: tuple[Partition, ...], best: str, mode: str, limit_h: float
) -> None:
    for order in (partitions, partitions[::-1]):
        found = proposed(order)
        assert found is not None
        assert (found.partition, found.mode, found.time_limit_s) == (best, mode, limit_h * H)


def test_nothing_is_proposed_where_nothing_is_up() -> None:
    assert proposed(()) is None
    assert proposed((DOWN, EMPTY)) is None


def test_why() -> None:
    whys = [one.why for one in (proposed((CPU,)), proposed((PREPOST,)), proposed((GPU,))) if one]
    assert whys == [
        "no GPUs; jobs up to 4 d 4 h; 700 nodes are up",
        "for small jobs by its name, though its nodes have GPUs; jobs up to 20 h; 4 nodes are up",
        "no partition is without GPUs, so only short jobs go there; jobs up to 4 d 4 h; 300 nodes are up",
    ]


def of(account: str, partition: str = "", *qos: str, default: str = "") -> Association:
    return Association(
        cluster="c", account=account, partition=partition, qos=qos, default_qos=default
    )


def test_the_only_account_is_taken() -> None:
    found = proposed((CPU,), (of("six", "", "normal", "long", default="normal"),))
    assert found is not None
    assert (found.account, found.qos, found.default_qos) == ("six", ("normal", "long"), "normal")


def test_of_several_the_one_for_cpus() -> None:
    found = proposed((CPU,), (of("six@v100", "", "g"), of("six@cpu", "", "c"), of("six@a100")))
    assert found is not None
    assert (found.account, found.qos) == ("six@cpu", ("c",))
    assert found.accounts == ("six@v100", "six@cpu", "six@a100")


def test_of_several_alike_none() -> None:
    found = proposed((CPU,), (of("six"), of("seven")))
    assert found is not None
    assert (found.account, found.accounts) == ("", ("six", "seven"))


def test_who_may_use_some_partitions_only_is_proposed_one_of_them() -> None:
    found = proposed((PREPOST, CPU), (of("six", "cpu_p1"), of("seven", "gpu_p13")))
    assert found is not None
    assert (found.partition, found.account) == ("cpu_p1", "six")
    assert proposed((PREPOST,), (of("six", "cpu_p1"),)) is None
