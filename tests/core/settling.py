"""A run's alert book, written to in a few words: what is found when, and what people are told."""

from collections.abc import Mapping

import msgspec

from trainwatch.core.alerts import settle
from trainwatch.core.model.alerts import Book, Change, Finding, Severity, Terms, Verdict
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.muting import asked

HOUR_S = 3600.0


def found(rule: str, severity: Severity | None = None, key: str = "", **more: object) -> Finding:
    return msgspec.convert(
        {"rule": rule, "summary": f"{rule} is so", "severity": severity, "key": key, **more},
        Finding,
    )


class Told:
    """A book under terms. An answer holds a text per change: `firing stall`, `resolved stall (silenced)`."""

    def __init__(self, **terms: Terms) -> None:
        self.terms: Mapping[str, Terms] = {name.replace("_", "-"): t for name, t in terms.items()}
        self.book = Book()
        self.due: float | None = None
        self.changes: tuple[Change, ...] = ()

    def at(self, at: float, *findings: Finding | str, unknown: tuple[str, ...] = ()) -> list[str]:
        """What a verdict at this time changes. A text is a finding of that rule."""
        whole = tuple(found(each) if isinstance(each, str) else each for each in findings)
        verdict = Verdict(at=at, findings=whole, unknown=frozenset(unknown))
        self.book, self.changes, self.due = settle(self.book, verdict, self.terms, "run")
        return [said(change) for change in self.changes]

    def ask(self, ask: str, at: float, rule: str = "", **more: object) -> None:
        """Somebody asks to be told less, or more."""
        request = {"ask": ask, "at": at, "rule": rule, "by": "me", **more}
        self.book = asked(self.book, msgspec.convert(request, AlertRequest))


def said(change: Change) -> str:
    name = f"{change.rule} {change.key}".rstrip()
    return f"{change.change} {name}" + (f" ({change.muted})" if change.muted else "")
