"""What was seen around, for one run: which of it is surely its own, and which may be."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
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
            *_checkpoints(around, log, facts.save_path),
            *_jobs(around.jobs, job),
            *_boards(around.boards, facts.tensorboard_path),
        ),
    )


def other_logs(around: Around) -> Sequence[LogAt]:
    """Those whose names TOML can hold, newest first."""
    return [at for at in around.logs if at.path.isprintable()]


def _checkpoints(around: Around, log: str, told: str | None) -> Iterator[str]:
    named = next((root for root in around.roots if root.path == told), None)
    some = [root for root in around.roots if root.found]
    sure = len(some) == 1 and _is_only(log, some[0].path, [at.path for at in around.logs])
    if named is not None:
        seen = _held(named) if not named.why else "it cannot be looked at from here"
        rows = [(named.path, f"from the log (--save); {seen}")]
        yield from _table("checkpoints", "path", rows, off=bool(named.why))
    elif told is not None and told.startswith("/"):
        rows = [(told, "from the log (--save); not looked at")]
        yield from _table("checkpoints", "path", rows, off=True)
    elif sure:
        rows = [(some[0].path, f"seen below the folder: {_held(some[0])}")]
        yield from _table("checkpoints", "path", rows, off=False)
    else:
        rows = [(one.path, f"seen; is it this run's? {_held(one)}") for one in some[:_MOST]]
        yield from _table("checkpoints", "path", rows, off=True)


def _is_only(log: str, root: str, logs: Sequence[str]) -> bool:
    """Whether a root is near this log, and near none that lies elsewhere."""
    mine, below = PurePath(log), PurePath(root)
    others = [path for path in map(PurePath, logs) if path.parent != mine.parent]
    return _is_near(mine, below) and not any(_is_near(path, below) for path in others)


def _is_near(log: PurePath, root: PurePath) -> bool:
    """Whether one lies in the other's folder, or somewhere below it."""
    return root.parent in log.parents or log.parent in root.parents


def _held(root: RootSeen) -> str:
    if not root.found:
        return "nothing in it yet"
    last = max(one.iteration for one in root.found)
    return f"{number(len(root.found))} {root.found[0].kind}, up to iteration {number(last)}"


def _jobs(jobs: Sequence[RunningJob], mine: RunningJob | None) -> Iterator[str]:
    """Which jobs are the run's: surely, if one writes its log."""
    if mine is not None and mine.name:
        rows = [(_glob(mine.name), f"job {mine.job_id} runs and writes this log")]
        yield from _table("slurm", "job_name", rows, off=False)
        return
    doubt = "runs; is it this run's? globs are understood"
    rows = [(_glob(job.name), f"job {job.job_id} {doubt}") for job in jobs if job.name]
    yield from _table("slurm", "job_name", rows[:_MOST], off=True)


def _boards(boards: Sequence[str], told: str | None) -> Iterator[str]:
    """Where the job's own scalars are; ours are written beside them only if somebody wants that."""
    ours = "trainwatch's go beside them, needs trainwatch[tensorboard]"
    if told is not None and told in boards:
        yield from _table("tensorboard", "dir", [(told, f"from the log; {ours}")], off=True)
        return
    rows = [(folder, f"event files were seen there; {ours}") for folder in boards[:_MOST]]
    yield from _table("tensorboard", "dir", rows, off=True)


def _table(name: str, key: str, rows: Sequence[tuple[str, str]], *, off: bool) -> Iterator[str]:
    """A table of the run; `off`: all of it is commented out, so that one can be written in its place."""
    if rows:
        yield f"\n{'# ' if off else ''}[runs.{name}]\n"
        for value, note in rows:
            yield toml.line(key, value, note, off=off)


def _glob(name: str) -> str:
    """A pattern that means this name alone."""
    return re.sub(r"([*?\[])", r"[\1]", name)
