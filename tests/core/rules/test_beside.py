"""Rules of all that is beside training: blindness, ends, disks, syncing, scripts."""

import msgspec

from tests.core.judging import Judged
from tests.core.logs.making import iteration
from tests.core.rules.logged import EXIT, GB, MIN, STARTUP, H
from trainwatch.core.model.observations import (
    DiskReading,
    ScriptReading,
    SyncReading,
    WatcherReading,
)

KILLED = "[Detected kill switch at /tmp/kill. Exiting]"


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
