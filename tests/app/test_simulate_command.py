"""trainwatch simulate: files, recordings, messages, interruption; and the live run that a demo is made of."""

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.simulate.telling import folded
from trainwatch.app import clock, recording, simulating
from trainwatch.app.cli import run
from trainwatch.app.simulating import LiveRun
from trainwatch.core.errors import ExitCode, UsageError
from trainwatch.core.model.observations import LogChunk
from trainwatch.simulate.happenings import Wrote
from trainwatch.simulate.scenarios import SCENARIOS


def simulate(*arguments: object) -> int:
    return run(["simulate", *map(str, arguments)])


def test_it_says_where_the_log_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(tmp_path / "run", "--iterations", 20) == ExitCode.OK
    said = capsys.readouterr()
    assert said.out == f"{tmp_path}/run/main_log.txt\n"
    assert said.err == f"to look at it: trainwatch tui {tmp_path}/run/main_log.txt\n"
    assert (tmp_path / "run" / "main_log.txt").read_bytes().count(b" iteration  ") == 20


def test_the_same_seed_gives_the_same_bytes_in_any_folder(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        simulate(
            tmp_path / name,
            "--seed",
            seed,
            "--iterations",
            120,
            "--record",
            tmp_path / f"{name}.jsonl",
        )
    a, b, c = ((tmp_path / name / "main_log.txt").read_bytes() for name in "abc")
    assert a == b != c
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize("flavour", ["megatron-deepspeed", "megatron-core", "torchtitan"])
def test_a_recording_replays_to_what_the_log_says(tmp_path: Path, flavour: str) -> None:
    kept = tmp_path / "run.jsonl"
    simulate(
        tmp_path / "run",
        "--scenario",
        "crash-and-restart",
        "--flavour",
        flavour,
        "--iterations",
        320,
        "--record",
        kept,
    )
    flaws = recording.Flaws()
    seen = list(recording.read(kept, flaws))
    assert not flaws.lines
    log = (tmp_path / "run" / "main_log.txt").read_bytes()
    assert b"".join(s.data for s in seen if isinstance(s, LogChunk)) == log
    replayed = folded(seen)
    # the log, as a watcher read it while it grew
    place, chunks = 0, []
    for s in seen:
        if isinstance(s, LogChunk):
            text = log[place : place + len(s.data)]
            chunks.append(LogChunk(at=s.at, path="main_log.txt", data=text, offset=place))
            place += len(text)
    followed = folded(chunks)
    assert followed.rows == replayed.rows
    assert followed.events == replayed.events
    assert followed.state.attempts == replayed.state.attempts
    assert followed.state.facts == replayed.state.facts
    assert replayed.state.queue is not None
    assert replayed.state.checkpoints is not None
    on_disk = sorted(p.name for p in (tmp_path / "run" / "checkpoints").iterdir() if p.is_dir())
    assert sorted(found.name for found in replayed.state.checkpoints.found) == on_disk
    said = json.loads((tmp_path / "run" / "queue.json").read_text())
    assert said["jobs"][0]["job_id"] == replayed.state.queue.jobs[0].job_id


def test_a_simulated_run_can_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    simulate(tmp_path / "sim", "--iterations", 230)
    capsys.readouterr()
    run(["status", str(tmp_path / "sim" / "main_log.txt"), "--json"])
    status = json.loads(capsys.readouterr().out)
    assert (status["iteration"], status["checkpoint"]["iteration"]) == (230, 200)
    assert (status["framework"], status["gpus"]) == ("megatron-deepspeed", 64)


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate("--list") == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(SCENARIOS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'DIR'"),
        (
            ("DIR", "--scenario", "helthy"),
            "no scenario is called 'helthy'; did you mean 'healthy'?",
        ),
        (("DIR", "--scenario", "crash"), "did you mean 'crash-and-restart'?"),
        (("DIR", "--scenario", "xyz"), "there are demo, healthy"),
        (("DIR", "--speed", "fast"), "'fast' is neither a number of at least 0 nor 'max'"),
        (("DIR", "--speed", "-1"), "'-1' is neither a number"),
        (("DIR", "--speed", "nan"), "'nan' is neither a number"),
        (("DIR", "--iterations", "0"), "0 is not in the range"),
        (("DIR", "--record", "nowhere/run.jsonl"), "there is no folder nowhere"),
        (("DIR", "--record", "kept.jsonl"), "kept.jsonl exists already"),
        (("theirs",), "theirs is not empty, and `trainwatch simulate` did not make it"),
        (("kept.jsonl",), "kept.jsonl is a file; name a folder"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_touched(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kept.jsonl").write_text("mine")
    Path("theirs").mkdir()
    Path("theirs/file").write_text("mine")
    simulate("DIR", "--iterations", 5)
    before = Path("DIR/main_log.txt").read_bytes()
    capsys.readouterr()
    assert simulate(*arguments) == ExitCode.USAGE
    assert message in capsys.readouterr().err
    assert Path("DIR/main_log.txt").read_bytes() == before
    assert Path("kept.jsonl").read_text() == "mine"
    assert [entry.name for entry in Path("theirs").iterdir()] == ["file"]


def test_ctrl_c_ends_it_with_whole_lines(tmp_path: Path) -> None:
    log = tmp_path / "run" / "main_log.txt"
    process = subprocess.Popen(
        [sys.executable, "-m", "trainwatch", "simulate", tmp_path / "run", "--speed", "600"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == f"writing {log} at speed 600; Ctrl-C ends it\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == ExitCode.INTERRUPTED
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    text = log.read_bytes()
    assert not text or text.endswith(b"\n")


def test_a_live_run_writes_until_it_is_over(tmp_path: Path) -> None:
    live = LiveRun(tmp_path, "healthy", speed=1e9, iterations=60)
    assert live.log.exists()
    with live:
        assert live.wait(20)
    assert live.error is None
    assert live.log.read_bytes().count(b" iteration  ") == 60


def test_a_live_run_ends_when_it_is_stopped(tmp_path: Path) -> None:
    live = LiveRun(tmp_path, speed=1.0)  # 30 simulated seconds in the queue: nothing is written yet
    live.start()
    assert not live.wait(0)
    live.stop()
    assert live.wait(0)
    assert live.error is None


def test_a_live_run_says_that_the_disk_does_not_take_it(tmp_path: Path) -> None:
    live = LiveRun(tmp_path, "healthy", speed=1e9, iterations=120)
    (tmp_path / "checkpoints").write_text("in the way")
    with live:
        assert live.wait(20)
    assert str(live.error) == f"cannot write into {tmp_path}: Not a directory"


def test_a_live_run_of_nothing_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no scenario"):
        LiveRun(tmp_path, "nothing")


def test_live_stamps_go_with_the_clock_and_others_begin_at_a_fixed_date() -> None:
    live, fixed = simulating.timeline(60.0), simulating.timeline(None)
    assert live.at(3600.0) - live.at(0.0) == 60.0
    assert fixed.at(3600.0) - fixed.at(0.0) == 3600.0
    assert fixed.stamp(0.0) == "2025-03-03 08:00:00"
    assert fixed == simulating.timeline(None)


class Wall:
    """A clock on a wall that is wound by hand."""

    at = 1000.0

    def __call__(self) -> float:
        return self.at


def test_a_clock_that_passes_as_fast_as_the_job_makes_an_hour_of_both_the_same() -> None:
    wall = Wall()
    now = clock.Passing(60.0, wall)
    assert now() == 1000.0
    wall.at += 60
    assert now() == 4600.0
    live = simulating.timeline(60.0, now)
    assert live.at(3600.0) - live.at(0.0) == 3600.0
    assert live.start == 4600.0


@pytest.mark.parametrize(("speed", "rate", "pace"), [(0.5, 0.5, 1), (60, 60, 1), (6000, 60, 100)])
def test_the_clock_of_a_demo_is_the_job_s_up_to_a_speed(
    speed: float, rate: float, pace: float
) -> None:
    now = simulating.clock_of(speed)
    assert now.rate == rate
    assert simulating.timeline(speed, now).pace == pace


def test_what_is_an_hour_away_on_a_fast_clock_comes_soon() -> None:
    now = clock.Passing(3.6e6)
    soon = Wrote(now() + 3600, b"x\n")
    assert list(simulating.paced(iter([soon]), 3.6e6, threading.Event(), now)) == [soon]
    assert now() >= soon.at


def test_nothing_happens_before_its_time_and_nothing_after_the_end() -> None:
    far = clock.now() + 3600
    stopped = threading.Event()
    stopped.set()
    assert list(simulating.paced(iter([Wrote(far, b"x\n")]), 1.0, stopped)) == []
    assert list(simulating.paced(iter([Wrote(0.0, b"x\n")]), None, stopped)) == []
    ready = list(simulating.paced(iter([Wrote(0.0, b"x\n")]), 1.0, threading.Event()))
    assert ready == [Wrote(0.0, b"x\n")]


def test_a_live_run_of_an_incident_has_a_past_and_is_just_before_its_fault(tmp_path: Path) -> None:
    live = LiveRun(tmp_path, "slow-node", speed=1e-6, now=clock.Passing(1e-6))
    with live:
        text = live.log.read_bytes()
    assert b" iteration    42742/" in text
    assert b" iteration    42601/" in text
    assert b" iteration    42750/" not in text  # the fault is at 42783
    assert live.error is None


def test_the_past_of_a_run_ends_now() -> None:
    scenario = simulating.scenario_of("slow-node")
    past_s = simulating.past_of(scenario, 42_743, 0, pace=60.0)
    assert past_s == pytest.approx(143 * 105 / 60, rel=0.15)
    assert simulating.past_of(scenario, scenario.first_iteration, 0, pace=60.0) == 0.0
    now = clock.Passing(60.0, Wall())
    assert simulating.timeline(60.0, now, past_s).at(past_s) == now()
