"""Slurm: its commands, its answers, and whether the places that a configuration names take our jobs.

The trap: a partition that is not in the answer may be hidden from us, and associations may be kept elsewhere:
only an answer that holds others proves that one is missing.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from trainwatch.core.doctor.check import Check, Verdict
from trainwatch.core.slurm.associations import Association
from trainwatch.core.slurm.partitions import Partition
from trainwatch.core.slurm.site import JobSite
from trainwatch.core.words import duration

GROUP = "slurm"
COMMANDS = ("sbatch", "squeue", "scancel", "scontrol", "sinfo", "sacct", "sacctmgr", "scrontab")
_NEEDED = ("sbatch", "squeue", "scancel", "scontrol", "sinfo")
_SLOW = 0.5  # of the deadline
_INIT = "`trainwatch init` proposes one"


class Place(NamedTuple):
    """Where jobs of ours go: the table that says so, what it says, and how long they run."""

    table: str
    site: JobSite
    limit_s: float | None


def commands(found: Collection[str], needing: Sequence[str]) -> Check:
    """Which are on the PATH. `needing`: tables of the configuration that ask a cluster."""
    if not found:
        saw = "no Slurm on this machine: nothing here waits in a queue"
        if not needing:
            return _check(
                "commands", "ok", f"{saw}; logs, disks and checkpoints are watched all the same"
            )
        do = "run `trainwatch doctor` on a login node of the cluster, where they are looked up"
        return _check("commands", "warning", f"{saw}, but {', '.join(needing)} is about jobs", do)
    missing = [name for name in _NEEDED if name not in found]
    if missing:
        saw = f"{', '.join(missing)} not found; there: {', '.join(found)}"
        return _check(
            "commands", "wrong", saw, "put all of Slurm's commands on the PATH (module load slurm)"
        )
    without = [name for name in COMMANDS if name not in found]
    saw = f"there: {', '.join(found)}" + (f"; not here: {', '.join(without)}" if without else "")
    return _check("commands", "ok", saw)


def answer(name: str, took_s: float, deadline_s: float, saw: str) -> Check:
    """An answer that came."""
    shown = f"{saw} (answered in {took_s:.1f} s)"
    if took_s > _SLOW * deadline_s:
        do = f"raise deadline_s in [slurm], which is {deadline_s:g} s"
        return _check(name, "warning", f"{shown}: a busy controller would take longer", do)
    return _check(name, "ok", shown)


def no_answer(name: str, why: str, *, needed: bool) -> Check:
    """None came: nothing is known, which matters less where nothing that is configured `needed` it."""
    do = f"try `{name}` by hand; a controller that restarts answers in minutes"
    if not needed:
        return _check(name, "warning", f"{why} (nothing that is configured asks it)", do)
    return _check(name, "unknown", why, do)


def no_books(why: str, *, needed: bool) -> Check:
    """Accounting that is not kept costs only how attempts ended."""
    if "disabled" not in why.lower():
        return no_answer("sacct", why, needed=needed)
    saw = f"{why}: how jobs ended is taken from logs alone"
    return _check("sacct", "ok", saw)


def scrontab(trouble: str) -> Check:
    """Where the chain is to be kept by it."""
    if trouble:
        do = 'set keeper = "chain" in [cron], which needs no scrontab'
        return _check("scrontab", "wrong", f"[cron] keeper wants it: {trouble}", do)
    return _check("scrontab", "ok", "it answers, for [cron] keeper")


def placed(
    place: Place, partitions: Sequence[Partition], associations: Sequence[Association] | None
) -> Check:
    """Whether a job would be taken. `associations` None: nobody knows."""
    name, table = place.table, f"[{place.table}]"
    chosen = _partition(place, partitions)
    if chosen is None:
        wanted = place.site.partition
        saw = f"partition {wanted} is not there" if wanted else "no partition is the default one"
        names = ", ".join(one.name for one in partitions)
        return _check(name, "wrong", saw, f"set partition in {table} to one of: {names}")
    for verdict, saw, do in (
        _shut(chosen, table),
        _limited(place, chosen, table),
        _allowed(place, chosen, associations or (), table),
        _defaulted(place, chosen, table),
    ):
        if saw:
            return _check(name, verdict, saw, do)
    limit = f", jobs up to {duration(place.limit_s)}" if place.limit_s is not None else ""
    own = place.site.account or "the default account"
    unknown = "" if associations else "; which accounts are allowed nobody says"
    return _check(name, "ok", f"partition {chosen.name}, {own}{limit}{unknown}")


_Finding = tuple[Verdict, str, str]
_NOTHING: _Finding = ("ok", "", "")


def _partition(place: Place, partitions: Sequence[Partition]) -> Partition | None:
    wanted = place.site.partition.split(",")[0]
    if not wanted:
        return next((one for one in partitions if one.default), None)
    return next((one for one in partitions if one.name == wanted), None)


def _shut(chosen: Partition, table: str) -> _Finding:
    if not chosen.up:
        return "wrong", f"partition {chosen.name} is down", f"choose another in {table}; {_INIT}"
    if not chosen.nodes_up:
        saw = f"no node of partition {chosen.name} is up"
        return "warning", saw, f"wait, or choose another in {table}; {_INIT}"
    return _NOTHING


def _limited(place: Place, chosen: Partition, table: str) -> _Finding:
    most_s = chosen.max_time_s
    if place.limit_s is None or most_s is None or place.limit_s <= most_s:
        return _NOTHING
    saw = f"jobs of {duration(place.limit_s)}, and partition {chosen.name} takes {duration(most_s)}"
    key = "time_limit_h" if table == "[cron]" else "time_limit_min"
    most = most_s / 3600 if table == "[cron]" else most_s / 60
    return "wrong", saw, f"set {key} in {table} to {most:g} or less"


def _allowed(
    place: Place, chosen: Partition, associations: Sequence[Association], table: str
) -> _Finding:
    if not associations:
        return _NOTHING
    mine = [one for one in associations if one.partition in ("", chosen.name)]
    if not mine:
        saw = f"none of your accounts may use partition {chosen.name}"
        return "wrong", saw, f"choose another partition in {table}; {_INIT}"
    account, qos = place.site.account, place.site.qos
    accounts = list(dict.fromkeys(one.account for one in mine))
    if account and account.lower() not in map(str.lower, accounts):
        saw = f"account {account} is none of yours in partition {chosen.name}"
        return "wrong", saw, f"set account in {table} to one of: {', '.join(accounts)}"
    of_account = [one for one in mine if not account or one.account.lower() == account.lower()]
    known = list(dict.fromkeys(name for one in of_account for name in one.qos))
    if qos and known and qos not in known:
        return (
            "wrong",
            f"qos {qos} is none of yours",
            f"set qos in {table} to one of: {', '.join(known)}",
        )
    return _NOTHING


def _defaulted(place: Place, chosen: Partition, table: str) -> _Finding:
    """The partition that a job without one goes to is mostly the one with the GPUs."""
    if place.site.partition or not chosen.gpus:
        return _NOTHING
    saw = f"no partition is set, and the default one, {chosen.name}, has GPUs"
    return "warning", saw, f"set partition in {table} to one for small CPU jobs; {_INIT}"


def _check(name: str, verdict: Verdict, saw: str, do: str = "") -> Check:
    return Check(group=GROUP, name=name, verdict=verdict, saw=saw, do=do)
