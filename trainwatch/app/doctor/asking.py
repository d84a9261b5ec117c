"""Many looks at the world at once, each in a thread of its own and with a deadline.

The trap: what hangs is unknown and keeps its thread. The others do not wait for it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from trainwatch.app import clock
from trainwatch.app.probe import Probe
from trainwatch.core.doctor.check import Check
from trainwatch.core.errors import ExitCode, TrainwatchError
from trainwatch.core.redact import redact

_AT_ONCE = 32  # more would only wait for each other, and be taken for hanging


def _nothing() -> None:
    """There is nothing to be ended."""


class Ask(NamedTuple):
    """One look. `look` gives what it found, judged; `do` is for one that hangs; `end` ends what it began."""

    group: str
    name: str
    look: Callable[[], Sequence[Check]]
    deadline_s: float
    do: str = "see whether its filesystem answers (ls); ask again when it does"
    end: Callable[[], None] = _nothing


def answers(asks: Sequence[Ask], elapsed: Callable[[], float] = clock.elapsed) -> list[Check]:
    """What all of them found, in their order. Raises nothing."""
    found = list[Check]()
    for start in range(0, len(asks), _AT_ONCE):
        some = asks[start : start + _AT_ONCE]
        probes = [Probe(ask.look) for ask in some]
        for probe in probes:
            probe.ask()
        began = elapsed()
        for ask, probe in zip(some, probes, strict=True):
            found += _answer(ask, probe, max(0.0, ask.deadline_s - (elapsed() - began)))
            probe.close()
            ask.end()
    return found


def _answer(ask: Ask, probe: Probe[Sequence[Check]], patience_s: float) -> Sequence[Check]:
    try:
        found = probe.answer(patience_s)
    except TrainwatchError as error:
        usage = error.exit_code == ExitCode.USAGE
        return [
            Check(
                group=ask.group,
                name=ask.name,
                verdict="wrong" if usage else "unknown",
                saw=redact(str(error)),
            )
        ]
    except Exception as error:  # noqa: BLE001 - a bug in one look must not cost all the others
        saw = redact(f"looking at it failed with {type(error).__name__}: {error}")
        return [Check(group=ask.group, name=ask.name, verdict="unknown", saw=saw)]
    if found is None:
        saw = f"it gave no answer in {ask.deadline_s:g} s"
        return [Check(group=ask.group, name=ask.name, verdict="unknown", saw=saw, do=ask.do)]
    return found
