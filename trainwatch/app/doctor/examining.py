"""Everything is looked at: the program, the configuration, and whatever the configuration names."""

from collections.abc import Iterator
from pathlib import Path

from trainwatch import __version__
from trainwatch.app import clock
from trainwatch.app.config import Settings
from trainwatch.app.doctor import asking, cluster, configuring, people, places, runs
from trainwatch.app.doctor.asking import Ask
from trainwatch.app.doctor.eyes import Eyes
from trainwatch.app.doctor.situation import USUAL_S, Situation
from trainwatch.core.doctor import cluster as slurm
from trainwatch.core.doctor import folders, house, program
from trainwatch.core.doctor.check import CONFIGURATION, Check, tellable
from trainwatch.core.doctor.program import Terminal

_FIRST = (program.GROUP, program.TERMINAL, CONFIGURATION, folders.STATE)
_LAST = (house.DISKS, house.SCRIPTS, house.SYNC, house.HUB, slurm.GROUP, house.CHAIN, house.ALERTS)


def examine(
    eyes: Eyes,
    config_file: Path | None,
    state_dir: Path | None,
    terminal: Terminal,
    deadline_s: float | None = None,
) -> list[Check]:
    """All checks, in the order in which they are read. Raises nothing but bugs.

    `deadline_s` bounds each look; without one, each has its usual one.
    """
    found = _examined(eyes, config_file, state_dir, terminal, deadline_s)
    return [tellable(check) for check in found]


def _examined(
    eyes: Eyes,
    config_file: Path | None,
    state_dir: Path | None,
    terminal: Terminal,
    deadline_s: float | None,
) -> list[Check]:
    read_s = USUAL_S if deadline_s is None else deadline_s
    read = configuring.read(config_file, state_dir, read_s, deadline_s)
    at = None
    if read.site is not None:
        at = Situation(read.site, read.runs, clock.now(), deadline_s)
    here = cluster.commands(eyes, read_s)
    settings = Settings() if at is None else at.settings
    found = [*_program(eyes, at), program.terminal(terminal), *read.checks]
    found.append(cluster.judged(here, settings))
    if at is None or not read.there:
        return _grouped(found + asking.answers(list(places.hub(eyes, (), read_s))))
    if len(read.runs) > runs.MOST:
        found.append(_many(len(read.runs)))
    if not at.settings.receivers:
        found.append(house.nobody_told())
    return _grouped(found + asking.answers(list(_asks(at, eyes, here=bool(here)))))


def _asks(at: Situation, eyes: Eyes, *, here: bool) -> Iterator[Ask]:
    yield from runs.asks(at, eyes)
    yield from places.asks(at, eyes, elsewhere=here and bool(cluster.needing(at.settings)))
    yield from cluster.asks(at, eyes) if here else cluster.chain_without_slurm(at)
    yield from people.asks(at, eyes)


def _program(eyes: Eyes, at: Situation | None) -> Iterator[Check]:
    version, executable = eyes.python()
    yield program.python(version, executable, __version__)
    yield program.libraries(eyes.versions(program.LIBRARIES), executable)
    wanted = [library for library, _ in program.EXTRAS.values()]
    needed = {} if at is None else program.needed_extras(_sent_to(at), _scalars(at))
    yield from program.extras(eyes.versions(wanted), needed, executable)


def _sent_to(at: Situation) -> Iterator[tuple[str, str]]:
    for route in at.settings.sync:
        yield f"sync {route.name}", route.to
    for run in at.settings.runs:
        for backup in run.checkpoints.backups:
            yield "[[runs.checkpoints.backups]]", backup.to


def _scalars(at: Situation) -> Iterator[str]:
    return ("[runs.tensorboard]" for run in at.settings.runs if run.tensorboard.dir)


def _many(count: int) -> Check:
    saw = f"{count:,} runs: only the first {runs.MOST} are looked at"
    do = "name some of them in a configuration of their own: --config"
    return Check(group=CONFIGURATION, name="runs", verdict="warning", saw=saw, do=do)


def _grouped(checks: list[Check]) -> list[Check]:
    """With the checks of a group together: what all stands on first, then the runs, then what serves them."""
    runs_ = list(dict.fromkeys(one.group for one in checks if one.group not in (*_FIRST, *_LAST)))
    order = [*_FIRST, *runs_, *_LAST]
    return sorted(checks, key=lambda one: order.index(one.group))
