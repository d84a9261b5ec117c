"""Whether the chain is well: literal queues, records and heartbeats."""

import pytest

from trainwatch.core.chain import Link
from trainwatch.core.chainhealth import Seen, judged
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.model.cron import Mode, ShardStatus
from trainwatch.core.model.observations import Job

NOW = 1_000_000.0
WANTED = ChainRecord(wanted=True, at=NOW - 7200)
STOPPED = ChainRecord(wanted=False, at=NOW - 7200, by="me")


def link(job_id: str, state: str = "RUNNING", reason: str = "") -> Link:
    return Link(job_id, (Job(job_id=job_id, name="n", state=state, reason=reason),))


def beat(age_s: float) -> tuple[ShardStatus, ...]:
    return (ShardStatus(index=0, at=NOW - age_s),)


RUNS, WAITS = link("7"), link("8", "PENDING", "Dependency")
HELD = link("8", "PENDING", "JobHeldUser")


@pytest.mark.parametrize(
    ("seen", "mode", "health", "why"),
    [
        (Seen(WANTED, (RUNS, WAITS), beat(30)), "daemon", "ok", ""),
        (Seen(WANTED, (WAITS,), beat(300)), "ticks", "ok", ""),
        (Seen(None, ()), "daemon", "stopped", "never started"),
        (Seen(STOPPED, ()), "daemon", "stopped", "stopped by me 2 h"),
        (Seen(STOPPED, (RUNS,)), "daemon", "warning", "job 7 still runs"),
        (Seen(WANTED, (), beat(7000)), "daemon", "dead", "no job of it runs or waits"),
        (Seen(WANTED, (), ()), "ticks", "dead", "never gave a sign of life"),
        (Seen(WANTED, (RUNS,), beat(30)), "daemon", "warning", "no successor waits"),
        (
            Seen(WANTED, (RUNS, WAITS), beat(301)),
            "daemon",
            "warning",
            "its job runs, but last seen",
        ),
        (Seen(WANTED, (RUNS, WAITS), ()), "daemon", "warning", "never gave a sign of life"),
        (Seen(WANTED, (RUNS, HELD), beat(30)), "daemon", "warning", "held by its owner"),
        (Seen(WANTED, (HELD,), beat(30)), "ticks", "dead", "held by its owner"),
        (Seen(WANTED, (WAITS,), beat(30)), "daemon", "warning", "waits: waits for another job"),
        (Seen(WANTED, (WAITS,), beat(1501)), "ticks", "warning", "last seen 25 min"),
        (Seen(WANTED, (link("7", "COMPLETING"),), beat(30)), "daemon", "warning", "is ending"),
        (
            Seen(WANTED, None, beat(30), "timed out"),
            "daemon",
            "unknown",
            "(timed out); last seen 30 s",
        ),
        (Seen(WANTED, None, (), "timed out"), "daemon", "unknown", "never gave a sign of life"),
        (Seen(None, (RUNS, WAITS), beat(30)), "daemon", "ok", ""),
        (Seen(WANTED, (RUNS,), beat(30), keeper="scrontab"), "ticks", "ok", ""),
        (Seen(WANTED, (WAITS,), beat(300), keeper="scrontab"), "ticks", "ok", ""),
        (Seen(None, (), beat(1400)), "ticks", "ok", ""),  # of a crontab
        (Seen(None, None, beat(30), "no squeue"), "ticks", "ok", ""),
        (Seen(None, (), beat(1501)), "ticks", "dead", "nothing ticks any more: last seen 25 min"),
    ],
)
def test_health(seen: Seen, mode: Mode, health: str, why: str) -> None:
    found = judged(seen, NOW, mode, 600.0)
    assert found.health == health
    assert why in found.why
    assert bool(found.why) == bool(why)


def test_what_views_are_shown() -> None:
    found = judged(Seen(WANTED, (RUNS, WAITS), beat(30)), NOW, "daemon", 600.0)
    assert [job.job_id for job in found.running] == ["7"]
    assert found.successor is not None
    assert (found.successor.job_id, found.successor.reason) == ("8", "Dependency")
    assert (found.started_at, found.next_at) == (NOW - 7200, 1_000_200.0)
