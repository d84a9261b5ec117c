"""What is there beside the logs, judged: who watches, the chain, disks, scripts, sending, who is told."""

import shlex
from collections.abc import Sequence
from typing import Literal, NamedTuple

from trainwatch.core.doctor.check import Check, Verdict
from trainwatch.core.model.cron import CronStatus
from trainwatch.core.model.lease import Holder
from trainwatch.core.model.scripts import Listing
from trainwatch.core.words import clean, duration, number, percent, short

CHAIN, DISKS, SCRIPTS, SYNC, ALERTS, HUB = "chain", "disks", "scripts", "sync", "alerts", "hub"
_MOST_NAMED = 3
_START = "trainwatch cron start"
_WATCH = "trainwatch watch, or on a cluster trainwatch cron start"


class Watcher(NamedTuple):
    """What is known of a run's watcher. `beat_s`: how old the last heartbeat is; None: there is none."""

    beat_s: float | None
    silent_after_s: float
    holder: Holder | None = None


def watcher(group: str, seen: Watcher) -> Check:
    """Whether somebody watches a run."""
    held = seen.holder if seen.holder is not None and seen.holder.over_s < 0 else None
    by = (
        f"process {held.pid} on {clean(held.host, 60)} holds its lease"
        if held
        else "nobody holds its lease"
    )
    if seen.beat_s is None:
        if held is not None:
            return _check(group, "watcher", "ok", f"{by}, and has yet to say how the run is")
        return _check(group, "watcher", "ok", "nobody has watched it yet", _WATCH)
    if seen.beat_s < -seen.silent_after_s:
        saw = f"its watcher's clock is {duration(-seen.beat_s)} ahead of this machine's; {by}"
        return _check(group, "watcher", "warning", saw, "set both clocks by NTP")
    ago = f"{duration(max(0.0, seen.beat_s))} ago"
    beat = f"last heartbeat {ago}"
    if seen.beat_s <= seen.silent_after_s:
        if held is None:
            return _check(group, "watcher", "ok", f"looked at {ago}; no watcher stays on it now")
        return _check(group, "watcher", "ok", f"{beat}; {by}")
    if held is not None:
        saw = f"{by}, but it is silent: {beat}"
        do = f"look at process {held.pid} there, and start a new one: {_WATCH}"
        return _check(group, "watcher", "wrong", saw, do)
    return _check(group, "watcher", "warning", f"nobody watches it any more: {beat}", _WATCH)


_CHAIN: dict[str, Verdict] = {
    "ok": "ok",
    "warning": "warning",
    "dead": "wrong",
    "unknown": "unknown",
}


def chain(found: CronStatus) -> Check:
    """The chain of jobs that trainwatch lives in."""
    jobs = ", ".join(job.job_id for job in found.running)
    successor = f"successor {found.successor.job_id} waits" if found.successor is not None else ""
    told = ", ".join(part for part in (f"job {jobs} runs" * bool(jobs), successor) if part)
    why = clean(found.why.removesuffix(f": {_START}"), 300)
    saw = "; ".join(part for part in (told, why) if part) or found.health
    if found.health == "stopped":
        return _check(CHAIN, "chain", "ok", saw, f"{_START}, on a login node")
    verdict = _CHAIN.get(found.health, "unknown")
    by_verdict = {"ok": "", "wrong": f"{_START}, on a login node"}
    do = by_verdict.get(verdict, "trainwatch cron status")
    return _check(CHAIN, "chain", verdict, saw, do)


class DiskSeen(NamedTuple):
    """One disk and its quota, as `trainwatch disks` has them. Unknown is None, with `why`."""

    name: str
    bytes_total: int | None
    bytes_free: int | None
    inodes_free: int | None
    health: Literal["ok", "warning", "critical", "unknown"]
    why: str = ""
    quota: str = ""


def disk(seen: DiskSeen) -> Check:
    """Whether it answers, and has room."""
    name = clean(seen.name, 80)
    if seen.health == "unknown" or seen.bytes_free is None:
        do = (
            "run the quota command by hand, and put its keys right in [[disks]]"
            if seen.quota
            else ""
        )
        do = do or "see whether its filesystem answers: ls"
        return _check(DISKS, name, "unknown", clean(seen.why, 300) or "it gave no answer", do)
    share = seen.bytes_free / seen.bytes_total if seen.bytes_total else None
    parts = [f"{short(seen.bytes_free, 'B')} free"]
    parts += [f"{percent(share)} of it"] if share is not None else []
    parts += [f"{short(seen.inodes_free)} inodes"] if seen.inodes_free is not None else []
    saw = ", ".join(parts) + (f" (quota: {seen.quota})" if seen.quota else "")
    do = "make room: trainwatch disks; trainwatch checkpoints prune shows what may go"
    verdicts: dict[str, Verdict] = {"critical": "wrong", "warning": "warning"}
    verdict = verdicts.get(seen.health, "ok")
    return _check(DISKS, name, verdict, saw, "" if verdict == "ok" else do)


def scripts(period: str, folder: str, listing: Listing) -> Check:
    """What of a folder would be run."""
    name = f"{period} {folder}"
    if listing.trouble:
        do = "put it right, or take it out of [scripts]"
        return _check(SCRIPTS, name, "wrong", clean(listing.trouble, 300), do)
    there = _listed([clean(each, 60) for each in listing.names], "script")
    if listing.left_out:
        left, why = listing.left_out[0]
        more = f", and {len(listing.left_out) - 1} more" if len(listing.left_out) > 1 else ""
        saw = f"{there}; left out: {clean(left, 60)}{more}"
        return _check(SCRIPTS, name, "warning", saw, clean(why, 300))
    return _check(SCRIPTS, name, "ok", there)


def source(
    name: str, root: str, files: int, left_out: Sequence[tuple[str, str]], trouble: str
) -> Check:
    """What a route would send."""
    if trouble:
        do = "put `root` right in its [[sync]] table"
        return _check(SYNC, f"{name} from", "wrong", clean(trouble, 300), do)
    saw = f"{root}: {number(files)} file{'s' * (files != 1)} meant by `what`"
    if left_out:
        left, why = left_out[0]
        return _check(
            SYNC,
            f"{name} from",
            "warning",
            f"{saw}; left out: {clean(left, 60)} and {len(left_out) - 1} more",
            clean(why, 300),
        )
    if not files:
        do = f"trainwatch sync --dry-run, and see whether `what` of {name} means them"
        return _check(SYNC, f"{name} from", "warning", saw, do)
    return _check(SYNC, f"{name} from", "ok", saw)


def receiver(name: str, kind: str, trouble: str, *, reached: str | None = None) -> Check:
    """Who is told. `trouble`: there is no URL, or none that is one.

    `reached`: why it was not, empty if it was; None: nobody tried. No word of the URL may be in either.
    """
    test = f"trainwatch alerts test {shlex.quote(name)} sends one message"
    if trouble:
        return _check(ALERTS, name, "wrong", f"{kind}: {clean(trouble, 300)}", _mend(kind))
    if reached:
        saw = f"{kind}: it cannot be reached from this machine: {clean(reached, 300)}"
        do = "compute nodes often have no way out: run it where trainwatch watches, or see to a proxy"
        return _check(ALERTS, name, "unknown", saw, do)
    there = "its URL can be read" if reached is None else "it can be reached"
    return _check(ALERTS, name, "ok", f"{kind}: {there}; nothing was sent", test)


def nobody_told() -> Check:
    """No receiver is configured."""
    saw = "nobody is told of alerts: there is no [receivers.NAME]"
    return _check(ALERTS, "receivers", "warning", saw, "add one, as config.example.toml shows")


def hub_token(found: str, *, needed: Sequence[str]) -> Check:
    """`found`: where a token is, never the token; empty for none. `needed`: routes that go to the Hub."""
    if found:
        return _check(HUB, "login", "ok", f"a token is there ({found})")
    if not needed:
        return _check(HUB, "login", "ok", "no token is there, and nothing is sent to the Hub")
    saw = (
        f"no token is there, and {_listed([clean(each, 60) for each in needed], 'route')} needs one"
    )
    return _check(HUB, "login", "wrong", saw, "hf auth login")


def hub_reached(endpoint: str, why: str) -> Check:
    """`why` it was not; empty if it was."""
    shown = clean(endpoint, 100)
    if not why:
        return _check(HUB, "endpoint", "ok", f"{shown} answers")
    saw = f"{shown} cannot be reached from this machine: {clean(why, 300)}"
    do = "compute nodes often have no way out: run `trainwatch sync` where there is one"
    return _check(HUB, "endpoint", "unknown", saw, do)


def _mend(kind: str) -> str:
    if kind == "status_log":
        return "name a file in a folder that you may write to: path of the receiver"
    return (
        "set the variable (url_env) where trainwatch runs, or write the file (url_file, chmod 600)"
    )


def _listed(names: Sequence[str], noun: str) -> str:
    shown = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
    plural = "" if len(names) == 1 else "s"
    return f"{len(names)} {noun}{plural}" + (f" ({shown})" if names else "")


def _check(group: str, name: str, verdict: Verdict, saw: str, do: str = "") -> Check:
    return Check(group=group, name=name, verdict=verdict, saw=saw, do=do)
