"""The chain in a line of `status`: only where there is one, and its silence is told as death."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.viewed import iteration
from trainwatch.adapters.store.cron import CronWriter
from trainwatch.app import chain
from trainwatch.app.cli import run
from trainwatch.app.config import Settings
from trainwatch.app.viewing import Source
from trainwatch.app.wire import Site
from trainwatch.core.model.cron import ChainJob, CronStatus, ScriptStatus
from trainwatch.core.model.snapshot import Wanted

NOW = 1_773_277_380.0  # Thursday 12 March 2026, 01:03 UTC
JOB = ChainJob(job_id="123", state="RUNNING", nodes=("node1",), end=NOW + 3600)
NEXT = ChainJob(job_id="124", state="PENDING", reason="BeginTime", begin=NOW + 1800)
OK = CronStatus(at=NOW, health="ok", running=(JOB,), successor=NEXT)
MANY = tuple(f"n{n}" for n in range(9))


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("cron", "line"),
    [
        (OK, "job 123 on node1, successor 124 waits"),
        (replace(OK, successor=None), "job 123 on node1, no successor"),
        (replace(OK, running=()), "no job runs, successor 124 waits"),
        (
            replace(OK, running=(JOB, replace(JOB, job_id="125", nodes=()))),
            "job 123 on node1 and job 125",
        ),
        (
            replace(OK, running=(replace(JOB, nodes=MANY),)),
            "job 123 on n0, n1, n2 and 6 more, succ",
        ),
        (
            replace(OK, keeper="scrontab", successor=None),
            "job 123 on node1, scrontab starts the next",
        ),
        (replace(OK, health="warning", why="no room"), "successor 124 waits: no room"),
        (
            replace(OK, health="dead", why="silent"),
            "DEAD since 01:03:00: silent; start it: trainwatch",
        ),
        (
            replace(OK, health="stopped", why="by jo"),
            "stopped by hand: by jo; start it: trainwatch",
        ),
        (replace(OK, health="unknown", why="squeue"), "unknown: squeue"),
        (CronStatus(at=0.0), "unknown: its watcher cannot tell"),
    ],
)
def test_a_line(cron: CronStatus, line: str) -> None:
    assert chain.line(cron, NOW).startswith(line) or line in chain.line(cron, NOW)


def test_jobs_in_words() -> None:
    assert chain.running(JOB, NOW) == "123 on node1, until 02:03:00 (1 h left)"
    assert chain.waiting(NEXT, NOW) == (
        "124 waits for the time it was told to begin at; begins 01:33:00 or later"
    )
    ticks = replace(OK, mode="ticks", interval_s=3600, handed_over=1, next_at=NOW + 60)
    assert chain.about(ticks, NOW) == "a look every 1 h, handed over once, next 01:04:00"


def test_how_scripts_end() -> None:
    script = ScriptStatus(name="x", period="daily", outcome="failed", exit_code=2, why="no room")
    assert chain.ended(script) == "failed, exit 2: no room"
    assert chain.is_bad(script)
    assert chain.ended(ScriptStatus(name="x", period="daily")) == "never ran"
    assert not chain.is_bad(ScriptStatus(name="x", period="daily"))


@pytest.fixture
def state_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    (tmp_path / "tr1.log").write_text("".join(iteration(n) for n in range(1, 21)))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "state"


def test_status_has_a_line_only_where_there_is_a_chain(
    state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["status", "tr1.log"])
    assert "cron" not in capsys.readouterr().out
    CronWriter(state_dir).write(replace(OK, at=time.time()))
    code = run(["status", "tr1.log"])
    assert capsys.readouterr().out.endswith("\n\ncron: job 123 on node1, successor 124 waits\n")
    CronWriter(state_dir).write(replace(OK, why="[/bold] \x1b[2J"))
    assert run(["status", "tr1.log"]) == code  # the exit code is of the run
    told = capsys.readouterr().out
    assert "\ncron: DEAD since 2026-03-12 01:03: no heartbeat for " in told
    assert "\x1b" not in told
    run(["status", "tr1.log", "--json"])
    assert json.loads(capsys.readouterr().out)["iteration"] == 20


def test_the_screen_reads_it_now_and_then_and_judges_it_each_time(state_dir: Path) -> None:
    clock = [NOW]
    site = Site(Settings(), state_dir, lambda: clock[0])
    source: Source = site.screen(site.run_of("tr1.log"))
    try:
        assert source.read(Wanted()).cron is None
        CronWriter(state_dir).write(OK)
        assert source.read(Wanted()).cron is None  # just looked
        clock[0] += 5
        seen = source.read(Wanted()).cron
        assert seen == OK
        CronWriter(state_dir).write(replace(OK, handed_over=1))
        clock[0] += 4
        assert source.read(Wanted()).cron == OK
        clock[0] += 2
        assert source.read(Wanted()).cron == replace(OK, handed_over=1)
        clock[0] += 1801
        dead = source.read(Wanted()).cron
        assert dead is not None
        assert dead.health == "dead"
    finally:
        source.close()
