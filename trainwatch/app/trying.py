"""Sends one message to each receiver and says what became of it: `trainwatch alerts test`."""

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from trainwatch.app.probe import Probe
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import Outcome, Receiver, Sending

RULE = "test"


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a receiver's test."""

    receiver: str
    kind: str
    ok: bool
    why: str = ""
    took_s: float | None = None  # None: it still hangs


def trial_of(receiver: Receiver, run: str, now: float) -> Sending:
    """A message that this receiver would get, which says that nothing is wrong."""
    change = Change(
        at=now,
        run=run,
        rule=RULE,
        severity=receiver.severities[-1],
        change="firing",
        since=now,
        summary="This is a test: nothing is wrong. Alerts of this run arrive here.",
        advice="nothing",
    )
    return Sending(receiver=receiver.name, at=now, changes=(change,))


def tried(
    calls: Mapping[str, tuple[str, Callable[[], Outcome]]], deadline_s: float
) -> Sequence[Tried]:
    """What became of each (kind, call), all at once; what hangs beyond the deadline is left."""
    began = time.monotonic()
    probes = {name: Probe(_timed(call, began)) for name, (_, call) in calls.items()}
    for probe in probes.values():
        probe.ask()
    until = began + deadline_s
    found = list[Tried]()
    for name, probe in probes.items():
        answer = probe.answer(max(0.0, until - time.monotonic()))
        probe.close()
        found.append(_said(name, calls[name][0], answer, deadline_s))
    return found


def _timed(call: Callable[[], Outcome], began: float) -> Callable[[], tuple[Outcome, float]]:
    return lambda: (call(), time.monotonic() - began)


def _said(name: str, kind: str, answer: tuple[Outcome, float] | None, deadline_s: float) -> Tried:
    if answer is None:
        why = f"it does not answer within {deadline_s:g} s"
        return Tried(receiver=name, kind=kind, ok=False, why=why)
    outcome, took_s = answer
    ok = outcome.result == "ok"
    return Tried(receiver=name, kind=kind, ok=ok, why=outcome.why, took_s=round(took_s, 3))
