"""What rules find, what the alert book makes of it, and what changed: values between rules, book and people.

Times are s since the epoch. The trap: `since` is when the trouble began, which is before anybody noticed it.
"""

from typing import Literal

import msgspec

Severity = Literal["info", "warning", "critical"]
SEVERITIES: tuple[Severity, ...] = ("info", "warning", "critical")
# Why nobody is told of a change; empty: they are. An acknowledgement only keeps repeats from being made.
Withheld = Literal["", "acknowledged", "silenced", "inhibited", "flapping"]


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one rule found at one time. Texts hold foreign words: plain text, never markup."""

    rule: str
    summary: str  # a sentence with its numbers
    severity: Severity | None = None  # None: that of the rule
    key: str = ""  # tells several findings of one rule apart: a node, a disk, a script
    since: float | None = None
    iteration: int | None = None
    evidence: tuple[str, ...] = ()  # the lines and numbers that show it
    cost: str = ""  # so far: "96 GPU-hours"
    advice: str = ""  # what to do now
    labels: dict[str, str] = {}
    acted_at: float | None = None  # when our hands last did something about it


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What all rules say at one time."""

    at: float
    findings: tuple[Finding, ...] = ()
    unknown: frozenset[str] = frozenset()  # rules that cannot say: nothing of theirs is resolved
    due: float | None = None  # from when on they may say otherwise, though nothing new is observed


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How the alert book treats one rule."""

    severity: Severity = "warning"
    hold_s: float = 0.0  # a finding must last so long before it fires
    clear_s: float = 0.0  # and be gone so long before it is resolved
    repeat_s: float | None = 14_400.0  # a firing alert is told again so often; None: never
    inhibited_by: tuple[str, ...] = ()  # rules that are the cause of this one while they fire


class Muted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody does not want to be told: an alert that is acknowledged, or rules that are silenced.

    A silence is of a rule (empty: all), or of one key of it, and ends at `until`. An acknowledgement is of
    one alert, and ends with it, when it gets worse, or at `until` if it has one.
    """

    kind: Literal["acknowledged", "silenced"]
    at: float
    rule: str = ""
    key: str = ""
    until: float | None = None
    by: str = ""
    why: str = ""


class Alarm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One alert of the book: pending until its hold has passed, then firing until it is resolved."""

    finding: Finding  # the newest
    severity: Severity
    noticed_at: float  # first found
    fired_at: float | None = None  # None: pending
    # not found since, for sure; None: it is there, or nobody can say
    cleared_at: float | None = None
    told_at: float | None = None  # of its last firing or repeated change that people got
    told: Severity | None = None  # what people think it is; None: nobody knows of it
    withheld: Withheld = ""  # why its last firing change was for the journal only


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """When people were last told that an alert fires, and how bad they were told it is."""

    at: float
    severity: Severity


class Book(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All alerts of one run, what was muted, and how often each fired lately (flap damping)."""

    alarms: tuple[Alarm, ...] = ()
    muted: tuple[Muted, ...] = ()
    fired: dict[str, tuple[float, ...]] = {}  # "rule" or "rule key" -> last times it fired
    told: dict[str, Told] = {}  # the same, also after it was resolved


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """An alert fired, was resolved, or is told again. `muted` says why nobody is to be told of it."""

    at: float
    run: str
    rule: str
    severity: Severity
    change: Literal["firing", "resolved", "repeated"]
    since: float
    summary: str
    labels: dict[str, str] = {}
    key: str = ""
    iteration: int | None = None
    evidence: tuple[str, ...] = ()
    cost: str = ""
    advice: str = ""
    muted: Withheld = ""
