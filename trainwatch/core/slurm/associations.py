"""What a user may do on a cluster: accounts, partitions and QOS (`sacctmgr show assoc`), as values.

The trap: one accounting serves many clusters, and its answer tells of all of them.
"""

import re

import msgspec

from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.patterns import pattern
from trainwatch.core.words import clean

CONFIG = ("scontrol", "show", "config")

_FIELDS = ("Cluster", "Account", "Partition", "QOS", "DefaultQOS")
_USER = pattern(r"[^\s,=|\x00-\x1f\x7f-][^\s,=|\x00-\x1f\x7f]{0,254}")
_CLUSTER = pattern(r"^ClusterName\s*=\s*(\S+)\s*$", re.MULTILINE)
_MOST_LISTED = 10_000


class Association(msgspec.Struct, frozen=True, kw_only=True):
    """A user's place in an account. An empty partition stands for all of them."""

    cluster: str
    account: str
    partition: str = ""
    qos: tuple[str, ...] = ()  # that may be asked for
    default_qos: str = ""


def argv(user: str) -> list[str]:
    """The command. Raises ValueError for a name that no user has."""
    if _USER.fullmatch(user) is None:
        raise ValueError(f"{user!r} is not the name of a user")
    return ["sacctmgr", "-n", "-P", "show", "assoc", f"user={user}", f"format={','.join(_FIELDS)}"]


def parse(data: bytes) -> tuple[Association, ...]:
    """The associations, in the order of the answer; none is an answer. Raises AnswerUnreadable."""
    found = []
    for line in data.decode("utf-8", "replace").splitlines()[:_MOST_LISTED]:
        row = line.split("|")
        if len(row) != len(_FIELDS) or not row[0] or not row[1]:
            raise AnswerUnreadable(f"not an answer of sacctmgr: {clean(line.strip(), 80)}")
        cluster, account, partition, qos, default = row
        allowed = tuple(name for name in qos.split(",") if name)
        found.append(
            Association(
                cluster=cluster,
                account=account,
                partition=partition,
                qos=allowed,
                default_qos=default,
            )
        )
    return tuple(found)


def cluster(data: bytes) -> str:
    """The name of the cluster, by `CONFIG`; empty where it does not say."""
    found = _CLUSTER.search(data.decode("utf-8", "replace"))
    return found[1] if found else ""
