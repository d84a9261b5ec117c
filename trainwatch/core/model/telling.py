"""Who is told of alert changes, what waits to be told, and what became of it.

Times are s since the epoch. The trap: what a receiver was told is known only after it was sent, so a
message may come twice (at least once), and never silently not at all.
"""

from typing import Literal

import msgspec

from trainwatch.core.model.alerts import SEVERITIES, Change, Severity


class Receiver(msgspec.Struct, frozen=True, kw_only=True):
    """Who wants to be told of what. How they are reached is not its business."""

    name: str
    severities: tuple[Severity, ...] = SEVERITIES
    runs: tuple[str, ...] = ("*",)  # globs of run names
    cooldown_s: float = 0.0  # an alert is not told again sooner, unless it got worse
    digest_s: float | None = None  # what comes within so long is one message
    refresh_s: float | None = None  # what fires is sent again so often, for a receiver that forgets


class Queued(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change that a receiver has not been told of yet."""

    number: int
    receiver: str
    change: Change
    queued_at: float
    attempts: int = 0
    next_try_at: float = 0.0


class Told(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a receiver was last told of one alert. A cool-down is reckoned from `at`."""

    receiver: str
    rule: str
    key: str = ""
    at: float  # of the last message that it fires
    severity: Severity
    firing: bool
    change: Change | None = None  # of a receiver with `refresh_s`: what is sent again
    refreshed_at: float = 0.0


class Rest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A receiver that did not take a message is left alone for a while."""

    since: float
    until: float
    failures: int
    why: str
    permanent: bool = False  # trying again will not help until somebody changes something


class Outbox(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that waits to be told of one run, and what was told."""

    queued: tuple[Queued, ...] = ()
    told: tuple[Told, ...] = ()
    rests: dict[str, Rest] = {}  # by receiver
    dropped: dict[str, int] = {}  # by receiver: messages that no longer fitted into the queue
    next_number: int = 1


class Sending(msgspec.Struct, frozen=True, kw_only=True):
    """One message to one receiver: of one change, or of all that are due at once. Worst first."""

    receiver: str
    at: float
    changes: tuple[Change, ...]
    numbers: tuple[int, ...] = ()  # of the queued; what is only refreshed has none
    dropped: int = 0
    digest: bool = False
    remember: bool = False  # what fires is to be sent again later on


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a message. `why` never holds a receiver's URL or any part of it."""

    result: Literal["ok", "again", "never"]
    why: str = ""
    retry_after_s: float | None = None  # what the receiver itself asked for


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """Plain text for people."""

    title: str
    body: str


OK = Outcome(result="ok")
