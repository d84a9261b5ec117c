"""What the judge remembers of a run between observations: the senses, the alert book, its clock.

Kept in the store with the state it belongs to. The trap: it is changed in place, unlike everything else that
travels; only the judge (core/judge.py) may hold one.
"""

import msgspec

from trainwatch.core.model.alerts import Book
from trainwatch.core.model.telling import Outbox
from trainwatch.core.senses.bump import BumpSense
from trainwatch.core.senses.crash import CrashSense
from trainwatch.core.senses.deeds import DeedSense
from trainwatch.core.senses.disks import DiskSense
from trainwatch.core.senses.figures import FigureSense
from trainwatch.core.senses.flood import FloodSense
from trainwatch.core.senses.hands import HandSense
from trainwatch.core.senses.learning import LearningSense
from trainwatch.core.senses.pace import PaceSense
from trainwatch.core.senses.pattern import PatternSense
from trainwatch.core.senses.processes import ProcessSense
from trainwatch.core.senses.queue import QueueSense
from trainwatch.core.senses.resume import ResumeSense
from trainwatch.core.senses.speed import SpeedSense


class Memory(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Times are s since the epoch."""

    now: float | None = None  # of the last observation or tick
    log_at: float | None = None  # how far the log is judged, in its own time while catching up
    settled_at: float | None = None  # when the rules last looked
    due: float | None = None  # from then on, rules or the book may say otherwise by themselves
    pace: PaceSense = msgspec.field(default_factory=PaceSense)
    speed: SpeedSense = msgspec.field(default_factory=SpeedSense)
    learning: LearningSense = msgspec.field(default_factory=LearningSense)
    resume: ResumeSense = msgspec.field(default_factory=ResumeSense)
    queue: QueueSense = msgspec.field(default_factory=QueueSense)
    processes: ProcessSense = msgspec.field(default_factory=ProcessSense)
    disks: DiskSense = msgspec.field(default_factory=DiskSense)
    flood: FloodSense = msgspec.field(default_factory=FloodSense)
    figures: FigureSense = msgspec.field(default_factory=FigureSense)
    bump: BumpSense = msgspec.field(default_factory=BumpSense)
    crash: CrashSense = msgspec.field(default_factory=CrashSense)
    patterns: dict[str, PatternSense] = {}  # by the name of a user's rule
    hands: HandSense = msgspec.field(default_factory=HandSense)
    deeds: DeedSense = msgspec.field(default_factory=DeedSense)  # of our hands on jobs
    overdue_iteration: int | None = None  # an iteration that rules wait for
    tracker: int | None = None  # the iteration that the next attempt ought to resume from
    resumes_from: int | None = None  # the one that this attempt ought to have
    tail: list[str] = []  # the last lines of the log
    book: Book = Book()
    outbox: Outbox = Outbox()  # what people are still to be told, and what they were
