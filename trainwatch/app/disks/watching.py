"""Every watched disk, asked when it is time: readings for all runs, and remarks on what cannot be known.

The trap: without the answer of its quota, a filesystem of petabytes looks empty. There is a reading only when
everything that was asked for it has answered.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.app.config import RunSettings
from trainwatch.app.disks.asking import Question
from trainwatch.app.disks.settings import DiskSettings, full
from trainwatch.app.sources import EVERY
from trainwatch.core.disks.reading import reading
from trainwatch.core.disks.values import Asked, Quota, Room
from trainwatch.core.model.observations import DiskReading, Observation
from trainwatch.core.strays import Found, Growth, Stray, lines, strays
from trainwatch.core.words import clean

_ROOM_DEADLINE_S = 30.0
_SCAN_S, _SCAN_DEADLINE_S = 1800.0, 600.0  # between scans for strays; one that takes longer hangs
_KILLING_S = 5.0  # beyond the deadline of a quota command, which ends it itself
_GB = 1e9

Scanned = tuple[list[Found], tuple[str, ...]]


class Eyes(NamedTuple):
    """What looks at disks (adapters/disks.py, adapters/strays.py). All but `me` may hang."""

    room: Callable[[str], Room]
    names: Callable[[str], tuple[str, ...]]
    quota: Callable[[str, Asked, float, float], Quota]
    scan: Callable[[Sequence[str]], Scanned]
    me: Callable[[], str]  # whoever asks


class Disk:
    """One of them."""

    def __init__(self, settings: DiskSettings, room: Question[Room], eyes: Eyes) -> None:
        self.settings, self.room = settings, room
        self.quota = _quota_of(settings, eyes)
        self._scan = _scan_of(settings, eyes)
        self._told = (0, 0)
        self._scans, self._growth = 0, Growth()
        self.strays: tuple[Stray, ...] = ()

    @property
    def questions(self) -> list[Question[Room] | Question[Quota] | Question[Scanned]]:
        """What is asked for it."""
        known = (self.room, self.quota, self._scan)
        return [question for question in known if question is not None]

    def reading(self, now: float) -> DiskReading | None:
        """What it has, once everything has answered anew."""
        self._sift(now)
        answers = (self.room.answers, self.quota.answers if self.quota else self._told[1] + 1)
        anew = answers[0] > self._told[0] and answers[1] > self._told[1]
        if not anew or self.room.answer is None or self.trouble:
            return None
        self._told = (answers[0], answers[1] if self.quota else 0)
        quota = self.quota.answer if self.quota else None
        chosen = self.settings
        room = self.room.answer.full_at(chosen.full_at)
        strays = lines(self.strays)
        asked = chosen.quota or ""
        return reading(now, chosen.label, chosen.folder, room, quota, strays, asked)

    @property
    def trouble(self) -> str:
        """Why its room is not known; empty where it is."""
        quota = self.quota.trouble if self.quota is not None else ""
        return self.room.trouble or quota

    def remarks(self) -> list[str]:
        """What people should know."""
        said = [self.trouble, self._scan.trouble if self._scan else ""]
        said += list(self._scan.answer[1]) if self._scan and self._scan.answer else []
        said += [f"look at {line}" for line in lines(self.strays)]
        return [f"disk {self.settings.label}: {clean(why, 300)}" for why in said if why]

    def _sift(self, now: float) -> None:
        """Of what a new scan found, what is stray."""
        if self._scan is None or self._scan.answer is None or self._scan.answers == self._scans:
            return
        self._scans, chosen = self._scan.answers, self.settings
        limits = chosen.output_gb * _GB, chosen.output_gb_per_day * _GB
        self.strays = strays(self._scan.answer[0], self._growth, now, *limits)


class Disks:
    """All that are configured: a Source (app/sources.py)."""

    def __init__(
        self,
        settings: Sequence[DiskSettings],
        eyes: Eyes,
        *,
        patience_s: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """A tick waits `patience_s` for all answers together. `monotonic` is a clock that nobody sets."""
        self._patience_s, self._monotonic = patience_s, monotonic
        rooms = dict[str, Question[Room]]()
        for one in settings:
            if one.folder not in rooms:
                often_s = min(each.interval_min for each in settings if each.folder == one.folder)
                rooms[one.folder] = _room_of(one.folder, often_s * 60, eyes)
        self.disks = [Disk(one, rooms[one.folder], eyes) for one in settings]

    def add(self, run: RunSettings) -> None:
        """Readings are for all runs."""

    def tick(self, now: float) -> Mapping[str, Sequence[Observation]]:
        """Ask what is due, and tell what was answered. Raises nothing."""
        questions = {id(q): q for disk in self.disks for q in disk.questions}.values()
        for question in questions:
            question.begin(now)
        until = self._monotonic() + self._patience_s
        for question in questions:
            left_s = max(0.0, until - self._monotonic())
            question.take(now, left_s, last=self._patience_s > 0)
        seen = [disk.reading(now) for disk in self.disks]
        told = [each for each in seen if each is not None]
        return {EVERY: told} if told else {}

    def remarks(self, run: str) -> Sequence[str]:
        """The same for all runs."""
        return list(dict.fromkeys(said for disk in self.disks for said in disk.remarks()))

    def troubles(self, run: str) -> Mapping[str, str]:
        """The same for all runs."""
        return {f"disk {d.settings.label}": clean(d.trouble, 300) for d in self.disks if d.trouble}

    def finish(self, now: float, patience_s: float) -> None:
        """Nothing of it must come to its end."""

    def close(self) -> None:
        """Let go of the threads."""
        for disk in self.disks:
            for question in disk.questions:
                question.close()


def _room_of(folder: str, interval_s: float, eyes: Eyes) -> Question[Room]:
    hangs = f"{folder} gives no answer: does its filesystem hang?"
    return Question(lambda at: eyes.room(folder), interval_s, _ROOM_DEADLINE_S, hangs)


def _quota_of(chosen: DiskSettings, eyes: Eyes) -> Question[Quota] | None:
    if chosen.quota is None:
        return None
    look = partial(_ask_quota, chosen.quota, chosen, eyes)
    hangs = f"the quota of {chosen.folder} gives no answer: does its filesystem hang?"
    patience_s = chosen.deadline_s + _KILLING_S
    return Question(look, chosen.interval_min * 60, patience_s, hangs)


def _ask_quota(kind: str, chosen: DiskSettings, eyes: Eyes, at: float) -> Quota:
    """In a thread of its own: what the filesystem is called here, and who asks, is found out there."""
    asked = chosen.asked()
    if not (asked.filesystem or asked.command):
        asked = replace(asked, names=eyes.names(asked.path))
    if not (asked.user or asked.group or asked.project) and kind in ("lustre", "gpfs"):
        asked = replace(asked, user=eyes.me())  # they would tell of groups, too
    return eyes.quota(kind, asked, at, chosen.deadline_s)


def _scan_of(chosen: DiskSettings, eyes: Eyes) -> Question[Scanned] | None:
    if not chosen.watch:
        return None
    folders = [full(pattern) for pattern in chosen.watch]
    hangs = f"looking for core files in {', '.join(chosen.watch)} takes too long, or hangs"
    interval_s = max(_SCAN_S, chosen.interval_min * 60)
    return Question(lambda at: eyes.scan(folders), interval_s, _SCAN_DEADLINE_S, hangs)
