"""The receivers of the configuration, ready to be told: of one run, of all runs each so often, or for a test.

The trap: nothing here may load a client; that is done with the first message, in its own thread.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol

from trainwatch.app import receivers, trying
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.pulses import Diary, Pulse, Pulses, Switch
from trainwatch.app.telling import Every, Teller
from trainwatch.core.model.telling import Outbox, Outcome, Receiver
from trainwatch.core.outbox import refreshed
from trainwatch.core.ports import Sender


class Ways(Protocol):
    """The ways to receivers, by name (app/wirereceivers.py). `runs` are watched beside those configured."""

    settings: Settings

    def senders(self, runs: Sequence[RunSettings] = ()) -> Mapping[str, Sender]:
        """Those that are told of changes. Raises UsageError where one would spoil a training log."""
        ...

    def switches(self) -> Mapping[str, Switch]:
        """The dead-man's switches."""
        ...

    def diaries(self, runs: Sequence[RunSettings] = ()) -> Mapping[str, Diary]:
        """The logs of logs. Raises UsageError where one would spoil a training log."""
        ...


def teller(
    ways: Ways, run: RunSettings, outbox: Outbox | None = None, *, once: bool = False
) -> Teller | None:
    """Who tells people of a run's alerts, with what its store held; None without receivers.

    A daemon that starts tries again whoever refused for good; a single tick (`once`) does not. Raises
    UsageError where a receiver would spoil a training log.
    """
    told, senders = parts(ways, run)
    if outbox is not None and not once:
        outbox = refreshed(outbox)
    return Teller(told, senders, outbox) if senders else None


def parts(ways: Ways, run: RunSettings) -> tuple[list[Receiver], Mapping[str, Sender]]:
    """Who is told of a run's alerts, and on which way. Raises UsageError as `teller`."""
    senders = ways.senders([run])
    return _receivers(ways, senders), senders


def pulses(ways: Ways, runs: Sequence[RunSettings]) -> Pulses:
    """What is done each so often for all runs: pings, lines of status. Raises UsageError as `teller`."""

    def pulse(name: str) -> Pulse:
        settings = ways.settings.receivers[name]
        return Pulse(name, settings.runs, Every(settings.interval_s))

    switches = [(pulse(name), switch) for name, switch in ways.switches().items()]
    diaries = [(pulse(name), diary) for name, diary in ways.diaries(runs).items()]
    return Pulses(switches, diaries)


def trials(ways: Ways, run: str, now: float) -> dict[str, tuple[str, Callable[[], Outcome]]]:
    """By receiver: its kind, and a call that sends it one message. Raises UsageError as `teller`."""
    senders = ways.senders()
    calls: dict[str, Callable[[], Outcome]] = {
        to.name: partial(senders[to.name].send, trying.trial_of(to, run, now), now)
        for to in _receivers(ways, senders)
    }
    for name, switch in ways.switches().items():
        calls[name] = partial(switch.ping, now)
    return {name: (one.kind, calls[name]) for name, one in ways.settings.receivers.items()}


def _receivers(ways: Ways, chosen: Iterable[str]) -> list[Receiver]:
    every_s = ways.settings.poll_interval_s
    return [receivers.receiver(name, ways.settings.receivers[name], every_s) for name in chosen]
