"""The configuration: found, read, understood; the runs that it means.

The trap: it may lie on a filesystem that hangs, or be a pipe: it is read in a thread like all else.
"""

import glob
import shlex
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from trainwatch.app import config
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.logfile import there
from trainwatch.app.probe import Probe
from trainwatch.app.wire import Site
from trainwatch.core.doctor.check import CONFIGURATION, Check, Verdict
from trainwatch.core.errors import TrainwatchError, UsageError
from trainwatch.core.words import clean

T = TypeVar("T")
_INIT = "trainwatch init LOG -o trainwatch.toml"


class Read(NamedTuple):
    """What came of reading it. `site` None: it cannot be used, and the checks say why."""

    site: Site | None
    runs: Sequence[RunSettings]
    checks: Sequence[Check]
    there: bool  # there is one, good or bad


def read(
    config_file: Path | None, state_dir: Path | None, deadline_s: float, bound_s: float | None
) -> Read:
    """Read it, and find its runs. `bound_s` bounds the deadlines that it sets itself. Raises nothing."""
    found_at = _within(deadline_s, "file", lambda: (config_file or config.default_path(),))
    if isinstance(found_at, Check):
        return Read(None, (), [found_at], there=True)
    (path,) = found_at
    made = _within(deadline_s, "file", lambda: _site(path, state_dir, bound_s))
    if isinstance(made, Check):
        return Read(None, (), [made], there=True)
    if path is None:
        looked = ", ".join(map(str, config.usual_paths()))
        saw = f"none: TRAINWATCH_CONFIG is not set, and there is no {looked.replace(', ', ' and no ')}"
        return Read(made, (), [_check("file", "ok", saw, _INIT)], there=False)
    found = [_check("file", "ok", str(path)), *_rights(path)]
    runs = _within(deadline_s, "runs", lambda: _runs(made))
    if isinstance(runs, Check):
        return Read(made, (), [*found, runs], there=True)
    return Read(made, runs, [*found, *_meant(made, runs)], there=True)


def _site(path: Path | None, state_dir: Path | None, bound_s: float | None) -> Site:
    """Raises UsageError."""
    settings = config.load(path)
    if bound_s is not None:
        settings = _bounded(settings, bound_s)
    return Site(settings, state_dir, config_path=path)


def _bounded(settings: Settings, most_s: float) -> Settings:
    """No command of another outlives the look that began it."""
    disks = tuple(replace(one, deadline_s=min(one.deadline_s, most_s)) for one in settings.disks)
    slurm = replace(settings.slurm, deadline_s=min(settings.slurm.deadline_s, most_s))
    return replace(settings, disks=disks, slurm=slurm)


def _runs(site: Site) -> Sequence[RunSettings]:
    return site.runs() if site.settings.runs else ()


def _meant(site: Site, runs: Sequence[RunSettings]) -> Sequence[Check]:
    """What the [[runs]] tables mean."""
    if not site.settings.runs:
        return [_check("runs", "warning", "no run is configured: there is no [[runs]]", _INIT)]
    many = f"{len(runs):,} runs" if len(runs) != 1 else "1 run"
    shown = ", ".join(clean(run.name or run.log, 40) for run in runs[:5])
    found = [_check("runs", "ok", f"{many}: {shown}{', ...' if len(runs) > 5 else ''}")]
    for run in site.settings.runs:
        pattern = str(Path(run.log).expanduser())
        if glob.has_magic(pattern) and not there(Path(pattern)) and not _any(pattern):
            do = "put it right in [[runs]], if its logs are there already"
            found.append(_check("runs", "warning", f"no log matches {run.log}", do))
    return found


def _any(pattern: str) -> bool:
    return next(glob.iglob(pattern, recursive=True), None) is not None  # noqa: PTH207


def _rights(path: Path) -> Sequence[Check]:
    """Who may write to it says which commands are run: quotas, scripts that are submitted."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ()
    if not mode & (stat.S_IWOTH | stat.S_IWGRP):
        return ()
    who = "everybody" if mode & stat.S_IWOTH else "its group"
    saw = f"{who} may write to it ({stat.S_IMODE(mode):04o}), and so have commands run as you"
    verdict: Verdict = "wrong" if mode & stat.S_IWOTH else "warning"
    return [_check("rights", verdict, saw, f"chmod go-w {_quoted(path)}")]


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def _within(deadline_s: float, name: str, look: Callable[[], T]) -> T | Check:
    """The answer, or why there is none."""
    probe = Probe(look)
    try:
        answer = probe.answer(deadline_s)
    except UsageError as error:
        return _check(
            name, "wrong", str(error), "put it right there; config.example.toml has all keys"
        )
    except TrainwatchError as error:
        return _check(name, "unknown", str(error))
    finally:
        probe.close()
    if answer is None:
        what = "reading it" if name == "file" else "looking for its logs"
        saw = f"{what} gave no answer in {deadline_s:g} s"
        return _check(name, "unknown", saw, "see whether its filesystem answers (ls)")
    return answer


def _check(name: str, verdict: Verdict, saw: str, do: str = "") -> Check:
    return Check(group=CONFIGURATION, name=name, verdict=verdict, saw=saw, do=do)
