"""A look into the folders, and what the ledger holds that nobody else will settle.

The trap: a script that its watcher began may run on without it; and of another machine nothing can be seen.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.app.cron.needs import Machine
from trainwatch.core import scripting
from trainwatch.core.model.cron import ScriptStatus
from trainwatch.core.model.observations import ScriptReading
from trainwatch.core.model.scripts import Begun, Ended, Ledger, Place, Script

Settled = Iterator[tuple[str, Begun, ScriptReading | None]]


class Look(NamedTuple):
    """What was found in the folders."""

    scripts: tuple[Script, ...] = ()
    left_out: tuple[ScriptStatus, ...] = ()
    unseen: tuple[Place, ...] = ()
    troubles: tuple[str, ...] = ()


def look(places: Sequence[Place], machine: Machine) -> Look:
    """What lies in the folders now."""
    scripts, left, unseen, troubles = [], [], [], []
    for place in places:
        listing = machine.listed(place.folder)
        scripts += [Script(place=place, name=name) for name in listing.names]
        left += [scripting.left_out(place, name, why) for name, why in listing.left_out]
        if listing.trouble:
            unseen.append(place)
            troubles.append(f"{place.folder} ({place.period} scripts): {listing.trouble}")
    return Look(tuple(scripts), tuple(left), tuple(unseen), tuple(troubles))


def settle(ledger: Ledger, found: Look, machine: Machine, now: float) -> Settled:
    """Runs of watchers that are gone, and of scripts that failed and are removed: what becomes of each."""
    for key, run in ledger.scripts.items():
        if run.outcome == "running" and (ended := _lost(run, machine, now)) is not None:
            yield key, scripting.finished(run, ended), scripting.reading(run, ended, now)
    for key, run in scripting.gone(ledger, found.scripts, found.unseen).items():
        if run.outcome != "running":  # its end will be told, and is taken back after that
            yield key, replace(run, bad=False), scripting.taken_back(run, now)


def _lost(run: Begun, machine: Machine, now: float) -> Ended | None:
    """How a run ended that stands in the ledger as under way, if its watcher cannot say so any more."""
    watcher, overdue = run.watcher or machine.me, now > run.ends_by
    watched = machine.alive(watcher) and watcher != machine.me
    runs = run.process is not None and machine.alive(run.process)
    if not overdue and (runs or watched is not False):
        return None  # it is under way, or nobody here can know
    if runs and watched:
        return None  # its watcher will end it
    if runs and run.process is not None:
        machine.end(run.process)
        return Ended(exit_code=None, how="was ended after its deadline; its watcher was gone")
    return Ended(exit_code=None, how=f"was lost with its watcher on {watcher.host}")
