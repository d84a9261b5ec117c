"""Faults beside the training: disks, syncs, scripts, the watcher's own sight, a flood of warnings.

Each is a plan: what is to happen at which simulated second, in order of time. Hours are of the run.
"""

from collections.abc import Iterator

import msgspec

from trainwatch.core.model.observations import (
    DiskReading,
    ScriptReading,
    SyncReading,
    WatcherReading,
)
from trainwatch.simulate.happenings import Broke, Happening, Healed, Observed, Wrote
from trainwatch.simulate.timeline import Timeline

_HOUR_S, _DAY_S = 3600.0, 86_400.0
_RUNWAY_S = 2 * _DAY_S  # less room than for so long is trouble
_BLOCK_S = 10.0  # of a flood

Plan = Iterator[tuple[float, Happening]]


class DiskFilling(msgspec.Struct, frozen=True, kw_only=True):
    """A filesystem fills steadily until somebody makes room. Read every hour."""

    path: str
    bytes_total: int
    bytes_free: int  # when the run begins
    bytes_per_day: float
    cleared_h: float
    until_h: float
    rule: str = "disk-full"

    def plan(self, timeline: Timeline) -> Plan:
        """Trouble begins when there is room for less than two days."""
        broken = False
        for t in _hourly(0.0, self.until_h):
            free = self._free(t)
            short = free < self.bytes_per_day * _RUNWAY_S / _DAY_S
            if short != broken:
                broken = short
                yield t, _truth(timeline.at(t), self.rule, self.path, broken=short)
            reading = DiskReading(
                at=timeline.at(t),
                path=self.path,
                bytes_total=self.bytes_total,
                bytes_free=free,
                inodes_total=100_000_000,
                inodes_free=80_000_000,
            )
            yield t, Observed(reading.at, reading)

    def _free(self, t: float) -> int:
        room = self.bytes_free if t < self.cleared_h * _HOUR_S else self.bytes_total
        since = t if t < self.cleared_h * _HOUR_S else t - self.cleared_h * _HOUR_S
        return max(0, round(room - self.bytes_per_day * since / _DAY_S))


class SyncFailing(msgspec.Struct, frozen=True, kw_only=True):
    """Sending away works every hour, until it does not for a while."""

    route: str
    first_h: float
    hours: float
    until_h: float
    why: str
    permanent: bool = False
    rule: str = "sync-late"

    def plan(self, timeline: Timeline) -> Plan:
        """An hourly word of how it went."""
        last_ok_at: float | None = None
        for t in _hourly(0.0, self.until_h):
            at, failing, turn = timeline.at(t), *_turns(t, self.first_h, self.hours)
            if turn:
                yield t, _truth(at, self.rule, self.route, broken=failing)
            last_ok_at = last_ok_at if failing else at
            reading = SyncReading(
                at=at,
                route=self.route,
                ok=not failing,
                last_ok_at=last_ok_at,
                permanent=failing and self.permanent,
                why=self.why if failing else "",
            )
            yield t, Observed(at, reading)


class ScriptFailing(msgspec.Struct, frozen=True, kw_only=True):
    """An hourly script works until it does not for a while. `exit_code` None: it never came to an end."""

    script: str
    first_h: float
    hours: float
    until_h: float
    exit_code: int | None
    why: str
    rule: str = "script-failed"

    def plan(self, timeline: Timeline) -> Plan:
        """An hourly word of how it went."""
        for t in _hourly(0.0, self.until_h):
            at, failing, turn = timeline.at(t), *_turns(t, self.first_h, self.hours)
            if turn:
                yield t, _truth(at, self.rule, self.script, broken=failing)
            reading = ScriptReading(
                at=at,
                script=self.script,
                exit_code=self.exit_code if failing else 0,
                took_s=600.0 if failing and self.exit_code is None else 12.0,
                why=self.why if failing else "",
            )
            yield t, Observed(at, reading)


class Blinded(msgspec.Struct, frozen=True, kw_only=True):
    """The watcher cannot read the log for a while; what was written meanwhile it reads afterwards."""

    first_h: float
    hours: float
    why: str
    rule: str = "blind"

    def plan(self, timeline: Timeline) -> Plan:
        """It says so when it begins, every ten minutes, and when it can see again."""
        first, last = self.first_h * _HOUR_S, (self.first_h + self.hours) * _HOUR_S
        yield first, Broke(timeline.at(first), self.rule)
        t = first
        while t < last:
            at = timeline.at(t)
            yield t, Observed(at, WatcherReading(at=at, blind=self.why))
            t += 600.0
        at = timeline.at(last)
        yield last, Observed(at, WatcherReading(at=at))
        yield last, Healed(at, self.rule)


class Flood(msgspec.Struct, frozen=True, kw_only=True):
    """Something writes thousands of warnings a minute into the log."""

    first_h: float
    hours: float
    lines_a_minute: int
    line: str = (
        "[codecarbon WARNING @ {stamp}] Background scheduler didn't run for a long period "
        "(47s), results might be inaccurate"
    )
    rule: str = "log-flood"

    def plan(self, timeline: Timeline) -> Plan:
        """Blocks of lines, every ten seconds."""
        first, last = self.first_h * _HOUR_S, (self.first_h + self.hours) * _HOUR_S
        yield first, Broke(timeline.at(first), self.rule)
        t = first
        while t < last:
            line = self.line.format(stamp=f"{timeline.local(t):%H:%M:%S}")
            block = f"{line}\n" * round(self.lines_a_minute * _BLOCK_S / 60)
            yield t, Wrote(timeline.at(t), block.encode())
            t += _BLOCK_S
        yield last, Healed(timeline.at(last), self.rule)


BesideFault = DiskFilling | SyncFailing | ScriptFailing | Blinded | Flood


def _hourly(first_h: float, until_h: float) -> Iterator[float]:
    return (_HOUR_S * hour for hour in range(int(first_h), int(until_h)))


def _turns(t: float, first_h: float, hours: float) -> tuple[bool, bool]:
    """Whether it fails at `t`, and whether it did otherwise an hour before."""
    failing = first_h <= t / _HOUR_S < first_h + hours
    return failing, failing != (first_h <= t / _HOUR_S - 1 < first_h + hours)


def _truth(at: float, rule: str, key: str, *, broken: bool) -> Happening:
    return Broke(at, rule, key) if broken else Healed(at, rule, key)
