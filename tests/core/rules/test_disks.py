"""disk-full: by growth, by the saves to come, by the grace of a soft limit; and what would make room."""

import pytest
from msgspec.structs import replace

from tests.core.judging import T0, Judged, running
from tests.core.logs.making import iteration
from trainwatch.core.model.alerts import Finding
from trainwatch.core.model.observations import Checkpoint, CheckpointReading, DiskReading
from trainwatch.core.model.status import DiskStatus
from trainwatch.core.rules import disks
from trainwatch.core.rules.settings import AlertSettings, DiskFull

MIN, H, DAY = 60.0, 3600.0, 86_400.0
GB, TB = 10**9, 10**12
INTERVAL = "  save_interval ................................... 100"  # of 10 s: a save in 1,000 s
PERIOD_S = 1000.0
SCRATCH = DiskReading(at=T0, path="/scratch", bytes_total=100 * TB)


def trained() -> Judged:
    """A run that trains at 10 s an iteration and saves every 100."""
    return Judged().queue(running("7")).read(INTERVAL).train(1, 30)


def saved(run: Judged, size: int | None, **more: object) -> Judged:
    newest = Checkpoint(name="global_step20", iteration=20, bytes=size, complete=True)
    older = replace(newest, name="global_step10", iteration=10, bytes=1)
    torn = replace(newest, name="global_step30", iteration=30, bytes=7 * TB, complete=False)
    return run.see(CheckpointReading(at=run.at, found=(torn, newest, older), **more))  # type: ignore[arg-type]


def free(run: Judged, size: float, seen: DiskReading = SCRATCH) -> Judged:
    return run.see(replace(seen, at=run.at, bytes_free=int(size)))


def finding(run: Judged, path: str = "/scratch") -> Finding:
    """What is wrong with the disk."""
    for each in disks.disk_full(run.judge.sight(run.state, run.at)):
        if isinstance(each, Finding) and each.key == path:
            return each
    return Finding(rule="none", summary="")


def view(run: Judged) -> DiskStatus:
    return disks.views(run.judge.sight(run.state, run.at))[0]


# by growth


def test_as_it_fills_and_when_that_will_be() -> None:
    run = Judged()
    for quarter in range(9):
        free(run, 10 * TB - quarter * TB / 16)
        run.wait(15 * MIN)
    said = finding(run)
    assert said.summary == (
        "/scratch is full in 1 d 14 h (about 2026-09-23 06:00 UTC) as it fills now: 9.5 TB left"
    )
    assert (said.severity, said.key) == (None, "/scratch")
    assert view(run).runway_s == pytest.approx(38 * H)
    assert view(run).runs_out == "bytes"


def test_inodes_run_out_like_bytes() -> None:
    run = Judged()
    for quarter in range(9):
        run.see(
            replace(SCRATCH, at=run.at, inodes_free=50_000 - 2_000 * quarter, inodes_total=10**6)
        )
        run.wait(15 * MIN)
    said = finding(run)
    assert "34,000 inodes left" in said.summary
    assert said.severity == "critical"


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({"bytes_free": 1}, "/scratch has 0.0 % of its bytes left"),
        ({"bytes_free": 0, "bytes_total": None}, "/scratch has none of its bytes left"),
        ({"inodes_free": 0, "inodes_total": 5}, "/scratch has 0.0 % of its inodes left"),
        ({"bytes_free": 2 * TB}, ""),
        ({"bytes_free": 5, "bytes_total": None}, ""),
        ({}, ""),
    ],
)
def test_full(seen: dict[str, int | None], said: str) -> None:
    run = Judged().see(replace(SCRATCH, **seen))
    assert finding(run).summary == said
    assert run.fires("disk-full") == bool(said)


def test_a_share_at_which_a_filesystem_fails() -> None:
    run = Judged(AlertSettings(disk_full=DiskFull(least_free=0.2)))
    assert finding(free(run, 19 * TB)).summary == "/scratch has 19.0 % of its bytes left"


# by saves


def test_before_the_rate_is_known_saves_are_counted() -> None:
    run = free(saved(trained(), 2 * TB), 30 * TB)
    said = finding(run)
    assert said.summary.startswith("/scratch is full in 4 h 10 min (about 2026-")
    assert said.summary.endswith(" UTC) with a checkpoint of 2 TB every 16 min 40 s: 30 TB left")
    assert said.severity == "critical"
    assert view(run).runway_s == pytest.approx(15 * PERIOD_S)


def test_a_rate_that_was_measured_over_some_saves_has_them_in_it() -> None:
    run = free(saved(trained(), 2 * TB), 30 * TB)
    number = 30
    while run.at < T0 + 4 * H:
        run.train(number + 1, number + 90)
        number += 90
        free(run, 30 * TB)  # somebody prunes
    assert finding(run).summary == ""
    assert view(run).runway_s is None


def test_the_next_checkpoint_does_not_fit() -> None:
    run = free(saved(trained(), 2 * TB), 1.5 * TB)
    for _ in range(40):
        free(run.wait(10 * MIN), 1.5 * TB)
    said = finding(run)
    assert said.summary == (
        "/scratch has no room for the next checkpoint: 1.5 TB left, it takes 2 TB, "
        "one is saved every 16 min 40 s"
    )
    assert said.severity == "critical"


def test_nobody_saves() -> None:
    for run in (
        saved(Judged().read(INTERVAL), 2 * TB),  # no iteration yet
        saved(Judged().train(1, 30), 2 * TB),  # no interval known
        saved(trained(), None),
        trained(),
        saved(trained(), 2 * TB).queue(),
        saved(trained(), 2 * TB).read(
            "[exiting program after 1190.03 minutes] datetime: 2026-08-01 10:00:00"
        ),
    ):
        assert finding(free(run, 1.5 * TB)).summary == ""


def test_it_is_the_disk_that_holds_the_checkpoints() -> None:
    run = saved(trained(), 2 * TB, root="/scratch/six/ckpt")
    six = replace(SCRATCH, path="six", folder="/scratch/six")
    other = replace(SCRATCH, path="/scratch/si")
    for seen in (SCRATCH, six, other):
        free(run, 1.5 * TB, seen)
    assert [path for path in run.state.disks if finding(run, path).summary] == ["six"]


def test_by_where_the_log_says_that_they_are() -> None:
    run = trained().read(
        "  successfully saved checkpoint at iteration      20 to /scratch/checkpoints"
    )
    saved(run, 2 * TB)
    free(run, 1.5 * TB, replace(SCRATCH, path="/work"))
    free(run, 1.5 * TB)
    assert finding(run, "/work").summary == ""
    assert "no room for the next checkpoint" in finding(run).summary


# by the grace of a soft limit


def test_a_soft_limit_ends_with_its_grace_however_long() -> None:
    run = Judged()
    over = replace(SCRATCH, soft_until=T0 + 6 * DAY)
    said = finding(free(run, 5 * TB, over))
    assert said.summary == (
        "/scratch is over its soft limit, and closed in 6 d (about 2026-09-27 14:00 UTC): 5 TB left"
    )
    assert said.severity is None
    for _ in range(5):
        free(run.wait(DAY), 5 * TB, over)
    run.wait(19 * H)
    assert finding(run).severity == "critical"
    assert view(run).runs_out == "soft limit"
    assert finding(free(run, 5 * TB)).summary == ""


def test_a_slow_growth_does_not_hide_it() -> None:
    run = Judged()
    for quarter in range(9):
        free(run, 10 * TB - quarter * TB / 50, replace(SCRATCH, soft_until=T0 + 30 * DAY))
        run.wait(15 * MIN)
    assert view(run).runs_out == "bytes"
    assert "soft limit" in finding(run).summary


# what would make room


@pytest.mark.parametrize(
    ("prunable", "said"),
    [
        (None, "Remove checkpoints that nobody needs. Look for core files."),
        (0, "Pruning as configured would free nothing. Look for core files."),
        (12 * TB, "Pruning as configured would free 12 TB: trainwatch checkpoints prune. Look for"),
    ],
)
def test_what_pruning_would_free(prunable: int | None, said: str) -> None:
    run = saved(trained(), 2 * TB, root="/scratch", prunable_bytes=prunable)
    assert finding(free(run, 1)).advice.startswith(said)


def test_what_pruning_elsewhere_would_free_is_no_help() -> None:
    run = saved(trained(), 2 * TB, root="/elsewhere", prunable_bytes=12 * TB)
    assert (
        finding(free(run, 1)).advice == "Remove checkpoints that nobody needs. Look for core files."
    )


def test_strays_are_the_evidence() -> None:
    strays = ("23 GB /scratch/core.7: core file",)
    said = finding(free(Judged(), 1, replace(SCRATCH, strays=strays)))
    assert said.evidence == strays
    assert said.advice == "Remove checkpoints that nobody needs. Remove the files below first."


def test_what_was_not_heard_of_for_a_day_is_as_it_was_and_for_days_is_not_watched_any_more() -> (
    None
):
    run = free(Judged(), 1)
    assert run.wait(2.9 * DAY).fires("disk-full")
    assert view(run).bytes_free == 1
    assert not run.wait(0.2 * DAY).fires("disk-full")
    assert disks.views(run.judge.sight(run.state, run.at)) == ()
    assert free(run, 1).fires("disk-full")


def test_a_restart_of_the_watcher_forgets_nothing() -> None:
    run = free(saved(trained(), 2 * TB, prunable_bytes=TB), 1.5 * TB)
    before = finding(run)
    assert finding(run.reborn()) == before
    assert run.read(iteration(31)).fires("disk-full", "/scratch")
