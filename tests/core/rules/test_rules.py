"""Rules by what is observed: each fires in time, not before, ends on evidence only, and may be unsure."""

import msgspec
import pytest

from tests.core.judging import T0, Judged, pending, running
from tests.core.logs.making import iteration
from trainwatch.core.model.observations import (
    Checkpoint,
    CheckpointReading,
    DiskReading,
    Job,
    ScriptReading,
    SyncReading,
    WatcherReading,
)

MIN, H, GB = 60.0, 3600.0, 10**9
STARTUP = "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4"
INTERVAL = "  save_interval ................................... 100"
EXIT = "[exiting program after 1190.03 minutes] datetime: 2026-08-01 10:00:00"
KILLED = "[Detected kill switch at /tmp/kill. Exiting]"
RANDOM = (
    "WARNING: could not find the metadata file\n"
    "    will not load any checkpoints and will start from random"
)


def _saved(number: int) -> str:
    return f"  successfully saved checkpoint at iteration {number:7d} to /ckpt"


# the queue: (jobs now, the rule they make fire after half an hour)
ANSWERS: dict[str, tuple[tuple[Job, ...], str]] = {
    "alone in a chain": ((running("7_1"),), "no-successor"),
    "followed": ((running("7_1"), pending("7_2")), ""),
    "alone and never followed": ((running("7"),), ""),
    "absent": ((), "not-queued"),
    "waiting": ((pending("7_2"),), ""),
    "held": ((pending("7_2", "JobHeldUser"),), "job-held"),
    "held behind one that runs": ((running("7_1"), pending("7_2", "JobHeldAdmin")), "job-held"),
}


@pytest.mark.parametrize(("jobs", "rule"), ANSWERS.values(), ids=ANSWERS)
def test_the_queue_half_an_hour_after_it_says_so(jobs: tuple[Job, ...], rule: str) -> None:
    run = Judged().queue(running("7"))
    run.queue(*jobs)
    for _ in range(6):
        run.wait(5 * MIN)
        assert run.at - T0 > 15 * MIN or run.firing() == []
        run.queue(*jobs)
    assert run.firing() == [rule] * bool(rule)
    for _ in range(12):
        run.wait(5 * MIN).queue(unknown="Socket timed out")
    assert rule in ("", *run.firing())  # no answer ends nothing
    run.queue(running("7"), pending("8")).wait(MIN)
    assert rule not in run.firing()


def test_a_name_that_never_matched_is_no_missing_job() -> None:
    run = Judged()
    for _ in range(20):
        run.queue().wait(5 * MIN)
    assert run.firing() == []


def test_a_queue_that_is_falsely_empty_while_training_goes_on() -> None:
    run = Judged().queue(running("7"))
    for block in range(12):
        run.train(block * 30 + 1, block * 30 + 30)
        run.queue()
    assert run.told("not-queued") == []


def test_blind_after_half_an_hour_and_over_when_it_sees() -> None:
    run = Judged().train(1, 20)
    run.see(WatcherReading(at=run.at, blind="stale file handle"))
    run.wait(20 * MIN)
    assert run.firing() == []
    run.wait(9 * MIN)
    assert run.firing() == ["blind"]  # and nothing is concluded from that silence
    run.see(WatcherReading(at=run.at)).wait(MIN)
    assert run.firing() == []


def test_a_log_of_no_known_format_is_blindness() -> None:
    run = Judged().read("hello")
    for _ in range(29):
        run.wait(MIN).read("still here")
    assert run.firing() == ["blind"]
    run.read(iteration(1))
    assert run.firing() == []


# checkpoints


def test_overdue_after_one_and_a_half_intervals_and_over_with_a_save() -> None:
    run = Judged().read([STARTUP, INTERVAL]).train(1, 100).read(_saved(100))
    run.train(101, 210)
    assert run.firing() == []
    run.train(211, 260)
    assert run.firing() == ["checkpoint-overdue"]
    run.read(_saved(260))
    assert run.firing() == []


def _listed(run: Judged, **of: object) -> CheckpointReading:
    found = Checkpoint(**{"name": "global_step200", "iteration": 200, "complete": True, **of})  # type: ignore[arg-type]
    return CheckpointReading(at=run.at, latest="global_step200", found=(found,))


def test_a_save_that_only_the_listing_shows_is_one() -> None:
    run = Judged().read([STARTUP, INTERVAL]).train(1, 140)
    run.train(141, 200).see(_listed(run, mtime=run.at)).train(201, 240)
    assert not run.fires("checkpoint-overdue")


def test_a_listing_of_another_attempt_is_no_save_of_this_one() -> None:
    run = Judged().read([STARTUP, INTERVAL])
    run.see(_listed(run, mtime=run.at - 9e4)).train(1, 200)
    assert run.fires("checkpoint-overdue")


def test_half_written_for_two_hours() -> None:
    run = Judged().train(1, 10)
    run.see(_listed(run, complete=False, mtime=run.at)).wait(119 * MIN)
    assert not run.fires("checkpoint-incomplete")
    run.wait(2 * MIN)
    assert run.fires("checkpoint-incomplete", "global_step200")
    run.see(_listed(run, complete=True, mtime=run.at))
    assert not run.fires("checkpoint-incomplete")


# resuming


def test_resumed_from_an_older_checkpoint() -> None:
    run = Judged().train(1, 200).read([_saved(200), EXIT])
    run.wait(MIN).read(STARTUP).train(101, 110)
    assert run.fires("resume-mismatch")


@pytest.mark.parametrize("before_save", [1, 2, 10])
def test_a_burst_with_the_next_save_in_it_hides_no_resume(before_save: int) -> None:
    run = Judged().train(1, 200).read([_saved(200), EXIT])
    number = 100 + before_save
    burst = [iteration(n) for n in range(101, number + 1)]
    save = [f"saving checkpoint at iteration {number:7d} to /ckpt", _saved(number)]
    run.wait(MIN).read([STARTUP, *burst, *save, iteration(120)])
    assert run.told("resume-mismatch") == ["firing", "resolved"]


@pytest.mark.parametrize("first", [201, 251])  # from the last that was seen, or one that was not
def test_resumed_where_it_was(first: int) -> None:
    run = Judged().train(1, 200).read(_saved(200)).train(201, 260).read(EXIT)
    run.wait(MIN).read(STARTUP).train(first, first + 15)
    assert not run.fires("resume-mismatch")


@pytest.mark.parametrize("saved", [True, False])
def test_random_weights_are_wrong_where_there_was_a_checkpoint(saved: bool) -> None:
    run = Judged().read([STARTUP, INTERVAL]).train(1, 50)
    if saved:
        run.read(_saved(50))
    run.read(EXIT).wait(MIN).read([STARTUP, *RANDOM.splitlines()])
    assert run.fires("resume-mismatch") is saved


# learning


def test_one_nan_is_a_warning_three_are_critical_and_it_is_over_after_five_good_ones() -> None:
    run = Judged().train(1, 40)
    run.train(41, 42, line=lambda n: iteration(n, loss="nan"))
    assert [c.severity for c in run.changes if c.rule == "loss-nan"] == ["warning"]
    run.train(43, 45, line=lambda n: iteration(n, loss="nan"))
    assert [c.severity for c in run.changes if c.rule == "loss-nan"] == ["warning", "critical"]
    run.train(46, 48)
    assert run.fires("loss-nan")
    run.train(49, 60)
    assert run.told("loss-nan") == ["firing", "firing", "resolved"]


def test_overflows_in_a_streak_but_not_while_the_scale_is_looked_for() -> None:
    def skipped(number: int) -> str:
        return iteration(number, skipped=1, loss=None)

    run = Judged().train(1, 15, line=skipped).train(16, 60)
    assert run.told("overflow-streak") == []
    run.train(61, 64, line=skipped)
    assert run.fires("overflow-streak")
    run.train(65, 80)
    assert run.told("overflow-streak") == ["firing", "resolved"]


def test_a_surge_is_told_with_its_own_iteration() -> None:
    run = Judged().train(1, 40)
    run.train(41, 41, line=lambda n: iteration(n, grad_norm="11.3"))
    assert run.fires("grad-norm-surge")
    assert run.changes[-1].iteration == 41


def test_a_spike_informs_and_warns_when_it_does_not_heal() -> None:
    run = Judged().train(1, 60)
    run.train(61, 100, line=lambda n: iteration(n, loss="1.6E+01"))
    assert [c.severity for c in run.changes] == ["info"]
    run.train(101, 165, line=lambda n: iteration(n, loss="1.6E+01"))
    assert [c.severity for c in run.changes if c.rule == "loss-spike"][-1] == "warning"
    run.train(166, 180)
    assert not run.fires("loss-spike")


# ends


def test_a_kill_switch_is_over_when_an_iteration_is_done() -> None:
    run = Judged().train(1, 10).read(KILLED)
    assert run.fires("kill-switch")
    run.wait(MIN).read(STARTUP)
    assert run.fires("kill-switch")
    run.train(11, 12)
    assert not run.fires("kill-switch")


def test_a_crash_ten_minutes_after_its_line() -> None:
    run = Judged().train(1, 20).read("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried")
    run.wait(8 * MIN)
    assert run.firing() == []
    run.wait(2 * MIN)
    assert run.firing() == ["crash"]
    run.read(iteration(21))
    assert run.firing() == []


def test_a_clean_exit_is_silence_that_nobody_minds() -> None:
    run = Judged().train(1, 20).read(EXIT).wait(5 * H)
    assert run.firing() == []


# beside


def test_a_disk_that_is_full_in_two_days_and_does_not_flap() -> None:
    run = Judged()

    def free(gigabytes: float) -> None:
        reading = DiskReading(at=run.at, path="scratch", bytes_total=1000 * GB)
        run.see(msgspec.structs.replace(reading, bytes_free=int(gigabytes * GB)))
        run.wait(15 * MIN)

    for quarter in range(5):
        free(400 - 2.5 * quarter)
    assert run.fires("disk-full", "scratch")
    for quarter in range(40):
        free(390 - 1.9 * quarter)  # 45 h, 55 h, ...
    assert run.told("disk-full") == ["firing"]
    for _ in range(60):
        free(900)
    assert run.told("disk-full") == ["firing", "resolved"]


def test_syncs_and_scripts() -> None:
    run = Judged()
    run.see(SyncReading(at=run.at, route="hub", ok=False, last_ok_at=run.at))
    run.wait(5.9 * H)
    assert run.firing() == []
    run.wait(0.2 * H)
    assert run.fires("sync-late", "hub")
    run.see(SyncReading(at=run.at, route="hub", ok=True))
    assert run.firing() == []
    run.see(ScriptReading(at=run.at, script="du", exit_code=None))
    assert run.fires("script-failed", "du")
    run.see(ScriptReading(at=run.at, script="du", exit_code=0))
    assert run.firing() == []


def test_a_script_that_did_not_simply_exit_says_how() -> None:
    for seen, said in (
        (ScriptReading(at=0.0, script="du", exit_code=3), "du exited 3"),
        (ScriptReading(at=0.0, script="du", exit_code=None), "du was ended after its deadline"),
        (
            ScriptReading(at=0.0, script="du", exit_code=None, how="was lost with its watcher"),
            "du was lost with its watcher",
        ),
    ):
        run = Judged()
        run.see(msgspec.structs.replace(seen, at=run.at))
        assert [a.finding.summary for a in run.memory.book.alarms] == [said]


def test_a_rule_that_is_unsure_ends_nothing_by_itself() -> None:
    run = Judged().train(1, 40).wait(20 * MIN)
    assert run.fires("stall")
    run.see(WatcherReading(at=run.at, blind="unmounted")).wait(3 * H)
    assert run.fires("stall")
    run.see(WatcherReading(at=run.at)).wait(4 * MIN)
    assert run.told("stall") == ["firing"]


@pytest.mark.parametrize(
    ("reason", "summary", "advice"),
    [
        ("JobHeldUser", "held by its owner: will never start by itself", "scontrol release 7_2"),
        (
            "JobHeldAdmin",
            "held by an administrator: will never start by itself",
            "An administrator held it: ask why.",
        ),
        (
            "DependencyNeverSatisfied",
            "its dependency can never be met: will never start by itself",
            "What it waits for failed: scancel 7_2, and submit it again without that dependency.",
        ),
        (
            "AssocGrpCPUMinutesLimit",
            "the hours of its group are used up (CPU Minutes Limit): will never start by itself",
            "Ask for more hours, or submit it under another account.",
        ),
        (
            "PartitionTimeLimit",
            "asks for more time than the partition allows: will never start by itself",
            "It asks for what it cannot have: scontrol show job 7_2",
        ),
    ],
)
def test_why_a_job_never_starts_and_what_to_do(reason: str, summary: str, advice: str) -> None:
    run = Judged()
    for _ in range(40):
        run.queue(pending("7_2", reason)).wait(60)
    (alarm,) = [a for a in run.memory.book.alarms if a.finding.rule == "job-held"]
    assert alarm.finding.summary == f"job 7_2: {summary}"
    assert alarm.finding.advice == advice


def test_a_long_wait_says_when_it_may_start_and_how_far_that_moved() -> None:
    run = Judged()
    for hour in range(26):
        start = T0 + (30 if hour < 10 else 40) * H
        run.queue(msgspec.structs.replace(pending("7_2"), start=start)).wait(H)
    (alarm,) = [a for a in run.memory.book.alarms if a.finding.rule == "pending-long"]
    assert alarm.finding.summary == (
        "it has waited in the queue for 1 d 2 h (waits for its turn); "
        "predicted to start in 14 h, 10 h later than said 1 d 2 h ago"
    )
    run.queue(pending("7_2")).wait(H)
    (alarm,) = [a for a in run.memory.book.alarms if a.finding.rule == "pending-long"]
    assert alarm.finding.summary.endswith("; no start is predicted any more")
