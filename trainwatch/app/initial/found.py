"""What was seen around, for one run: which of it is surely its own, and which may be."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from trainwatch.app.initial import toml
from trainwatch.core.around import Around, LogAt
from trainwatch.core.doctor.roots import RootSeen
from trainwatch.core.facts import Facts
from trainwatch.core.slurm.outputs import RunningJob
from trainwatch.core.words import number

_MOST = 4  # that may be meant


class Beside(NamedTuple):
    """A note on the log, and the tables of the run that follow it."""

    log: str
    tables: tuple[str, ...] = ()


def beside(around: Around, log: str, facts: Facts) -> Beside:
    """Of the run that writes `log`."""
    job = around.job_of(log)
    note = f"job {job.job_id} ({job.name}) writes it" if job is not None else ""
    return Beside(
        note,
        (
            *_checkpoints(around.roots, facts.save_path),
            *_jobs(around.jobs, job),
            *_boards(around.boards, facts.tensorboard_path),
        ),
    )


def other_logs(around: Around) -> Sequence[LogAt]:
    """Those whose names TOML can hold, newest first."""
    return [at for at in around.logs if at.path.isprintable()]


def _checkpoints(roots: Sequence[RootSeen], told: str | None) -> Iterator[str]:
    named = next((root for root in roots if root.path == told), None)
    with_some = [root for root in roots if root.found]
    if named is not None:
        seen = _held(named) if not named.why else "it cannot be looked at from here"
        yield "\n[runs.checkpoints]\n"
        note = f"from the log (--save); {seen}"
        yield toml.line("path", named.path, note, off=bool(named.why))
    elif told and Path(told).is_absolute():
        yield "\n[runs.checkpoints]\n"
        yield toml.line("path", told, "from the log (--save); not looked at", off=True)
    elif with_some:
        yield "\n[runs.checkpoints]\n"
        sure = len(with_some) == 1
        for root in with_some[:_MOST]:
            doubt = "seen below the folder" if sure else "seen; is it this run's?"
            yield toml.line("path", root.path, f"{doubt}: {_held(root)}", off=not sure)


def _held(root: RootSeen) -> str:
    if not root.found:
        return "nothing in it yet"
    last = max(one.iteration for one in root.found)
    return f"{number(len(root.found))} {root.found[0].kind}, up to iteration {number(last)}"


def _jobs(jobs: Sequence[RunningJob], mine: RunningJob | None) -> Iterator[str]:
    """Which jobs are the run's: surely, if one writes its log."""
    if mine is not None and mine.name:
        yield "\n[runs.slurm]\n"
        yield toml.line("job_name", _glob(mine.name), f"job {mine.job_id} runs and writes this log")
        return
    named = [job for job in jobs if job.name]
    if named:
        yield "\n[runs.slurm]\n"
        for job in named[:_MOST]:
            note = f"job {job.job_id} runs; is it this run's? globs are understood"
            yield toml.line("job_name", _glob(job.name), note, off=True)


def _boards(boards: Sequence[str], told: str | None) -> Iterator[str]:
    """Where the job's own scalars are; ours are written beside them only if somebody wants that."""
    sure = told is not None and told in boards
    chosen = [told] if sure and told is not None else list(boards[:_MOST])
    if chosen:
        yield "\n[runs.tensorboard]\n"
        for folder in chosen:
            whence = "from the log" if sure else "event files were seen there"
            note = f"{whence}; trainwatch's go beside them, needs trainwatch[tensorboard]"
            yield toml.line("dir", folder, note, off=True)


def _glob(name: str) -> str:
    """A pattern that means this name alone."""
    return re.sub(r"([*?\[])", r"[\1]", name)
