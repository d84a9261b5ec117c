"""What is there beside the logs, judged."""

import pytest

from trainwatch.core.doctor import house
from trainwatch.core.doctor.house import DiskSeen, Watcher
from trainwatch.core.model.cron import ChainJob, CronStatus
from trainwatch.core.model.lease import Holder
from trainwatch.core.model.scripts import Listing

HELD, OVER = Holder("node7", 42, -100.0), Holder("node7", 42, 9.0)

WATCHERS: dict[str, tuple[Watcher, str, str]] = {
    "nobody yet": (Watcher(None, 300.0), "ok", "nobody has watched it yet"),
    "it begins": (
        Watcher(None, 300.0, HELD),
        "ok",
        "process 42 on node7 holds its lease, and has yet",
    ),
    "it watches": (Watcher(20.0, 300.0, HELD), "ok", "20 s ago; process 42 on node7"),
    "a tick": (Watcher(20.0, 300.0), "ok", "no watcher stays on it now"),
    "it hangs": (
        Watcher(900.0, 300.0, HELD),
        "wrong",
        "but it is silent: last heartbeat 15 min ago",
    ),
    "it is gone": (Watcher(900.0, 300.0, OVER), "warning", "nobody watches it any more"),
    "ahead": (Watcher(-900.0, 300.0, HELD), "warning", "clock is 15 min ahead"),
}


@pytest.mark.parametrize("name", WATCHERS)
def test_watchers(name: str) -> None:
    seen, verdict, saw = WATCHERS[name]
    found = house.watcher("run a", seen)
    assert (found.verdict, saw in found.saw) == (verdict, True)


JOB = ChainJob(job_id="77", state="RUNNING")
CHAINS: dict[str, tuple[CronStatus, str, str, str]] = {
    "well": (CronStatus(at=1.0, health="ok", running=(JOB,)), "ok", "job 77 runs", ""),
    "stopped": (
        CronStatus(at=1.0, health="stopped", why="never started here: trainwatch cron start"),
        "ok",
        "never started here",
        "trainwatch cron start, on a login node",
    ),
    "dead": (
        CronStatus(at=1.0, health="dead", why="no job"),
        "wrong",
        "no job",
        "trainwatch cron start",
    ),
    "unknown": (
        CronStatus(at=1.0, why="no answer"),
        "unknown",
        "no answer",
        "trainwatch cron status",
    ),
    "silent": (
        CronStatus(at=1.0, health="warning", running=(JOB,), why="last seen 2 h ago"),
        "warning",
        "job 77 runs; last seen 2 h ago",
        "trainwatch cron status",
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains(name: str) -> None:
    status, verdict, saw, do = CHAINS[name]
    found = house.chain(status)
    assert (found.verdict, found.saw) == (verdict, saw)
    assert found.do.startswith(do)


DISKS: dict[str, tuple[DiskSeen, str, str]] = {
    "room": (DiskSeen("w", 100, 50, None, "ok"), "ok", "50 B free, 50.0 % of it"),
    "full": (DiskSeen("w", 100, 0, 3, "critical", quota="own"), "wrong", "3 inodes (quota: own)"),
    "silent": (
        DiskSeen("w", None, None, None, "unknown", "no\x1b answer"),
        "unknown",
        "no  answer",
    ),
}


@pytest.mark.parametrize("name", DISKS)
def test_disks(name: str) -> None:
    seen, verdict, saw = DISKS[name]
    found = house.disk(seen)
    assert (found.verdict, saw in found.saw) == (verdict, True)


def test_scripts() -> None:
    assert house.scripts("daily", "/f", Listing(names=("a", "b"))).saw == "2 scripts (a, b)"
    left = house.scripts("daily", "/f", Listing(left_out=(("\x1b[1mx", "chmod +x"), ("y", ""))))
    assert (left.verdict, left.saw, left.do) == (
        "warning",
        "0 scripts; left out:  [1mx, and 1 more",
        "chmod +x",
    )
    assert house.scripts("daily", "/f", Listing(trouble="no such file")).verdict == "wrong"


@pytest.mark.parametrize(
    ("files", "left", "trouble", "verdict"),
    [
        (3, (), "", "ok"),
        (0, (), "", "warning"),
        (3, (("a", "a link"),), "", "warning"),
        (0, (), "/r: no such file", "wrong"),
    ],
)
def test_sources(files: int, left: tuple[tuple[str, str], ...], trouble: str, verdict: str) -> None:
    assert house.source("logs", "/r", files, left, trouble).verdict == verdict


def test_receivers() -> None:
    assert house.receiver("slack", "apprise", "").verdict == "ok"
    assert house.receiver("a b", "apprise", "").do.startswith("trainwatch alerts test 'a b'")
    assert house.receiver("slack", "apprise", "no URL").verdict == "wrong"
    assert house.receiver("am", "alertmanager", "", reached="").verdict == "ok"
    assert house.receiver("am", "alertmanager", "", reached="refused").verdict == "unknown"


def test_the_hub() -> None:
    assert house.hub_token("", needed=()).verdict == "ok"
    assert house.hub_token("", needed=["logs"]).verdict == "wrong"
    assert house.hub_token("HF_TOKEN", needed=["logs"]).saw == "a token is there (HF_TOKEN)"
    assert house.hub_reached("https://h", "").verdict == "ok"
    assert house.hub_reached("https://h", "no way").verdict == "unknown"
