"""Which fault brings an attempt to its end here, and how often it already has."""

from collections import Counter
from collections.abc import Sequence

from trainwatch.simulate.faults.ends import (
    Cancelled,
    Crash,
    EndFault,
    Hang,
    KillSwitch,
    Phase,
    Stillborn,
    Unstarted,
)
from trainwatch.simulate.faults.table import Fault

_SHARES = {"startup": 0.35, "load": 0.75}  # of the start-up, where a hang strikes


class Strikes:
    """The faults of a run that end attempts."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = [fault for fault in faults if isinstance(fault, EndFault)]
        self._struck = Counter[int]()
        self.iterations = frozenset(fault.iteration for fault in self._faults)

    def in_phase(self, phase: Phase, iteration: int) -> Crash | Hang | Cancelled | None:
        """What strikes in this phase of training, after so many iterations."""
        for index, fault in enumerate(self._faults):
            if isinstance(fault, Stillborn | Unstarted | KillSwitch) or fault.phase != phase:
                continue
            if fault.iteration == iteration and self._left(index):
                return fault
        return None

    def at_start(
        self, iteration: int
    ) -> tuple[Hang | Stillborn | Unstarted | KillSwitch, float] | None:
        """What strikes an attempt that goes on from there, and at which share of its start-up."""
        for index, fault in enumerate(self._faults):
            share = _share(fault)
            if isinstance(fault, Crash | Cancelled) or share is None:
                continue
            if fault.iteration == iteration and self._left(index):
                return fault, share
        return None

    def _left(self, index: int) -> bool:
        """Whether it strikes once more; then it has."""
        if self._struck[index] >= self._faults[index].times:
            return False
        self._struck[index] += 1
        return True


def _share(fault: EndFault) -> float | None:
    match fault:
        case Stillborn():
            return fault.share
        case Unstarted():
            return 0.0
        case KillSwitch():
            return 1.0
        case Hang():
            return 0.0 if fault.reason else _SHARES.get(fault.phase)
        case _:
            return None
