"""report --slurm on a real Slurm: the same bytes as on one machine; a task that is killed; ctrl+c."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.reporting.logs import write
from tests.cluster.slurm import Cluster
from trainwatch.adapters.slurm import Hands, Slurm
from trainwatch.app import clock, ourselves
from trainwatch.app.cli import run
from trainwatch.app.reporting import farming, reading, shares
from trainwatch.app.reporting.desk import Desk
from trainwatch.app.reporting.farming import Farm, Lost, Pace, World
from trainwatch.core.slurm.submitting import Submission

CONFIG = """
log_utc_offset_h = 3
[slurm.jobs]
partition = "prepost"
time_limit_min = 10
options = ["--nice=5"]
[formats.mine]
pattern = 'mine (?P<iteration>\\d+) took (?P<step_time_s>[\\d.]+)'
"""

# A task that the queue does not show is looked for in the books twice; a busy slurmdbd is seconds behind.
_PACE = Pace(asked_s=8.0, first_asked_s=2.0)


@pytest.fixture
def here(commands: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state 100%"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, bytes, bytes]:
    code = run(["report", *arguments])
    got = capfdbinary.readouterr()
    return code, got.out, got.err


@pytest.mark.parametrize("form", ["json", "md", "csv"])
def test_the_table_is_that_of_one_machine(
    form: str, here: Path, shared_logs: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    logs = (str(shared_logs / "bigscience"), "--format", form)
    code, out, err = said(capfdbinary, *logs, "--slurm", "2")
    assert (code, out) == said(capfdbinary, *logs)[:2]
    assert code == 0
    assert out.count(b"meg_") == 5
    assert b", 2 tasks, reads the logs\n" in err
    assert not (here / "state 100%" / "reports").exists()


def test_all_that_changes_rows_reaches_the_tasks(
    here: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (here / "c.toml").write_text(CONFIG)
    write(here / "logs" / "a 'quoted' \"name\"\n-mbs-4.out")
    write(here / "logs" / "-mbs-2.out")
    (here / "logs" / "own-mbs-1.out").write_text("mine 1 took 2.5\nmine 2 took 2.5\n")
    (here / "logs" / os.fsdecode(b"\xff-mbs-8.log")).write_text("nothing of a training\n")
    (here / "logs" / "compressed.out").write_bytes(b"\x1f\x8b\x00\x00")
    asked = ("logs", "logs/nope.out", "--name-pattern", "*-mbs-{mbs}.out", "--config", "c.toml")
    more = ("--peak-tflops", "125", "--tokens", "1G", "--format", "json")
    here_code, here_out, here_err = said(capfdbinary, *asked, *more)
    code, out, err = said(capfdbinary, *asked, *more, "--slurm", "40")
    assert (code, out) == (here_code, here_out)
    assert b", 6 tasks, reads the logs\n" in err
    of_the_job = [line for line in err.splitlines() if line.startswith(b"trainwatch: job ")]
    assert [line for line in err.splitlines() if line not in of_the_job] == here_err.splitlines()
    assert out.count(b'"schema_version"') == 5  # without the file that is no training log


def test_where_the_hours_went(here: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in ("tr1", "tr2"):
        assert run(["simulate", str(here / name), "--scenario", "crash-and-restart"]) == 0
    capfdbinary.readouterr()
    logs = ("tr1/main_log.txt", "tr2/main_log.txt", "nope/main_log.txt", "--goodput")
    code, out, err = said(capfdbinary, *logs, "--slurm", "2")
    assert (code, out) == said(capfdbinary, *logs)[:2]
    assert code == 1
    assert b"nope/main_log.txt does not exist" in err
    assert b"## Goodput of tr2" in out


class Two:
    """Three logs in two shares; the second task first does what `hang` says."""

    def __init__(self, folder: Path, hang: str) -> None:
        self.said = list[str]()
        self._paths = [write(folder / f"{n}.out", iterations=n + 1) for n in range(3)]
        self._how = reading.How(now=2e9)
        names, sizes = (
            [str(path) for path in self._paths],
            [path.stat().st_size for path in self._paths],
        )
        self._work = shares.work_of("rows", names, 2, sizes, self._how, folder, None)
        self._desk = Desk.made(folder / "desk", self._work)
        module, where = "trainwatch.app.reporting.task", str(self._desk.folder)
        first, rest = ourselves.script(module, [where], '"$SLURM_ARRAY_TASK_ID"').split("\n", 1)
        script = f'{first}\n[ "$SLURM_ARRAY_TASK_ID" = 0 ] || {hang}\n{rest}'
        self._job = Submission(script=script, name="r", comment=str(folder), folder=where)

    def run(self, wait: Callable[[float], None]) -> list[Lost]:
        """Read them; the rows are those of one machine."""
        world = World(Hands(), Slurm(deadline_s=20.0), clock.now, wait, self.said.append)
        farm = Farm(world, self._desk, self._work, self._job, _PACE)
        results, lost = farm.run(lambda _: None)
        rows = reading.rows(self._paths, self._how, 1, lambda _: None)
        assert [results[n] for n in range(3)] == rows
        return lost

    @property
    def array(self) -> str:
        """The id of the first array."""
        return self.said[0].split(",")[0].removeprefix("job ")


def test_a_task_that_is_killed_is_read_again(commands: Cluster, tmp_path: Path) -> None:
    once, killed = tmp_path / "once", list[str]()
    here = shlex.quote(str(once))
    two = Two(tmp_path, f"[ -e {here} ] || {{ touch {here}; sleep 600; }}")

    def wait(seconds: float) -> None:
        clock.wait(seconds)
        if once.exists() and not killed:
            killed.append(f"{two.array}_1")
            commands.run("scancel", *killed)

    assert two.run(wait) == []
    (why,) = (text for text in two.said if "is read again" in text)
    assert why.startswith(f"task {killed[0]} ended as CANCELLED on node")


def test_a_controller_that_is_gone_for_a_while_loses_nothing(
    commands: Cluster, tmp_path: Path
) -> None:
    go_on, begun, state = tmp_path / "go on", tmp_path / "begun", list[str]()
    two = Two(
        tmp_path,
        f"{{ touch {begun}; while ! [ -e {shlex.quote(str(go_on))} ]; do sleep 0.2; done; }}",
    )

    def wait(seconds: float) -> None:
        clock.wait(seconds)
        if begun.exists() and not state:
            state.append("down")
            commands.kill("slurmctld")
        elif state == ["down"] and any("cannot be read" in text for text in two.said):
            state.append("up")
            commands.start_controller()
            go_on.touch()

    assert two.run(wait) == []
    assert state == ["down", "up"]
    assert not any("read again" in text for text in two.said)


def test_ctrl_c_leaves_no_job_and_no_folder(here: Path, commands: Cluster) -> None:
    write(here / "a.out")
    report = subprocess.Popen(
        [sys.executable, "-m", "trainwatch", "report", "a.out", "--slurm", "3"],
        env={**commands.env, "TRAINWATCH_STATE_DIR": str(here / "state"), "PYTHONPATH": _ROOT},
        stderr=subprocess.PIPE,
    )
    assert report.stderr is not None
    assert b"one task, reads the logs" in report.stderr.readline()
    report.send_signal(signal.SIGINT)
    assert report.wait(30) == 130
    report.stderr.close()
    assert not (here / "state" / "reports").exists()
    commands.until(lambda: not commands.run("squeue", "-h"), "an empty queue")


_ROOT = str(Path(__file__).parents[2])


def test_what_no_task_can_read_is_told_and_the_rest_is_kept(
    here: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two tasks meets a Python that breaks on its share, twice."""
    write(here / "good.out", iterations=2000)
    write(here / "bad.out")
    whole = ourselves.script

    def broken(module: str, arguments: list[str], tail: str) -> str:
        first, rest = whole(module, arguments, tail).split("\n", 1)
        return f'{first}\n[ "$SLURM_ARRAY_TASK_ID" = 0 ] || {{ echo out of luck; exit 7; }}\n{rest}'

    monkeypatch.setattr(ourselves, "script", broken)
    monkeypatch.setattr(farming, "USUAL", _PACE)
    logs = ("good.out", "bad.out", "--format", "csv")
    code, out, err = said(capfdbinary, *logs, "--slurm", "2")
    assert (code, out) == (1, said(capfdbinary, "good.out", "--format", "csv")[1])
    text = err.decode()
    assert "trainwatch: one log has no row, as task " in text
    assert " ended as FAILED (7:0) on node" in text
    assert ":\n  bad.out\n  last words of the task: out of luck\n" in text
    (folder,) = (here / "state 100%" / "reports").iterdir()
    assert text.endswith(f"trainwatch: what the tasks left is kept in {folder}\n")
