"""trainwatch report --slurm: the same rows, read by a job array."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import click

from trainwatch.app import names, ourselves, wireslurm
from trainwatch.app.commands.shared import leaving_in_order
from trainwatch.app.progress import Progress, progress
from trainwatch.app.reporting import hours, reading, shares
from trainwatch.app.reporting.desk import Desk
from trainwatch.app.reporting.farming import Farm, Lost
from trainwatch.app.reporting.hours import Hours
from trainwatch.app.reporting.reading import How
from trainwatch.app.reporting.shares import Result, Work
from trainwatch.app.wire import Site
from trainwatch.core.errors import SubmissionRefused, TrainwatchError
from trainwatch.core.rows import ReportRow
from trainwatch.core.slurm.submitting import Submission

_TASK = "trainwatch.app.reporting.task"
T = TypeVar("T")


def rows(
    paths: Sequence[Path], how: How, count: int, jobs: int | None
) -> tuple[list[ReportRow | None], bool]:
    """The rows of these logs, in their order; None for those of a task that was lost, and whether any was."""
    site, sizes = Site(how.settings), [reading.size(path) for path in paths]
    work = shares.work_of("rows", list(map(str, paths)), count, sizes, how, site.state_dir, jobs)
    found, lost = _read(site, work, sizes)
    return [_as(ReportRow, found.get(index)) for index in range(len(paths))], lost


def accounts(
    runs: Sequence[str], site: Site, now: float, count: int
) -> tuple[list[Hours | TrainwatchError | None], bool]:
    """Where the hours of these logs or runs went, or why that is not known; otherwise like `rows`."""
    sizes = [hours.log_bytes(site, run) for run in runs]
    how = How(now=now, settings=site.settings)
    work = shares.work_of("hours", runs, count, sizes, how, site.state_dir, None)
    found, lost = _read(site, work, sizes)
    told = [found.get(index) for index in range(len(runs))]
    return [one if not isinstance(one, ReportRow) else None for one in told], lost


def _as(kind: type[T], result: object) -> T | None:
    return result if isinstance(result, kind) else None


def _read(site: Site, work: Work, sizes: Sequence[int]) -> tuple[dict[int, Result], bool]:
    """The results by index of name, and whether any are lost, which is said."""
    token = secrets.token_hex(6)
    with leaving_in_order(), progress("reading", sum(sizes)) as shown:
        world = wireslurm.cluster(site.settings, lambda text: _beside(shown, text))
        desk = Desk.made(names.absolute(str(site.state_dir)) / "reports" / token, work)
        try:
            farm = Farm(world, desk, work, _job(site, desk, token))
            results, lost = farm.run(shown.advance)
        except BaseException as error:
            desk.clear(world.wait)
            if isinstance(error, SubmissionRefused):
                raise SubmissionRefused(f"{error}. {_WHERE}") from error
            raise
        if not lost:
            desk.clear(world.wait)
    _tell(lost, work, desk)
    return results, bool(lost)


def _beside(shown: Progress, text: str) -> None:
    """Said in a line of its own."""
    shown.clear()
    click.echo(f"trainwatch: {text}", err=True)


_WHERE = (
    "Where such jobs go is said in the configuration: [slurm.jobs] partition, account, qos, "
    "constraint, time_limit_min, options"
)


def _job(site: Site, desk: Desk, token: str) -> Submission:
    chosen = site.settings.slurm.jobs
    limit_s = None if chosen.time_limit_min is None else chosen.time_limit_min * 60
    return chosen.placed(
        Submission(
            script=ourselves.script(_TASK, [str(desk.folder)], '"$SLURM_ARRAY_TASK_ID"'),
            name="trainwatch-report",
            comment=f"trainwatch report {token}",
            folder=str(desk.folder),
            time_limit_s=limit_s,
        )
    )


def _tell(lost: Sequence[Lost], work: Work, desk: Desk) -> None:
    for each in lost:
        share = work.share(each.task)
        count = f"{len(share)} logs have" if len(share) > 1 else "one log has"
        click.echo(f"trainwatch: {count} no row, as {each.why}:", err=True)
        for name in share:
            click.echo(f"  {names.utf8(name)}", err=True)
        if each.last_words:
            click.echo(f"  last words of the task: {each.last_words}", err=True)
    if lost:
        click.echo(f"trainwatch: what the tasks left is kept in {desk.folder}", err=True)
