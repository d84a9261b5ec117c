"""What is done each so often while we watch: pings of a dead-man's switch, lines of status in a log of logs.

The trap: a ping says that somebody watches. It stops while any run that it speaks for cannot be seen.
"""

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple, Protocol

from trainwatch.app import words
from trainwatch.app.telling import Every
from trainwatch.core.logs.own import PREFIX
from trainwatch.core.message import foreign, stamp
from trainwatch.core.model.status import Status
from trainwatch.core.model.telling import Outcome


class Switch(Protocol):
    """A dead-man's switch."""

    def ping(self, now: float) -> Outcome:
        """Say that the watcher is well. Raises nothing."""
        ...


class Diary(Protocol):
    """A log of logs."""

    def say(self, text: str) -> Outcome:
        """Append a line, or lines. Raises nothing."""
        ...


class Pulse(NamedTuple):
    """Who gets something each interval, for which runs (globs)."""

    name: str
    runs: tuple[str, ...]
    every: Every

    def of(self, runs: Mapping[str, str]) -> list[str]:
        """Those of the runs that it is for."""
        return [run for run in runs if any(fnmatchcase(run, pattern) for pattern in self.runs)]


class Pulses:
    """All of them, of one daemon."""

    def __init__(
        self,
        switches: Sequence[tuple[Pulse, Switch]] = (),
        diaries: Sequence[tuple[Pulse, Diary]] = (),
    ) -> None:
        self._switches, self._diaries = tuple(switches), tuple(diaries)

    def tick(
        self,
        now: float,
        blind: Mapping[str, str],
        status_of: Callable[[str], Status],
        utc_offset_s: float = 0.0,
    ) -> None:
        """Do what is due, without waiting for it. `blind`: each run, and why it is not seen, if so."""
        for pulse, switch in self._switches:
            mine = pulse.of(blind)
            if mine and not any(blind[run] for run in mine):
                pulse.every.tick(now, partial(switch.ping, now))
            else:
                pulse.every.hear(now)
        for pulse, diary in self._diaries:
            mine = pulse.of(blind)
            if mine and pulse.every.due(now):
                lines = (status_line(status_of(run), now, utc_offset_s) for run in mine)
                pulse.every.tick(now, partial(diary.say, "\n".join(lines)))
            else:
                pulse.every.hear(now)

    def finish(self, now: float, patience_s: float) -> None:
        """Wait for what is under way, before the process ends."""
        for pulse in self._all():
            pulse.every.hear(now, patience_s)

    def troubles(self) -> dict[str, str]:
        """By receiver: why the last one failed."""
        return {pulse.name: pulse.every.trouble for pulse in self._all() if pulse.every.trouble}

    def close(self) -> None:
        """Let go."""
        for pulse in self._all():
            pulse.every.close()

    def _all(self) -> list[Pulse]:
        return [pulse for pulse, _ in (*self._switches, *self._diaries)]


def status_line(status: Status, now: float, utc_offset_s: float = 0.0) -> str:
    """How a run is, in a line that is recognised as ours."""
    target = f" of {status.target_iteration:,}" if status.target_iteration else ""
    numbers = (
        f"iteration {status.iteration:,}{target}" if status.iteration is not None else "",
        words.step_time(status.step_time_s) if status.step_time_s is not None else "",
        f"{words.number(status.tflops)} TFLOPs/GPU" if status.tflops is not None else "",
        f"loss {words.number(status.loss)}" if status.loss is not None else "",
        f"ETA {words.duration(status.eta_s)}" if status.eta_s else "",
        *(f"{alert.rule} ({alert.severity})" for alert in status.alerts),
    )
    said = "; ".join(foreign(part, 80) for part in (status.reason, *numbers) if part)
    head = f"{stamp(now, utc_offset_s)} {foreign(status.run, 80)} {status.health}"
    return f"{PREFIX}{head}: {said}"
