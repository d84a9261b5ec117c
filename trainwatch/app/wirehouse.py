"""Settings -> what looks at the world beside the logs: the part of app/wire.py for housekeeping."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainwatch.app import clock, names, wirebackups, wirepublic, wireslurm
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.sources import Source, Sources
from trainwatch.app.syncing.settings import SyncSettings
from trainwatch.core.errors import StoreUnusable, UsageError

if TYPE_CHECKING:
    from trainwatch.app.checkpoints.desk import Desk
    from trainwatch.app.disks.watching import Eyes
    from trainwatch.app.syncing.turn import Route
    from trainwatch.core.model.snapshot import Configured
    from trainwatch.core.model.state import RunState

_ONCE_S = 40.0  # that a single tick waits for disks

RunOf = Callable[[str], RunSettings]  # finds a run by its name; raises UsageError


def _nobody(name: str) -> RunSettings:
    raise UsageError(f"there is no run '{name}'")


def sources(
    settings: Settings,
    runs: Sequence[RunSettings],
    *,
    state_dir: Path,
    acts: bool,
    run_of: RunOf = _nobody,
    once: bool = False,
    more: Sequence[Source] = (),
) -> Sources:
    """Whatever is configured, over these runs. `once`: for a single tick, which waits for answers.

    `more` are sources besides.

    `run_of` finds the run whose page a route sends.
    `acts`: what does something beyond looking is among it; a screen that watches by itself only looks.
    """
    found: list[Source] = [*more]
    if any(run.checkpoints.looks for run in settings.runs):
        from trainwatch.app.checkpoints.looking import Looking

        make = partial(desk, settings, state_dir, apart=True)
        found.append(Looking(make, acts=acts, waits=once))
    if settings.disks:
        from trainwatch.app.disks.watching import Disks

        found.append(Disks(settings.disks, eyes(), patience_s=_ONCE_S if once else 0.0))
    if settings.sync and acts:
        from trainwatch.app.syncing.source import Syncing

        found.append(Syncing(routes(settings, state_dir, run_of), once=once))
    if acts:
        found += wirepublic.writers(settings, state_dir, once=once)
    made = Sources(found)
    for run in runs:
        made.add(run)
    return made


def configured(settings: Settings, run: RunSettings) -> "Configured":
    """What there is to be seen of the house, for a screen."""
    from trainwatch.core.model.snapshot import Configured

    return Configured(
        checkpoints=run.checkpoints.looks,
        disks=tuple(one.label for one in settings.disks),
        routes=tuple(one.name for one in settings.sync),
    )


def desk(settings: Settings, state_dir: Path, run: RunSettings, *, apart: bool = False) -> "Desk":
    """The checkpoints of a run. Raises UsageError where nothing says where they are.

    `apart`: backups are made by a child process, for whoever watches.
    """
    from trainwatch.adapters.store import StoreReader

    folder = names.run_folder(state_dir, run.name, run.log)

    def state() -> "RunState | None":
        try:
            saved = StoreReader(folder).load()
        except StoreUnusable:
            return None
        return saved.state if saved is not None else None

    made = desk_of(settings, state_dir, run, _root(run, state()), folder, apart=apart)
    return made._replace(state=state)


def desk_of(
    settings: Settings,
    state_dir: Path,
    run: RunSettings,
    root: Path,
    folder: Path | None = None,
    *,
    apart: bool = False,
) -> "Desk":
    """The checkpoints of a root, of whose jobs no watcher told. `folder`: where what was seen is kept."""
    from trainwatch.adapters.checkpoints import memory
    from trainwatch.adapters.checkpoints.listing import Lister
    from trainwatch.adapters.checkpoints.trash import Trash
    from trainwatch.app.checkpoints.desk import Desk

    chosen, path = run.checkpoints, (folder or root) / memory.FILE
    known = memory.load(path, root) if folder is not None else {}
    lister = Lister(root, chosen.stats_per_s, clock.elapsed, clock.wait, known)

    def remember() -> None:
        if folder is not None:
            memory.save(path, root, lister.known)

    return Desk(
        root=str(root),
        settings=chosen,
        ours=run.slurm,
        lister=lister,
        trash=Trash(root, clock.elapsed, clock.wait),
        scheduler=wireslurm.scheduler(settings),
        state=lambda: None,
        now=clock.now,
        remember=remember,
        shelves=wirebackups.shelves(settings, state_dir, run, root, chosen.backups, apart=apart),
    )


def _root(run: RunSettings, state: "RunState | None") -> Path:
    """As configured, else as the log says."""
    if run.checkpoints.path:
        return names.absolute(run.checkpoints.path)
    told = state.facts.save_path if state is not None else None
    if told and Path(told).is_absolute():
        return Path(told)
    raise UsageError(
        f"nothing says where the checkpoints of {run.name or run.log} are: set path in "
        "[runs.checkpoints], or name their folder"
    )


def eyes() -> "Eyes":
    """What looks at disks."""
    from trainwatch.adapters import disks, strays
    from trainwatch.app.disks.watching import Eyes

    return Eyes(
        room=disks.room,
        names=disks.names,
        quota=disks.quota,
        scan=lambda patterns: strays.scan(patterns, clock.wait),
        me=_me,
    )


def _me() -> str:
    """Whoever asks; by number where the machine has no name for them."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def routes(settings: Settings, state_dir: Path, run_of: RunOf = _nobody) -> "list[Route]":
    """The routes of all [[sync]] tables. The Hub's client is loaded by none of this.

    `run_of` finds a run by its name. Raises UsageError where a route names one that is none.
    """
    import random
    import secrets

    from trainwatch.adapters.store.files import replace_file
    from trainwatch.adapters.store.lease import held
    from trainwatch.adapters.sync import Courier, LedgerFile, look
    from trainwatch.app.syncing.needs import Means
    from trainwatch.app.syncing.turn import Route

    folder = names.absolute(str(state_dir)) / "sync"

    def means(name: str) -> Means:
        return Means(
            look=look,
            files=LedgerFile(folder, name, partial(replace_file, sync=True), held),
            target=Courier(),
            token=partial(secrets.token_hex, 8),
            now=clock.now,
            chance=random.random,
        )

    placed = [_placed(one, state_dir, run_of) for one in settings.sync]
    return [Route(one, means(one.name)) for one in placed]


def _placed(route: SyncSettings, state_dir: Path, run_of: RunOf) -> SyncSettings:
    """With the folder that it sends, where that is a run's public one."""
    if route.public is None:
        return route
    from trainwatch.app.publishing.making import PAGE, STATUS

    try:
        run = run_of(route.public)
    except UsageError as error:
        raise UsageError(f"sync {route.name}: public: {error}") from error
    folder = names.absolute(str(names.run_folder(state_dir, run.name, run.log) / wirepublic.PUBLIC))
    return replace(route, root=str(folder), what=(STATUS, PAGE))
