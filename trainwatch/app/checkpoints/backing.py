"""Makes backups beside a watch, where that is allowed: one at a time, over all runs.

The trap: one takes hours. It is made in a thread, by a child process that ends with the watch; what was begun
goes on another time.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from trainwatch.app.checkpoints.safe import Shelves
from trainwatch.app.probe import Probe
from trainwatch.core.checkpoints.survey import Survey
from trainwatch.core.errors import LeaseHeld, TrainwatchError
from trainwatch.core.model.backups import BackupPlan, Made, Row

_AFTER_FAULT_S = 3600.0
_CLOSING_S = 3.0


class Ready(NamedTuple):
    """What a look at a run has found to be due."""

    shelves: Shelves
    seen: Survey
    plan: BackupPlan

    @property
    def due(self) -> list[Row]:
        """What may be made without being asked."""
        return [row for row in self.plan.due if self.shelves.settings[row.place].apply]


class _Under(NamedTuple):
    """The one that is being made."""

    run: str
    row: Row
    probe: Probe[Made]


class Backing:
    """Of all runs."""

    def __init__(self) -> None:
        self._under: _Under | None = None
        self._faults = dict[
            tuple[str, str, str], tuple[float, str]
        ]()  # run, name, place: when, why
        self._closed = False

    def tick(self, now: float, ready: Mapping[str, Ready]) -> str:
        """Begin what is due, unless one is under way. The run whose backup ended since; empty for none."""
        ended = self._heard(now, 0.0) if self._under is not None else ""
        if self._under is None and not self._closed:
            self._begin(now, {run: one for run, one in ready.items() if run != ended})
        return ended

    def remarks(self, run: str) -> list[str]:
        """What failed, until it is made."""
        return [why for (of, _, _), (_, why) in self._faults.items() if of == run and why]

    def remarked(self, run: str) -> list[str]:
        """The checkpoints that those are about: what was seen of them may be old."""
        return [name for (of, name, _), (_, why) in self._faults.items() if of == run and why]

    def close(self, ready: Mapping[str, Ready]) -> None:
        """End what is under way."""
        self._closed = True
        for one in ready.values():
            one.shelves.close()
        if self._under is not None:
            under = self._under
            self._heard(float("-inf"), _CLOSING_S)
            under.probe.close()

    def _begin(self, now: float, ready: Mapping[str, Ready]) -> None:
        """The first of each run, and of these the one that is purged soonest."""
        waiting = [
            (run, one, row)
            for run, one in ready.items()
            for row in one.due
            if not self._failed_lately(run, row, now)
        ]
        if not waiting:
            return
        run, one, row = min(waiting, key=lambda each: _soon(each[2]))
        self._under = _Under(run, row, Probe(_making(one, row)))
        self._under.probe.ask()

    def _failed_lately(self, run: str, row: Row, now: float) -> bool:
        at, _ = self._faults.get((run, row.name, row.to), (float("-inf"), ""))
        return 0 <= now - at < _AFTER_FAULT_S

    def _heard(self, now: float, patience_s: float) -> str:
        """The run whose backup ended."""
        assert self._under is not None
        run, row, probe = self._under
        key = (run, row.name, row.to)
        try:
            if probe.answer(patience_s) is None:
                return ""
            self._faults.pop(key, None)
        except LeaseHeld:
            self._faults[key] = (now, "")  # somebody else makes one: no fault
        except TrainwatchError as error:
            self._faults[key] = (now, f"backup of {row.name} to {row.to}: {error}")
        except Exception as error:  # noqa: BLE001 - a bug of ours must not end the watch
            self._faults[key] = (now, f"backup of {row.name} failed with {type(error).__name__}")
        self._under = None
        probe.close()
        return run


def _making(one: Ready, row: Row) -> Callable[[], Made]:
    return lambda: one.shelves.make(one.seen, row, lambda _, __: None)


def _soon(row: Row) -> float:
    """`min` takes the first of equals, and each run's are in order."""
    return row.purged_in_s if row.purged_in_s is not None else float("inf")
