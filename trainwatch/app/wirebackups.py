"""Settings -> places for backups: the part of app/wire.py for what is copied, and one at a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from trainwatch.app import clock, names
from trainwatch.app.config import RunSettings, Settings
from trainwatch.core.errors import LeaseHeld, StoreUnusable

if TYPE_CHECKING:
    from trainwatch.app.checkpoints.safe import Shelves
    from trainwatch.app.checkpoints.settings import BackupSettings
    from trainwatch.core.model.backups import Place


def shelves(
    settings: Settings,
    state_dir: Path,
    run: RunSettings,
    root: Path,
    chosen: "Sequence[BackupSettings]",
    *,
    apart: bool = False,
    into: str | None = None,
) -> "Shelves":
    """The places for a run's backups. `into`: the folder there; else by the name of the run or root."""
    from trainwatch.app.checkpoints.safe import Shelves
    from trainwatch.core.backups import Purge

    if not chosen:
        return Shelves()
    name = run.name or names.run_name(root)
    rule = settings.alerts.purge_risk
    below = names.plain(name) if into is None else into
    return Shelves(
        root=str(root),
        run=name,
        settings=tuple(chosen),
        vaults=tuple(vault(_at_home(one).place(below), apart=apart) for one in chosen),
        hold=partial(_backing_up, state_dir),
        now=clock.now,
        purge=Purge(after_days=rule.purge_after_days, warn_days=rule.warn_before_days),
        stats_per_s=run.checkpoints.stats_per_s,
    )


def vault(place: "Place", *, apart: bool = False) -> Any:
    """One place for backups."""
    if apart:
        from trainwatch.adapters.checkpoints.backup.distant import Distant

        return Distant(place, clock.elapsed)
    from trainwatch.adapters.checkpoints.backup.vault import Vault

    return Vault(place, clock.elapsed, clock.wait)


def _at_home(one: "BackupSettings") -> "BackupSettings":
    """With `~` as the folder that it means."""
    if not one.to.startswith(("/", "~")):
        return one
    return replace(one, to=str(names.absolute(one.to)))


@contextmanager
def _backing_up(state_dir: Path) -> Iterator[Callable[[], None]]:
    """One backup at a time, of all that share the state folder. Raises LeaseHeld, StoreUnusable."""
    from trainwatch.adapters.store.lease import held

    folder = names.absolute(str(state_dir))
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with held(folder / ".backup.lock") as renew:
            yield renew
    except LeaseHeld as error:
        raise LeaseHeld("another backup is being made: they are made one at a time") from error
    except OSError as error:
        raise StoreUnusable(f"{folder}: {error.strerror}") from error
