"""sacctmgr show assoc: accounts, partitions and QOS of a user, literally."""

import pytest
from hypothesis import given

from tests.core.slurm.answering import unreadable
from tests.core.slurm.noise import noise
from trainwatch.core.slurm import associations
from trainwatch.core.slurm.associations import Association

ANSWER = b"""jean-zay|six@cpu||qos_cpu-dev,qos_cpu-t3,qos_cpu-t4|qos_cpu-t3
jean-zay|six@v100||qos_gpu-dev,qos_gpu-t3|
old|six@cpu|archive||
"""


def test_the_command() -> None:
    assert associations.argv("ada") == [
        *("sacctmgr", "-n", "-P", "show", "assoc", "user=ada"),
        "format=Cluster,Account,Partition,QOS,DefaultQOS",
    ]


@pytest.mark.parametrize("user", ["", "a b", "a,b", "a=b", "-i", "a\n"])
def test_no_name_of_a_user(user: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a user"):
        associations.argv(user)


def test_an_answer() -> None:
    cpu, gpu, old = associations.parse(ANSWER)
    assert cpu == Association(
        cluster="jean-zay",
        account="six@cpu",
        qos=("qos_cpu-dev", "qos_cpu-t3", "qos_cpu-t4"),
        default_qos="qos_cpu-t3",
    )
    assert (gpu.account, gpu.qos, gpu.default_qos) == (
        "six@v100",
        ("qos_gpu-dev", "qos_gpu-t3"),
        "",
    )
    assert old == Association(cluster="old", account="six@cpu", partition="archive")


def test_no_association_is_an_answer() -> None:
    assert associations.parse(b"") == ()


@pytest.mark.parametrize(
    "data",
    [
        b"You are not running a supported accounting_storage plugin\n",
        b"sacctmgr: error: slurm_persist_conn_open: failed to send persistent connection init message\n",
        b"jean-zay|six@cpu||qos",
        b"|||||\n",
        b"<html>503</html>",
    ],
)
def test_what_is_no_answer(data: bytes) -> None:
    assert unreadable(lambda: associations.parse(data)).startswith("not an answer of sacctmgr: ")


@given(noise)
def test_any_bytes_are_an_answer_or_unreadable(data: bytes) -> None:
    assert unreadable(lambda: associations.parse(data)).isprintable()


def test_the_name_of_the_cluster() -> None:
    answer = b"Configuration data as of 2026-11-21T22:00:00\nCliFilterPlugins = (null)\nClusterName = test\n"
    assert associations.cluster(answer + b"ClusterNameX = no\n") == "test"
    assert (
        associations.cluster(b"slurm_load_ctl_conf error: Unable to contact slurm controller") == ""
    )
