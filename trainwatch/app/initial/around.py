"""A look around: bounded, in threads that can be given up on.

The trap: whoever has a log and nothing else must get a configuration, whatever else hangs or is missing.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from trainwatch.app import clock, names
from trainwatch.app.probe import Probe
from trainwatch.app.wire import Site
from trainwatch.core.around import Around, LogAt
from trainwatch.core.doctor import logs
from trainwatch.core.doctor.logs import Ends
from trainwatch.core.doctor.roots import RootSeen
from trainwatch.core.errors import LogUnreadable, SchedulerUnknown, TrainwatchError, UsageError
from trainwatch.core.facts import Facts
from trainwatch.core.model.observations import Job
from trainwatch.core.slurm.outputs import RunningJob

T = TypeVar("T")
WITHIN_S = 8.0  # of a walk; it is given up on after twice that
_JOBS_S = 20.0
_MOST_JOBS = 12


class Walked(Protocol):
    """What lies below a folder: adapters/surroundings.py."""

    @property
    def logs(self) -> Sequence[Path]: ...

    @property
    def roots(self) -> Sequence[Path]: ...

    @property
    def boards(self) -> Sequence[Path]: ...

    @property
    def cut(self) -> str: ...


class Cluster(Protocol):
    """A cluster that is asked. Each raises SchedulerUnknown."""

    def queue(self) -> tuple[Job, ...]: ...

    def output(self, job_id: str) -> str: ...


class Senses(NamedTuple):
    """What is looked with (app/wiredoctor.py). `cluster` is None where there is none."""

    walk: Callable[[Path, float], Walked]
    ends: Callable[[Path], Ends]
    glance: Callable[[Path], RootSeen]
    token: Callable[[], str]
    cluster: Cluster | None


def look(
    senses: Senses, site: Site, folder: Path, now: float, *, within_s: float = WITHIN_S
) -> Around:
    """All that is around. Raises nothing but bugs."""
    place = names.absolute(str(folder))
    below = Probe(lambda: _below(senses, site, place, now, within_s))
    jobs = Probe(lambda: _jobs(senses.cluster))
    login = Probe(senses.token)
    for each in (below, jobs, login):
        each.ask()
    hangs = f"it gave no answer in {2 * within_s:g} s"
    seen = _answer(below, 2 * within_s) or Around(str(place), cut=hangs)
    running = _answer(jobs, _JOBS_S) or ()
    seen = seen._replace(jobs=running, login=_answer(login, within_s) or "")
    return _with_outputs(senses, site, seen, now, within_s)


def with_root(senses: Senses, around: Around, facts: Facts, within_s: float = WITHIN_S) -> Around:
    """With the folder of checkpoints that a log names, wherever it is. Raises nothing."""
    told = facts.save_path
    if not told or not Path(told).is_absolute() or any(told == root.path for root in around.roots):
        return around
    root = _answer(Probe(lambda: senses.glance(Path(told).resolve())), within_s)
    if root is None:
        root = RootSeen(told, why="it gives no answer")
    return around._replace(
        roots=(root._replace(path=told if root.why else root.path), *around.roots)
    )


def _below(senses: Senses, site: Site, folder: Path, now: float, within_s: float) -> Around:
    walked = senses.walk(folder, within_s)
    until, found, cut = clock.elapsed() + within_s, list[LogAt](), walked.cut
    for path in walked.logs:
        if clock.elapsed() > until:
            cut = cut or f"reading logs ended after {within_s:g} s"
            break
        found += _log(senses, site, path, now)
    found.sort(key=lambda at: -at.seen.written_at)
    roots = [senses.glance(path) for path in walked.roots if str(path).isprintable()]
    return Around(
        folder=str(folder),
        logs=tuple(found),
        roots=tuple(root for root in roots if not root.why),
        boards=tuple(str(path) for path in walked.boards if str(path).isprintable()),
        cut=cut,
    )


def _log(senses: Senses, site: Site, path: Path, now: float) -> list[LogAt]:
    """The file, if there are iterations in it."""
    try:
        place = names.absolute(str(path))
        seen = logs.seen(senses.ends(place), site.scanner(), site.utc_offset_s(), now)
    except (LogUnreadable, UsageError):
        return []
    return [LogAt(str(place), seen)] if seen.last is not None else []


def _jobs(cluster: Cluster | None) -> tuple[RunningJob, ...]:
    """The jobs of whoever asks that run, with where they write to."""
    if cluster is None:
        return ()
    running = [job for job in cluster.queue() if job.state == "RUNNING"][:_MOST_JOBS]
    return tuple(RunningJob(job.job_id, job.name, _output(cluster, job)) for job in running)


def _output(cluster: Cluster, job: Job) -> str:
    try:
        return cluster.output(job.job_id)
    except SchedulerUnknown:
        return ""


def _with_outputs(senses: Senses, site: Site, seen: Around, now: float, within_s: float) -> Around:
    """With the logs that running jobs write elsewhere."""
    known = {at.path for at in seen.logs}
    new = [Path(job.output) for job in seen.jobs if job.output and job.output not in known]
    read = _answer(
        Probe(lambda: [at for path in new for at in _log(senses, site, path, now)]), within_s
    )
    return seen._replace(logs=(*seen.logs, *(read or ())))


def _answer(probe: Probe[T], patience_s: float) -> T | None:
    """None where there is none."""
    try:
        return probe.answer(patience_s)
    except (TrainwatchError, OSError):
        return None
    finally:
        probe.close()
