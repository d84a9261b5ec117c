"""The routes beside a watch: each has its turn when it is due, one at a time, in a thread and a child.

The trap: no tick waits for a network. What became of a turn is told at the tick that finds it ended.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from trainwatch.app import names
from trainwatch.app.config import RunSettings
from trainwatch.app.probe import Probe
from trainwatch.app.sources import EVERY
from trainwatch.app.syncing.turn import Route, Said
from trainwatch.core.model.observations import Observation, SyncReading
from trainwatch.core.words import clean

_MOST_REMARKS = 3
_AFTER_FAULT_S = 600.0
_CLOSING_S = 3.0


class _Under:
    """A route under way."""

    def __init__(self, route: Route, patience_s: float) -> None:
        self.route, self.probe = route, Probe(route.turn)
        self.look_at = float("-inf")
        self.patience_s = patience_s
        self.fault = ""
        self.said: Said | None = None
        self.served = False  # has had a turn, as a single tick wants


class Syncing:
    """See Source in app/sources.py."""

    def __init__(
        self,
        routes: Sequence[Route],
        *,
        once: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`once`: for a single tick; its end waits for the turns. `clock` is one that nobody sets."""
        self._routes = [_Under(one, one.settings.deadline_min * 60) for one in routes]
        self._runs = dict[str, str]()  # the log of each
        self._once, self._clock = once, clock
        self._now = 0.0

    def add(self, run: RunSettings) -> None:
        """See Source."""
        self._runs[run.name or ""] = str(names.absolute(run.log))

    def tick(self, now: float) -> Mapping[str, Sequence[Observation]]:
        """See Source."""
        self._now = now
        told = dict[str, list[Observation]]()
        for one in self._routes:
            for reading in self._heard(one, now, 0.0):
                for run in self._whose(one.route):
                    told.setdefault(run, []).append(reading)
        self._begin(now)
        return told

    def remarks(self, run: str) -> Sequence[str]:
        """See Source."""
        found = list[str]()
        for one in self._routes:
            if run not in self._whose(one.route) and EVERY not in self._whose(one.route):
                continue
            name = one.route.settings.name
            if one.fault:
                found.append(f"sync {name}: {one.fault}")
            left = one.said.left_out if one.said is not None else ()
            found += [
                f"sync {name}: {clean(file)}: {clean(why)}" for file, why in left[:_MOST_REMARKS]
            ]
            if len(left) > _MOST_REMARKS:
                found.append(f"sync {name}: and {len(left) - _MOST_REMARKS} more are not sent")
        return found

    def troubles(self, run: str) -> Mapping[str, str]:
        """See Source."""
        return {
            f"sync {one.route.settings.name}": one.fault
            for one in self._routes
            if one.fault and {run, EVERY} & {*self._whose(one.route)}
        }

    def finish(self, now: float, patience_s: float) -> None:
        """See Source. After a single tick every route has its turn, each up to its own deadline."""
        for one in self._routes:
            if one.probe.asked:
                self._heard(one, now, max(patience_s, one.patience_s) if self._once else patience_s)
            if self._once and not one.served:
                one.probe.ask()
                self._heard(one, now, one.patience_s)

    def close(self) -> None:
        """End what is under way; it stands in the ledger as something that may have arrived."""
        for one in self._routes:
            one.route.close()
            if one.probe.asked:
                self._heard(one, self._now, _CLOSING_S)
            one.probe.close()

    def _begin(self, now: float) -> None:
        """Start the one that has waited longest, unless one is under way."""
        if any(one.probe.asked for one in self._routes):
            return
        due = [
            one for one in self._routes if one.look_at <= now and not (self._once and one.served)
        ]
        if due:
            min(due, key=lambda one: one.look_at).probe.ask()

    def _heard(self, one: _Under, now: float, patience_s: float) -> list[SyncReading]:
        if not one.probe.asked:
            return []
        try:
            said = one.probe.answer(patience_s)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not end the watch
            one.fault, one.look_at, one.served = type(error).__name__, now + _AFTER_FAULT_S, True
            return []
        if said is None:
            return []
        one.said, one.fault, one.look_at, one.served = said, "", said.look_at, not said.more
        return [said.reading] if said.reading is not None else []

    def _whose(self, route: Route) -> Sequence[str]:
        """The runs whose logs lie below its root; else it is of all."""
        if route.settings.public is not None:
            return [run for run in self._runs if run == route.settings.public] or [EVERY]
        root = str(names.absolute(route.root)).rstrip("/") + "/"
        return [run for run, log in self._runs.items() if log.startswith(root)] or [EVERY]
