"""What the hands on jobs did, kept over restarts, and how long the queue has agreed with what an alert says.

The trap: a deed that began and of which nobody heard again may have happened. It counts as done, until a
later answer of the scheduler shows that it did not.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from trainwatch.core.model.alerts import Book
from trainwatch.core.model.observations import (
    AlertRequest,
    DeedReading,
    Hand,
    Job,
    QueueReading,
)

ENOUGH = (
    3  # answers in a row: one that is wrong, or a clock that leapt, is not followed by two more
)
ACTED_ON = ("stall", "crash-loop", "not-queued")  # the alerts that a hand may be called for by
_MOST = 200  # deeds that are remembered
_SHOWS_S = 600.0  # a job that is as it was so long after a deed was not touched by it
_LOOKS_S = 300.0  # within which an answer is true
_HAS_NODES = frozenset({"RUNNING", "COMPLETING", "SUSPENDED", "CONFIGURING", "STOPPED"})
_WANTED_S = 900.0  # nobody asks for longer


class DeedSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The ledger, oldest first. Times are s since the epoch."""

    done: list[DeedReading] = []
    answers: dict[str, int] = {}  # by rule: answers in a row while it fires, up to ENOUGH
    # (job, start, attempt): the job that alone had nodes while the log last got on
    seen_with: tuple[str, float, int] | None = None
    wanted: dict[str, tuple[str, float]] = {}  # by hand: (cause, until): a person asks for it

    def take(self, seen: DeedReading) -> None:
        """Write a deed down, in place of what was known of it."""
        kept = [one for one in self.done if not _is_of(seen, one) and not _is_idle_as(seen, one)]
        self.done = [*kept, seen][-_MOST:]
        if seen.outcome != "planned":
            self.wanted.pop(seen.hand, None)

    def asked(self, request: AlertRequest) -> None:
        """Somebody wants a plan carried out."""
        until = request.until
        if until is not None and request.at < until <= request.at + _WANTED_S:
            self.wanted[request.rule] = (request.key, until)

    def is_wanted(self, hand: Hand, cause: str, now: float) -> bool:
        """Whether somebody asked for this deed, and not long ago."""
        wanted, until = self.wanted.get(hand, ("", 0.0))
        return wanted == cause and now <= until <= now + _WANTED_S

    def heed(self, reading: QueueReading, book: Book) -> None:
        """Take an answer of the scheduler, after the alert book of the moment before it."""
        if reading.state != "ok":
            self.answers = {}
            return
        firing = {
            alarm.finding.rule
            for alarm in book.alarms
            if alarm.fired_at is not None and alarm.cleared_at is None
        }
        self.answers = {
            rule: min(ENOUGH, self.answers.get(rule, 0) + 1) for rule in ACTED_ON if rule in firing
        }
        self.done = [_in_the_light_of(one, reading) for one in self.done]

    def got_on(self, reading: QueueReading | None, attempt: int, at: float) -> None:
        """The log of a living run got on at a time, while the queue said this."""
        if reading is None or reading.state != "ok" or not 0 <= at - reading.at <= _LOOKS_S:
            return
        with_nodes = [job for job in reading.jobs if job.state in _HAS_NODES]
        if len(with_nodes) == 1 and with_nodes[0].start is not None:
            self.seen_with = (with_nodes[0].job_id, with_nodes[0].start, attempt)

    def of_cause(self, hand: Hand, cause: str) -> DeedReading | None:
        """The last deed of a hand for a cause, that was more than a plan."""
        return next((d for d in self.deeds(hand) if d.cause == cause), None)

    def deeds(self, hand: Hand) -> Iterator[DeedReading]:
        """What a hand did, the newest first; no plans."""
        return (d for d in reversed(self.done) if d.hand == hand and d.outcome != "planned")

    def is_planned(self, hand: Hand, cause: str) -> bool:
        """Whether it was said already that this would be done."""
        return any((d.hand, d.cause, d.outcome) == (hand, cause, "planned") for d in self.done)


def _is_of(seen: DeedReading, one: DeedReading) -> bool:
    """Whether both tell of one deed."""
    if seen.token and one.token:
        return seen.token == one.token
    return (seen.hand, seen.cause, one.outcome) == (one.hand, one.cause, "planned")


def _is_idle_as(seen: DeedReading, one: DeedReading) -> bool:
    """Of plans, and of deeds called off, the last of each hand is enough: they must crowd out none."""
    same = (seen.hand, seen.outcome) == (one.hand, one.outcome)
    return same and seen.outcome in ("planned", "not-done")


def _in_the_light_of(deed: DeedReading, reading: QueueReading) -> DeedReading:
    """A deed of which nobody knows what became, after an answer that may show it."""
    if deed.outcome not in ("unknown", "begun") or deed.hand == "evidence":
        return deed
    if deed.hand == "resubmit":  # one that is not there may have come and gone
        found = [job for job in reading.jobs if deed.token and deed.token in job.comment]
        return replace(deed, outcome="done", jobs=(found[0].job_id,)) if found else deed
    happened = (_is_gone if deed.hand == "cancel" else _is_held)(deed, reading.jobs)
    if happened:
        return replace(deed, outcome="done")
    if reading.at - deed.at < _SHOWS_S:
        return deed
    return replace(deed, outcome="not-done", detail="the queue shows that it did not happen")


def _is_gone(deed: DeedReading, jobs: tuple[Job, ...]) -> bool:
    return not any((job.job_id, job.start) == (deed.jobs[0], deed.start) for job in jobs)


def _is_held(deed: DeedReading, jobs: tuple[Job, ...]) -> bool:
    waiting = [j for j in jobs if j.array_job_id == deed.jobs[0] and j.state == "PENDING"]
    return all("held" in job.reason.lower() for job in waiting)
