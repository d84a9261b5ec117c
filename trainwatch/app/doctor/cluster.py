"""Looks at the cluster: its commands, their answers, where our jobs would go, the chain they form."""

from collections.abc import Iterator, Sequence
from functools import partial

from trainwatch.app import clock
from trainwatch.app.config import JobSettings, Settings
from trainwatch.app.cron.settings import CronSettings
from trainwatch.app.doctor.asking import Ask
from trainwatch.app.doctor.eyes import Cluster, Eyes
from trainwatch.app.doctor.situation import Situation, group_of
from trainwatch.app.probe import Probe
from trainwatch.core.beat import judged_chain
from trainwatch.core.doctor import cluster, house
from trainwatch.core.doctor.check import Check
from trainwatch.core.doctor.cluster import Place
from trainwatch.core.errors import SchedulerUnknown, TrainwatchError
from trainwatch.core.ours import Ours, unmatched
from trainwatch.core.slurm.associations import Association

_MORE_S = 2.0  # beyond the deadline of a command, which is killed then
_NO_JOB = "1"  # which the books are asked about: only whether they answer counts
_BY_HAND = "try the command by hand; a controller that restarts answers in minutes"


def commands(eyes: Eyes, deadline_s: float) -> Sequence[str] | None:
    """Those of Slurm's that are here; None where nobody can say: a folder of the PATH hangs."""
    probe = Probe(lambda: tuple(eyes.commands(cluster.COMMANDS)))
    found = probe.answer(deadline_s)
    probe.close()
    return found


def needing(settings: Settings) -> list[str]:
    """The tables that are about jobs."""
    found = [
        ("[cron]", settings.cron != CronSettings()),
        ("[slurm.jobs]", settings.slurm.jobs != JobSettings()),
        ("[runs.slurm]", any(run.slurm != Ours() for run in settings.runs)),
        ("[runs.hands]", any(run.hands.any for run in settings.runs)),
    ]
    return [table for table, is_set in found if is_set]


def judged(found: Sequence[str] | None, settings: Settings) -> Check:
    """Whether the commands that are here are enough."""
    if found is None:
        saw, do = "looking for them gave no answer", "see whether all folders of the PATH answer"
        return Check(group=cluster.GROUP, name="commands", verdict="unknown", saw=saw, do=do)
    return cluster.commands(found, needing(settings))


def asks(at: Situation, eyes: Eyes) -> Iterator[Ask]:
    """What is asked where there is a Slurm."""
    each_s = at.within_s(at.settings.slurm.deadline_s)
    slurm = eyes.cluster(each_s)
    several: list[tuple[str, partial[Sequence[Check]], int]] = [
        ("squeue", partial(_queue, at, slurm, each_s), 1),
        ("sinfo", partial(_sites, at, slurm, each_s), 3),
        ("sacct", partial(_books, at, slurm, each_s), 1),
    ]
    if at.settings.cron.keeper == "scrontab":
        several.append(("scrontab", partial(_scrontab, eyes, each_s), 1))
    for name, look, questions in several:
        yield Ask(cluster.GROUP, name, look, questions * (each_s + _MORE_S), _BY_HAND)
    deadline_s = at.settings.slurm.deadline_s
    yield Ask(
        house.CHAIN, "chain", partial(_chain, at), at.within_s(deadline_s) + _MORE_S, _BY_HAND
    )


def chain_without_slurm(at: Situation) -> Iterator[Ask]:
    """What the chain said last, where nobody can be asked."""

    def look() -> Sequence[Check]:
        said = at.site.chain()
        return [] if said is None else [house.chain(judged_chain(said, at.now))]

    yield Ask(house.CHAIN, "chain", look, at.within_s())


def _queue(at: Situation, slurm: Cluster, deadline_s: float) -> Sequence[Check]:
    began = clock.elapsed()
    try:
        jobs = slurm.queue()
    except SchedulerUnknown as error:
        return [cluster.no_answer("squeue", str(error), needed=bool(needing(at.settings)))]
    took_s = clock.elapsed() - began
    found = [cluster.answer("squeue", took_s, deadline_s, f"{len(jobs):,} jobs of yours")]
    for run in at.runs:
        if run.slurm == Ours():
            continue
        mine = run.slurm.among(jobs)
        group = group_of(run)
        if mine:
            saw = f"{len(mine):,} in the queue ({run.slurm.in_words()})"
            found.append(Check(group=group, name="jobs", verdict="ok", saw=saw))
        else:
            do = "nothing, if none is submitted; else put [runs.slurm] right (globs, as squeue shows them)"
            saw = unmatched(run.slurm, jobs)
            found.append(Check(group=group, name="jobs", verdict="warning", saw=saw, do=do))
    return found


def _sites(at: Situation, slurm: Cluster, deadline_s: float) -> Sequence[Check]:
    began = clock.elapsed()
    try:
        partitions = slurm.partitions()
    except SchedulerUnknown as error:
        return [cluster.no_answer("sinfo", str(error), needed=bool(needing(at.settings)))]
    names = ", ".join(one.name for one in partitions[:8])
    found = [cluster.answer("sinfo", clock.elapsed() - began, deadline_s, f"partitions: {names}")]
    places = list(_places(at.settings))
    if places:
        mine = _mine(slurm)
        found += [cluster.placed(place, partitions, mine) for place in places]
    return found


def _places(settings: Settings) -> Iterator[Place]:
    """Where jobs of ours are configured to go."""
    cron, jobs = settings.cron, settings.slurm.jobs
    if cron != CronSettings():
        yield Place("cron", cron, cron.time_limit_s)
    if jobs != JobSettings():
        limit_s = jobs.time_limit_min * 60 if jobs.time_limit_min is not None else None
        yield Place("slurm.jobs", jobs, limit_s)


def _mine(slurm: Cluster) -> tuple[Association, ...] | None:
    try:
        return slurm.associations()
    except SchedulerUnknown:
        return None


def _books(at: Situation, slurm: Cluster, deadline_s: float) -> Sequence[Check]:
    began = clock.elapsed()
    try:
        slurm.ended((_NO_JOB,))
    except SchedulerUnknown as error:
        return [cluster.no_books(str(error), needed=bool(needing(at.settings)))]
    return [cluster.answer("sacct", clock.elapsed() - began, deadline_s, "the books are kept")]


def _scrontab(eyes: Eyes, deadline_s: float) -> Sequence[Check]:
    return [cluster.scrontab(eyes.scrontab(deadline_s))]


def _chain(at: Situation) -> Sequence[Check]:
    from trainwatch.app.cron import starting
    from trainwatch.app.cron.wire import CronSite

    try:
        return [house.chain(starting.status(CronSite(at.site), at.now))]
    except TrainwatchError as error:
        saw = str(error)
        return [Check(group=house.CHAIN, name="chain", verdict="unknown", saw=saw)]
