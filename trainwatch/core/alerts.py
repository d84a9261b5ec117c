"""The alert book: what rules find -> alerts that are pending, fire, and are resolved, and what changed.

The trap: a finding that is gone says nothing while its rule is unknown. Only a rule that can see, and does
not find it any more, resolves an alert.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.core.model.alerts import SEVERITIES, Alarm, Book, Change, Finding, Terms, Verdict
from trainwatch.core.muting import in_force
from trainwatch.core.telling import Step, Teller, next_change

# Alerts of one rule at a time: no flood of one (400 slow nodes) hides another, or fills the book.
MOST_OF_A_RULE = 50

_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}
_Id = tuple[str, str]


class _Moved(NamedTuple):
    """The alarms of a book after a verdict, in its order."""

    standing: list[tuple[Alarm, Step]]
    over: list[Alarm]  # fired before, and are resolved now


def settle(
    book: Book, verdict: Verdict, terms: Mapping[str, Terms], run: str
) -> tuple[Book, tuple[Change, ...], float | None]:
    """The book after a verdict, what changed, and when the book would change by itself.

    That is a time after the verdict's, s since the epoch: a hold or clear time that passes, a repeat that is
    due, the end of a silence; None if never. A rule without terms is switched off: its findings are not
    looked at, and its alerts go without a word to anybody. Rules must not inhibit each other in a circle.
    """
    if not (book.alarms or book.muted or verdict.findings):
        return book, (), None
    at = verdict.at
    book = in_force(book, at)
    moved = _moved(book, verdict, terms)
    teller = Teller(book, [alarm for alarm, _ in moved.standing], terms, at, run)
    for alarm in moved.over:
        teller.resolve(alarm)
    after = teller.book(tuple(teller.tell(alarm, step) for alarm, step in moved.standing))
    return after, tuple(teller.changes), next_change(after, terms, at)


def _moved(book: Book, verdict: Verdict, terms: Mapping[str, Terms]) -> _Moved:
    found = _found(verdict.findings, terms)
    moved = _Moved([], [])
    for alarm in book.alarms:
        finding = found.pop(_id(alarm.finding), None)
        after = _after(alarm, finding, verdict, terms.get(alarm.finding.rule))
        if after is not None:
            moved.standing.append((after, _step(alarm, after)))
        elif alarm.fired_at is not None:
            moved.over.append(alarm)
    taken = Counter(alarm.finding.rule for alarm, _ in moved.standing)
    for finding in _admitted(found.values(), taken, terms):
        new = Alarm(finding=finding, severity="info", noticed_at=verdict.at)
        after = _seen(new, finding, terms[finding.rule], verdict.at)
        moved.standing.append((after, _step(new, after)))
    return moved


def _after(
    alarm: Alarm, finding: Finding | None, verdict: Verdict, own: Terms | None
) -> Alarm | None:
    """An alarm after a verdict; None if it is over."""
    if own is None:
        return None
    if finding is not None:
        return _seen(alarm, finding, own, verdict.at)
    if alarm.finding.rule in verdict.unknown:
        return alarm
    if alarm.fired_at is None:
        return None
    cleared_at = verdict.at if alarm.cleared_at is None else alarm.cleared_at
    if verdict.at >= cleared_at + own.clear_s:
        return None
    return replace(alarm, cleared_at=cleared_at)


def _seen(alarm: Alarm, finding: Finding, own: Terms, at: float) -> Alarm:
    """An alarm that is found (again). It fires once it was there for its hold time.

    Time in which nobody could say whether it is there counts, too.
    """
    fired_at = alarm.fired_at
    if fired_at is None and at >= alarm.noticed_at + own.hold_s:
        fired_at = at
    return replace(
        alarm,
        finding=finding,
        severity=finding.severity or own.severity,
        fired_at=fired_at,
        cleared_at=None,
    )


def _step(before: Alarm, after: Alarm) -> Step:
    if after.fired_at is None:
        return ""
    if before.fired_at is None:
        return "fired"
    return "worse" if _RANK[after.severity] > _RANK[before.severity] else ""


def _found(findings: Iterable[Finding], terms: Mapping[str, Terms]) -> dict[_Id, Finding]:
    """The findings of rules that are switched on, the worst of each alert."""
    found = dict[_Id, Finding]()
    for finding in findings:
        if finding.rule in terms:
            other = found.get(_id(finding))
            if other is None or _rank(finding, terms) > _rank(other, terms):
                found[_id(finding)] = finding
    return found


def _admitted(
    findings: Iterable[Finding], taken: Counter[str], terms: Mapping[str, Terms]
) -> Iterable[Finding]:
    """New findings that the book has room for, the worst first. `taken`: how many a rule has."""
    for finding in sorted(findings, key=lambda finding: -_rank(finding, terms)):
        taken[finding.rule] += 1
        if taken[finding.rule] <= MOST_OF_A_RULE:
            yield finding


def _rank(finding: Finding, terms: Mapping[str, Terms]) -> int:
    return _RANK[finding.severity or terms[finding.rule].severity]


def _id(finding: Finding) -> _Id:
    return finding.rule, finding.key
