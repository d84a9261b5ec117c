"""The cluster, as the configuration has it: who is asked, who may act, what runs by the clock.

A part of app/wire.py, and like it allowed to name adapters; each is loaded where it is needed.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainwatch.app import clock, names
from trainwatch.app.config import RunSettings, Settings
from trainwatch.core.errors import SchedulerUnknown, UsageError
from trainwatch.core.ours import Ours

if TYPE_CHECKING:
    from trainwatch.app.cron.scripts import Scripts
    from trainwatch.app.hands import Chosen, Hands
    from trainwatch.app.queueing import Queues
    from trainwatch.app.reporting.farming import World
    from trainwatch.app.watched import Watched
    from trainwatch.core.ports import Scheduler
    from trainwatch.core.slurm.proposing import Proposal

_ASIDE_S = 10.0  # a cluster that takes longer to say what it has is not waited for


def chosen(run: RunSettings, folder: Path) -> "Chosen":
    """What the configuration says of the hands on a run's jobs; `folder` is of its store."""
    from trainwatch.app.hands import Chosen

    return Chosen(run.hands, run.slurm, folder / "evidence")


def hands(settings: Settings, chosen: "Mapping[str, Chosen]") -> "Hands":
    """Who may do something to jobs, by run."""
    from trainwatch.adapters.evidence import Evidence
    from trainwatch.adapters.slurm import Hands as JobHands
    from trainwatch.app.hands import Hands

    return Hands(
        scheduler(settings),
        JobHands(),
        Evidence(),
        chosen,
        interval_s=settings.slurm.interval_s,
        look_every_s=max(60.0, settings.poll_interval_s),
    )


def hands_of(
    settings: Settings,
    watched: "Sequence[Watched]",
    runs: Sequence[RunSettings],
    folder: Callable[[RunSettings], Path],
) -> "Hands | None":
    """Who may do something to the jobs of what is watched; None where nobody may.

    `folder` is that of a run's store.
    """
    allowed = {
        name: chosen(run, folder(run)) for name, run in _with_runs(watched, runs) if run.hands.any
    }
    return hands(settings, allowed) if allowed else None


def queues_of(
    settings: Settings, watched: "Sequence[Watched]", runs: Sequence[RunSettings], *, once: bool
) -> "Queues | None":
    """Who asks the scheduler, where a run says which jobs are its own."""
    ours = {name: run.slurm for name, run in _with_runs(watched, runs) if run.slurm != Ours()}
    return queues(settings, ours, once=once) if ours else None


def _with_runs(
    watched: "Sequence[Watched]", runs: Sequence[RunSettings]
) -> Iterator[tuple[str, RunSettings]]:
    """What is watched by its name, with what is configured of it."""
    of_log = dict[str, list[RunSettings]]()
    for run in runs:
        of_log.setdefault(str(names.absolute(run.log)), []).append(run)
    for each in watched:
        for run in of_log.get(each.log_path, ()):
            yield each.name, run


def queues(
    settings: Settings,
    ours: Mapping[str, Ours],
    *,
    once: bool,
    of_job: Mapping[str, str] | None = None,
) -> "Queues":
    """Who asks the scheduler for these runs.

    `of_job`: the environment of the job that we are ourselves, which must be among the answers.
    """
    from trainwatch.app.queueing import Queues

    chosen = settings.slurm
    patience_s = 2 * chosen.deadline_s if once else 0.0
    return Queues(scheduler(settings, of_job), ours, chosen.interval_s, patience_s=patience_s)


def scheduler(settings: Settings, of_job: Mapping[str, str] | None = None) -> "Scheduler":
    """The cluster that this machine's commands ask."""
    from trainwatch.adapters.slurm import Slurm

    chosen = settings.slurm
    users, accounts = set(chosen.users), set(chosen.accounts)
    if users and of_job is not None:
        users.add(names.user())
    if accounts and of_job is not None:
        accounts.update(filter(None, [of_job.get("SLURM_JOB_ACCOUNT")]))
    return Slurm(
        sorted(users),
        sorted(accounts),
        as_json=chosen.answers == "json",
        deadline_s=chosen.deadline_s,
    )


def proposal(settings: Settings) -> "Proposal | None":
    """Where jobs of our own may go; None where there is no Slurm, or it gives no answer."""
    from trainwatch.adapters.slurm import Slurm, installed
    from trainwatch.core.slurm.proposing import proposed

    if not installed():
        return None
    slurm = Slurm(deadline_s=min(_ASIDE_S, settings.slurm.deadline_s))
    try:
        partitions = slurm.partitions()
    except SchedulerUnknown:
        return None
    with suppress(SchedulerUnknown):  # no accounting, or none for us: the cluster has its defaults
        return proposed(partitions, slurm.associations())
    return proposed(partitions)


def cluster(settings: Settings, say: Callable[[str], None]) -> "World":
    """The cluster that jobs of our own go to, and its clock. Raises UsageError where there is none."""
    from trainwatch.adapters.slurm import Hands, Slurm, installed
    from trainwatch.app.reporting.farming import World

    if not installed():
        raise UsageError(
            "there is no sbatch here: --slurm is for a cluster's login node; leave it out to read on "
            "this machine"
        )
    chosen = settings.slurm
    slurm = Slurm(as_json=chosen.answers == "json", deadline_s=chosen.deadline_s)
    return World(Hands(), slurm, clock.now, clock.wait, say)


def scripts(
    settings: Settings,
    state_dir: Path,
    config_path: Path | None = None,
    *,
    patience_s: float = 0.0,
) -> "Scripts | None":
    """The hourly and daily scripts of a configuration (that of `config_path`); None without folders.

    Scripts are told where state and configuration are. `patience_s`: see app/cron/scripts.py.
    """
    chosen = settings.scripts
    if not (chosen.hourly or chosen.daily):
        return None
    import shutil

    from trainwatch.adapters.scripts import LedgerFile, Machine
    from trainwatch.adapters.slurm import Hands, Slurm
    from trainwatch.adapters.store.files import replace_file
    from trainwatch.app.cron.jobs import BatchJobs
    from trainwatch.app.cron.scripts import Scripts

    place = names.absolute(str(state_dir)) / "cron"
    lock, deadline_s = partial(_locked, place / "scripts.lock"), settings.slurm.deadline_s
    told = {"TRAINWATCH_STATE_DIR": str(place.parent)}
    if config_path is not None:
        told["TRAINWATCH_CONFIG"] = str(names.absolute(str(config_path)))
    return Scripts(
        chosen.folders(),
        Machine(group_may_write=chosen.group_may_write),
        LedgerFile(place / "scripts.json", partial(replace_file, sync=True), lock),
        place / "scripts",
        chosen.grid(clock.local_utc_offset_s),
        deadline_s=chosen.deadline_min * 60,
        environment={**os.environ, **told},
        jobs=BatchJobs(Hands(), Slurm(deadline_s=deadline_s)) if shutil.which("sbatch") else None,
        patience_s=patience_s,
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Nobody else holds it meanwhile. Raises LeaseHeld."""
    from trainwatch.adapters.store.lease import Lease

    lease = Lease(path, patience_s=5.0)
    try:
        yield
    finally:
        lease.release()
