"""trainwatch run as people use it: a training, its watcher, and what others see of it from beside."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.running.driving import read_until
from tests.core.logs.making import iteration

TRAINWATCH = [sys.executable, "-P", "-m", "trainwatch"]
TRAINING = """
import sys, time
print("using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1", flush=True)
for line in open("lines"):
    print(line, end="", flush=True)
    time.sleep(0.05)
print("waiting", flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAINING)
    (tmp_path / "queue.py").write_text(
        "raise RuntimeError('a file of the training, and no module')"
    )
    (tmp_path / "lines").write_text("".join(f"{iteration(n, step_ms=50)}\n" for n in range(1, 21)))
    (tmp_path / "trainwatch.toml").write_text("poll_interval_s = 0.2\n")
    return tmp_path


@pytest.fixture
def begin() -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Begins a command under `trainwatch run`; it is ended with the test."""
    begun = list[subprocess.Popen[bytes]]()

    def start(*words: str) -> "subprocess.Popen[bytes]":
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "bufsize": 0}
        begun.append(
            subprocess.Popen([*TRAINWATCH, "run", *words], start_new_session=True, **pipes)
        )
        return begun[-1]

    yield start
    for process in begun:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def status(run: str) -> dict[str, Any]:
    """What another process says of it."""
    argv = [*TRAINWATCH, "status", run, "--json"]
    said = subprocess.run(argv, capture_output=True, text=True, check=False)
    return {"code": said.returncode, **(json.loads(said.stdout) if said.stdout else {})}


def becomes(run: str, true: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The first status of which it is true."""
    deadline = time.monotonic() + 60
    while not ("health" in (seen := status(run)) and true(seen)):  # else another has the store
        assert time.monotonic() < deadline, seen
        time.sleep(0.2)
    return seen


def child_of(seen: dict[str, Any], process: "subprocess.Popen[bytes]") -> int:
    """The training's process."""
    said = subprocess.run(
        ["pgrep", "-P", str(process.pid), "-f", "train.py$"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert seen["processes"]["alive"]
    return int(said.stdout.split()[0])


def test_a_training_is_seen_well_then_killed(begin: Any) -> None:
    process = begin("--name", "tiny", "--", sys.executable, "-u", "train.py")
    seen = becomes("tiny", lambda s: s.get("iteration") == 20 and s["processes"])
    assert (seen["code"], seen["health"], seen["reason"]) == (0, "ok", "training")
    assert len(seen["attempts"]) == 1
    assert (seen["processes"]["count"], seen["processes"]["zombies"]) == (1, 0)
    os.kill(child_of(seen, process), signal.SIGKILL)
    assert process.wait(60) == 128 + signal.SIGKILL
    seen = status("tiny")
    assert (seen["code"], seen["health"]) == (1, "critical")
    assert "killed by SIGKILL" in seen["reason"]
    assert [alert["rule"] for alert in seen["alerts"]] == ["crash"]
    assert seen["attempts"][-1]["end"] == "killed"
    assert (seen["processes"]["alive"], seen["processes"]["signal"]) == (False, 9)


def test_a_crash_is_told_with_its_exit_code_and_its_last_words(begin: Any) -> None:
    text = "import sys; print('Traceback: none of your business'); sys.exit(3)"
    assert begin("--name", "tiny", "--", sys.executable, "-c", text).wait(60) == 3
    seen = status("tiny")
    assert (seen["code"], seen["health"]) == (1, "critical")
    assert "exit code 3" in seen["reason"]
    (alert,) = seen["alerts"]
    assert alert["rule"] == "crash"
    assert alert["evidence"] == ["Traceback: none of your business"]
    plain = subprocess.run([*TRAINWATCH, "status", "tiny"], capture_output=True, text=True).stdout
    assert "processes  exit code 3, " in plain


def test_ctrl_c_is_no_crash(begin: Any) -> None:
    process = begin("--name", "tiny", "--", sys.executable, "-u", "train.py")
    becomes("tiny", lambda s: s.get("iteration") == 20)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 128 + signal.SIGINT
    seen = status("tiny")
    assert (seen["health"], seen["alerts"]) == ("warning", [])
    assert seen["attempts"][-1]["end"] == "cancelled"


def test_a_second_start_is_a_second_attempt_in_the_same_log(begin: Any, place: Path) -> None:
    for code in (1, 0):
        text = f"import sys; print(open('lines').read(), end=''); sys.exit({code})"
        assert begin("--name", "tiny", "--", sys.executable, "-c", text).wait(60) == code
    seen = status("tiny")
    assert [attempt["end"] for attempt in seen["attempts"]] == ["crashed", "exited"]
    assert [attempt["records"] for attempt in seen["attempts"]] == [20, 20]
    assert (place / "tiny.log").read_bytes() == 2 * (place / "lines").read_bytes()


def test_a_watcher_that_is_killed_is_started_again_and_the_training_knows_nothing(
    begin: Any,
) -> None:
    process = begin("--name", "tiny", "--", sys.executable, "-u", "train.py")
    seen = becomes("tiny", lambda s: s.get("iteration") == 20 and s["processes"])
    watcher = subprocess.run(
        ["pgrep", "-P", str(process.pid), "-f", "--", "--beside"],
        capture_output=True,
        text=True,
        check=True,
    )
    os.kill(int(watcher.stdout), signal.SIGKILL)
    read_until(process.stderr.fileno(), b"the watcher ended (signal 9); the command goes on")
    was = seen["heartbeat_at"]
    becomes("tiny", lambda s: s["heartbeat_at"] > was + 3 and s["processes"]["alive"])
    os.kill(child_of(seen, process), signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    seen = status("tiny")
    assert (len(seen["attempts"]), seen["attempts"][0]["end"]) == (1, "killed")


def test_whoever_runs_it_is_killed_and_the_watcher_says_that_it_is_gone(begin: Any) -> None:
    process = begin("--name", "tiny", "--", sys.executable, "-u", "train.py")
    seen = becomes("tiny", lambda s: s.get("iteration") == 20 and s["processes"])
    child = child_of(seen, process)
    process.kill()
    process.wait()
    os.kill(child, signal.SIGKILL)
    seen = becomes("tiny", lambda s: s["processes"]["alive"] is False)
    assert seen["health"] == "critical"
    assert "nobody saw how they ended" in seen["reason"]
    assert seen["attempts"][-1]["end"] == "unknown"


def test_another_watcher_of_the_same_run_is_said_and_nothing_else_changes(
    begin: Any, place: Path
) -> None:
    log = place / "tiny.log"
    log.write_text(f"{iteration(1)}\n")
    argv = [*TRAINWATCH, "watch", str(log)]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, bufsize=0) as other:
        assert other.stderr is not None
        read_until(other.stderr.fileno(), b"watching")
        process = begin("--log", str(log), "--", "sh", "-c", "sleep 3; echo done; exit 4")
        said = read_until(process.stderr.fileno(), b"the command is not watched: ")
        assert process.wait(60) == 4
        other.terminate()
    assert said
    assert log.read_text().endswith("done\n")


def test_observations_of_a_run_can_be_recorded_and_replayed(begin: Any, place: Path) -> None:
    words = ("--name", "tiny", "--record", "tiny.jsonl", "--", "sh", "-c", "cat lines; exit 3")
    assert begin(*words).wait(60) == 3
    recorded = (place / "tiny.jsonl").read_text()
    assert '"processes":{' in recorded
    argv = [*TRAINWATCH, "replay", "tiny.jsonl", "--json"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    told = [json.loads(line) for line in said.splitlines()]
    assert [each["rule"] for each in told if "rule" in each] == ["crash"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--log", "folder", "--", "touch", "begun"], 2, "is a folder"),
        (["--log", "no/such/run.log", "--", "touch", "begun"], 2, "No such file or directory"),
        (["--config", "none.toml", "--", "touch", "begun"], 2, "none.toml"),
        (["--name", "tiny", "--"], 2, "Missing argument"),
        (["--name", "tiny", "--", "no-such-command"], 127, "cannot be started"),
    ],
)
def test_what_cannot_be_is_said_before_anything_begins(
    begin: Any, place: Path, words: list[str], code: int, said: str
) -> None:
    (place / "folder").mkdir()
    process = begin(*words)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert said in err.decode()
    assert "Traceback" not in err.decode()
    assert not (place / "begun").exists()


def test_without_a_name_the_script_names_the_log_and_its_folder_the_run(
    begin: Any, place: Path
) -> None:
    (place / "lines").write_text("")
    process = begin(sys.executable, "-c", "print('--name x')", "train.py", "--log", "y")
    assert process.wait(60) == 0
    assert (place / "train.log").read_text() == "--name x\n"
    assert status(str(place / "train.log"))["run"] == place.name


def test_a_configured_run_has_its_log_and_settings(begin: Any, place: Path) -> None:
    text = "poll_interval_s = 0.2\n[[runs]]\nname = 'big'\nlog = 'logs/main_log.txt'\n"
    (place / "trainwatch.toml").write_text(text)
    (place / "logs").mkdir()
    assert begin("--name", "big", "--", "sh", "-c", "cat lines; exit 1").wait(60) == 1
    assert (place / "logs" / "main_log.txt").stat().st_size
    assert status("big")["attempts"][-1]["end"] == "crashed"
