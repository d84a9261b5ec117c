"""Where a small job that lives for long may go: the best partition of those that there are, and the account.

The trap: the default partition is the one with the GPUs; a watcher there would wait for days, and be charged
for them. Partitions for CPU jobs may have GPUs all the same: their names say what they are for.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from trainwatch.core.slurm.associations import Association
from trainwatch.core.slurm.partitions import Partition
from trainwatch.core.words import duration

LONG_S = 20 * 3600.0
_TICK_S = 1800.0
# What partitions for small CPU jobs are called, the best first; and those that are for something else.
_SMALL = ("prepost", "compil", "serial", "cpu", "archive", "short")
_OTHER = re.compile(r"debug|dev|test|interact|preempt|visu|big_?mem|large|jupyter")
_OF_CPUS = re.compile(r"@cpu|[-_.]cpu|cpu$")


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """What a configuration may say. Empty: leave it to the cluster. `why` is for its reader."""

    partition: str
    time_limit_s: float
    mode: Literal["daemon", "ticks"]
    account: str = ""
    accounts: tuple[str, ...] = ()  # all that may be used there
    qos: tuple[str, ...] = ()  # all that may be asked for
    default_qos: str = ""
    why: str = ""


def proposed(
    partitions: Sequence[Partition], associations: Sequence[Association] = ()
) -> Proposal | None:
    """The best; None where no partition is up that the user may use.

    Without associations nothing is known of them, and every partition may be used.
    """
    named = {one.partition for one in associations}
    usable = [
        one
        for one in partitions
        if one.up and one.nodes_up and (not named or "" in named or one.name in named)
    ]
    if not usable:
        return None
    best = max(usable, key=_rank)
    mine = [one for one in associations if one.partition in ("", best.name)]
    accounts = tuple(dict.fromkeys(one.account for one in mine))
    account = _account(accounts)
    of_account = [one for one in mine if one.account == account] if account else mine
    daemon = _for_cpus(best) and _is_long(best)
    return Proposal(
        partition=best.name,
        time_limit_s=min(best.max_time_s or LONG_S, LONG_S if daemon else _TICK_S),
        mode="daemon" if daemon else "ticks",
        account=account,
        accounts=accounts,
        qos=tuple(dict.fromkeys(name for one in of_account for name in one.qos)),
        default_qos=next((one.default_qos for one in of_account if one.default_qos), ""),
        why=_why(best),
    )


def _rank(one: Partition) -> tuple[float | bool, ...]:
    """The larger the better; of equals the first."""
    small = next((-place for place, word in enumerate(_SMALL) if word in one.name.lower()), -99)
    other = _OTHER.search(one.name.lower()) is not None
    limit_s = float("inf") if one.max_time_s is None else one.max_time_s
    return (_for_cpus(one), _is_long(one), not other, small, not one.gpus, limit_s, one.nodes_up)


def _for_cpus(one: Partition) -> bool:
    return not one.gpus or _called_small(one)


def _called_small(one: Partition) -> bool:
    return any(word in one.name.lower() for word in _SMALL)


def _is_long(one: Partition) -> bool:
    return one.max_time_s is None or one.max_time_s >= LONG_S


def _account(accounts: Sequence[str]) -> str:
    """The only one, or the only one for CPUs; else the user has to say, or has a default."""
    if len(accounts) == 1:
        return accounts[0]
    of_cpus = [name for name in accounts if _OF_CPUS.search(name.lower())]
    return of_cpus[0] if len(of_cpus) == 1 else ""


def _why(one: Partition) -> str:
    limit = "without a limit" if one.max_time_s is None else f"up to {duration(one.max_time_s)}"
    nodes = "1 node is up" if one.nodes_up == 1 else f"{one.nodes_up:,} nodes are up"
    if not one.gpus:
        kind = "no GPUs"
    elif _called_small(one):
        kind = "for small jobs by its name, though its nodes have GPUs"
    else:
        kind = "no partition is without GPUs, so only short jobs go there"
    return f"{kind}; jobs {limit}; {nodes}"
