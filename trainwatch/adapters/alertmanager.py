"""Posts alerts to a Prometheus Alertmanager (`POST /api/v2/alerts`), which groups, routes and silences them.

The trap: Alertmanager forgets. What fires is sent with an end a little ahead and is sent again before
that, so that the alerts of a dead trainwatch end by themselves. An alert there is its labels: a resolve
must have those of the firing.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from trainwatch.core.message import foreign
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import Outcome, Sending

LASTING = 4  # refreshes that may be missed before an alert ends
SKEW_S = 5.0  # by its clock an end must be past, or the resolve is silently ignored
_NAME = re.compile(r"[^A-Za-z0-9_]")
_EVIDENCE_CHARS = 1_000


class Alertmanager:
    """One Alertmanager. `refresh_s` is how often what fires is sent again."""

    def __init__(
        self,
        url: str,
        request: Callable[[str, bytes, float], Outcome],
        refresh_s: float,
    ) -> None:
        """`url` is its base: http://127.0.0.1:9093. `request` posts JSON (adapters/web.py)."""
        self._url = url.rstrip("/") + "/api/v2/alerts"
        self._request, self._lasts_s = request, refresh_s * LASTING

    def send(self, sending: Sending, now: float) -> Outcome:
        """Post all changes at once: to be told twice changes nothing there."""
        alerts = [alert(change, now, self._lasts_s) for change in sending.changes]
        return self._request(self._url, msgspec.json.encode(alerts), now)


def alert(change: Change, now: float, lasts_s: float) -> dict[str, object]:
    """The change as Alertmanager's API takes it. What fires ends `lasts_s` from now unless sent again."""
    resolved = change.change == "resolved"
    ends = max(change.at - SKEW_S, change.since) if resolved else now + lasts_s
    return {
        "labels": labels(change),
        "annotations": _annotations(change),
        "startsAt": _stamp(change.since),
        "endsAt": _stamp(ends),
    }


def labels(change: Change) -> dict[str, str]:
    """What tells alerts apart there. Names are those that Prometheus takes; empty ones are left out."""
    named = {"alertname": change.rule, "run": change.run, "severity": change.severity}
    more = {_name(name): value for name, value in change.labels.items()}
    found = {**more, "key": change.key, **named}
    return {name: foreign(value, 200) for name, value in found.items() if value.strip()}


def _annotations(change: Change) -> dict[str, str]:
    evidence = "\n".join(foreign(line, 200) for line in change.evidence)[:_EVIDENCE_CHARS]
    told = {
        "summary": foreign(change.summary, 600),
        "evidence": evidence,
        "cost": foreign(change.cost, 200),
        "advice": foreign(change.advice, 600),
        "iteration": "" if change.iteration is None else str(change.iteration),
    }
    return {name: text for name, text in told.items() if text}


def _name(name: str) -> str:
    clean = _NAME.sub("_", name)
    return clean if not clean[:1].isdigit() else f"_{clean}"


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
