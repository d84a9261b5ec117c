"""Whatever rules find, people ask and clocks do: the alert book keeps its promises, also over a restart."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.alerts import settle
from trainwatch.core.model.alerts import (
    SEVERITIES,
    Book,
    Change,
    Finding,
    Muted,
    Terms,
    Verdict,
)
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.muting import asked

TERMS = {
    "plain": Terms(repeat_s=100),
    "held": Terms(hold_s=30, clear_s=50, repeat_s=None, severity="critical"),
    "effect": Terms(clear_s=20, repeat_s=60, inhibited_by=("held", "plain")),
    "far-effect": Terms(hold_s=10, repeat_s=3600, inhibited_by=("effect",)),
}
START = 1e9
RULES = st.sampled_from([*TERMS, "off"])
KEYS = st.sampled_from(["", "a", "b"])

FINDINGS = st.builds(
    Finding,
    rule=RULES,
    key=KEYS,
    summary=st.sampled_from(["", "it is so", "\x00 [/bold] é"]),
    severity=st.sampled_from([None, *SEVERITIES]),
    since=st.sampled_from([None, 0.0, START + 0.1, 2 * START]),
)
LOOKS = st.builds(
    Verdict,
    at=st.sampled_from([0.0, 0.1, 1.0, 10.0, 20.0, 30.0, 60.0, 100.0, 3600.0, 21600.0]),
    findings=st.lists(FINDINGS, max_size=5).map(tuple),
    unknown=st.frozensets(RULES, max_size=2),
)
REQUESTS = st.builds(
    AlertRequest,
    at=st.sampled_from([0.0, 5.0]),
    ask=st.sampled_from(["ack", "silence", "unmute"]),
    rule=RULES | st.just(""),
    key=KEYS,
    until=st.none() | st.sampled_from([1.0, 50.0, 200.0, 40_000.0]),
)
# Times in them are s since the step before; of a request, `until` is s since then, too.
STEPS = st.lists(LOOKS | LOOKS | LOOKS | REQUESTS, max_size=25)
JUMPS = st.lists(st.sampled_from([1, 1, 1, -1, -50]), min_size=25, max_size=25)


Steps = Sequence[Verdict | AlertRequest]


class Look(NamedTuple):
    """One verdict, and what became of it."""

    verdict: Verdict
    before: Book
    book: Book
    changes: tuple[Change, ...]
    due: float | None


def looks(
    steps: Steps,
    jumps: list[int] | None = None,
    kept: Callable[[Book], Book] = lambda book: book,
) -> Iterator[Look]:
    book, now = Book(), START
    for step, factor in zip(steps, jumps or [1] * len(steps), strict=False):
        now += step.at * factor
        if isinstance(step, AlertRequest):
            until = None if step.until is None else now + step.until
            book = asked(kept(book), msgspec.structs.replace(step, at=now, until=until))
            continue
        verdict = msgspec.structs.replace(step, at=now)
        after, changes, due = settle(kept(book), verdict, TERMS, "run")
        yield Look(verdict, book, after, changes, due)
        book = after


@given(STEPS, JUMPS, st.randoms(use_true_random=False))
def test_a_restart_changes_nothing(steps: Steps, jumps: list[int], chance: object) -> None:
    def restarted(book: Book) -> Book:
        if chance.random() < 0.5:  # type: ignore[attr-defined]
            return book
        return msgspec.json.decode(msgspec.json.encode(book), type=Book)

    assert list(looks(steps, jumps, restarted)) == list(looks(steps, jumps))


def they_fire_then_are_resolved(run: Iterable[Look]) -> None:
    last = dict[tuple[str, str], Change]()
    for look in run:
        for change in look.changes:
            before = last.get((change.rule, change.key))
            stands = before is not None and before.change != "resolved"
            if change.change != "firing":
                assert stands
            if before is not None and stands and change.change == "firing":
                worse = SEVERITIES.index(change.severity) > SEVERITIES.index(before.severity)
                assert worse or (before.muted and not change.muted) or fell(before, look)
            last[change.rule, change.key] = change
        firing = {
            (a.finding.rule, a.finding.key) for a in look.book.alarms if a.fired_at is not None
        }
        assert firing == {name for name, change in last.items() if change.change != "resolved"}


def fell(change: Change, look: Look) -> bool:
    """Whether an alert got better since, which is adopted without a word; so it could get worse again."""
    named = (change.rule, change.key)
    (alarm,) = (a for a in look.before.alarms if (a.finding.rule, a.finding.key) == named)
    return SEVERITIES.index(alarm.severity) < SEVERITIES.index(change.severity)


def only_what_is_seen_fires_or_is_resolved(run: Iterable[Look]) -> None:
    for look in run:
        found = {(finding.rule, finding.key) for finding in look.verdict.findings}
        before = {(a.finding.rule, a.finding.key): a for a in look.before.alarms}
        for change in look.changes:
            name = (change.rule, change.key)
            if change.change == "resolved":
                assert name not in found
                assert change.rule not in look.verdict.unknown
            elif name not in before or before[name].fired_at is None:
                assert name in found


def nobody_is_told_while_it_is_silent(run: Iterable[Look]) -> None:
    for look in run:
        for change in look.changes:
            if any(covers(muted, change) for muted in look.book.muted):
                assert change.muted == "silenced"


def covers(muted: Muted, change: Change) -> bool:
    named = muted.rule in ("", change.rule) and muted.key in ("", change.key)
    return named and muted.kind == "silenced"


def people_hear_the_end_only_of_what_they_know(run: Iterable[Look]) -> None:
    for look in run:
        known = {(a.finding.rule, a.finding.key) for a in look.before.alarms if a.told}
        for change in look.changes:
            if change.change == "resolved":
                assert change.muted or (change.rule, change.key) in known
            if change.change == "firing" and not change.muted:
                known.add((change.rule, change.key))
            if change.change == "repeated":
                assert not change.muted
                assert (change.rule, change.key) in known


PROMISES = (
    they_fire_then_are_resolved,
    only_what_is_seen_fires_or_is_resolved,
    nobody_is_told_while_it_is_silent,
    people_hear_the_end_only_of_what_they_know,
)


@given(STEPS, JUMPS)
def test_promises(steps: Steps, jumps: list[int]) -> None:
    run = list(looks(steps, jumps))
    for promise in PROMISES:
        promise(run)


@given(STEPS, JUMPS, st.floats(0.0, 1.0))
def test_nothing_changes_by_itself_before_it_is_due(
    steps: Steps, jumps: list[int], share: float
) -> None:
    for look in looks(steps, jumps):
        at = look.verdict.at
        assert look.due is None or look.due > at
        latest = at + 1e7 if look.due is None else look.due
        later = msgspec.structs.replace(look.verdict, at=at + (latest - at) * share * 0.999)
        assert settle(look.book, later, TERMS, "run") == (look.book, (), look.due)


@given(STEPS, JUMPS, st.floats(0.0, 1e6))
def test_a_clock_that_is_set_back_changes_nothing(
    steps: Steps, jumps: list[int], back_s: float
) -> None:
    for look in looks(steps, jumps):
        earlier = msgspec.structs.replace(look.verdict, at=look.verdict.at - back_s)
        after, changes, _ = settle(look.book, earlier, TERMS, "run")
        assert changes == ()
        assert len(after.alarms) == len(look.book.alarms)
