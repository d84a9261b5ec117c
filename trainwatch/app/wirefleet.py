"""The part of wire.py for the screen of all runs: which there are, and how one is opened."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from trainwatch.adapters.owners import owner_of
from trainwatch.adapters.store.glance import Glance
from trainwatch.app import clock, looking, names
from trainwatch.app.config import RunSettings
from trainwatch.app.fleet import FleetSource, Late, Listed
from trainwatch.app.wire import Site
from trainwatch.core.errors import UsageError
from trainwatch.core.model.fleet import FleetRow

_GLOB = frozenset("*?[")


def fleet(site: Site, *, kept: bool = False, now: Callable[[], float] = clock.now) -> FleetSource:
    """The configured runs; `kept`: and those that have a store and are not configured.

    Raises UsageError where there is none, OSError.
    """
    folder, first = site.state_dir / "runs", [listed(site, kept=kept)]
    return FleetSource(
        lambda: first.pop() if first else listed(site, kept=kept),
        lambda run, make: Glance(folder / run.key, make),
        now,
        owner=lambda log: owner_of(Path(log)),
        silent_after_s=looking.silent_after_s(site),
    )


def listed(site: Site, *, kept: bool) -> Sequence[Listed]:
    """Which runs there are. Raises UsageError for none, OSError."""
    runs = _configured(site) if not kept else {}
    if kept:
        with suppress(UsageError):  # none that is configured: those that are kept are left
            runs = _configured(site)
        for folder in _stores(site.state_dir / "runs"):
            runs.setdefault(folder, Listed(folder, "", ""))
    if not runs:
        raise UsageError(
            f"no run is configured, and none is kept in {site.state_dir}; name a log, or add a [[runs]] "
            "table (trainwatch init)"
        )
    return [*runs.values()]


def opened(site: Site, row: FleetRow) -> Late:
    """The screen's source of the run of a row. Asks no disk before it is read."""
    return Late(row.run, lambda: site.screen(run_of(site, row)))


def run_of(site: Site, row: FleetRow) -> RunSettings:
    """The run of a row: as configured, else as its store names it. Raises UsageError."""
    for run in site.runs() if site.settings.runs else ():
        if site.folder(run).name == row.key:
            return run
    run = RunSettings(log=row.log, name=row.run)
    if not row.log or site.folder(run).name != row.key:
        raise UsageError(
            f"{row.key} does not say which log it is of; name the log: trainwatch tui LOG"
        )
    return run


def _configured(site: Site) -> dict[str, Listed]:
    found = dict[str, Listed]()
    for run in site.runs():
        path, user = names.absolute(run.log), run.slurm.user or ""
        user = "" if _GLOB & set(user) else user
        key, name = site.folder(run).name, run.name or path.stem
        found[key] = Listed(key, name, str(path), run.project or "", user)
    return found


def _stores(folder: Path) -> list[str]:
    """Folders of stores. Raises OSError."""
    try:
        return sorted(each.name for each in folder.iterdir() if each.is_dir())
    except FileNotFoundError:
        return []
