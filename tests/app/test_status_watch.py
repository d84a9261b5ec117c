"""trainwatch status --watch and --line: as a terminal, a pipe and a prompt get them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.logs.making import iteration, stamped
from trainwatch.app.cli import run
from trainwatch.app.commands.status_watch import Lines, Screen, keep_on
from trainwatch.app.config import Settings
from trainwatch.app.painting import Size
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, UsageError
from trainwatch.core.model.status import Status

START = 1_790_000_000.0
PATIENCE_S = 60.0


def logged(numbers: range) -> str:
    return "".join(iteration(n, prefix=stamped(n)) + "\n" for n in numbers)


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "tr11.log"
    path.write_text(logged(range(1, 21)))
    return path


class Watcher:
    """Looks at a log as often as there are steps, each of which may change it."""

    def __init__(self, tmp_path: Path, log: Path) -> None:
        self._site = Site(Settings(), tmp_path / "state")
        self._log = log
        self.now, self.sent = START, list[str]()

    def see(self, view: Screen | Lines, *steps: Callable[[], object]) -> list[str]:
        """What is sent at the first look, and at that after each step (nothing: '')."""
        waiting = iter(steps)
        looks = list[str]()

        def wait(seconds: float) -> bool:
            self.now += seconds
            looks.append("".join(self.sent))
            self.sent.clear()
            step = next(waiting, None)
            if step is None:
                raise KeyboardInterrupt
            step()
            return True

        with pytest.raises(KeyboardInterrupt):
            keep_on(
                self._site,
                str(self._log),
                view,
                5.0,
                now=lambda: self.now,
                wait=wait,
                send=self.sent.append,
            )
        return looks


@pytest.fixture
def watcher(tmp_path: Path, log: Path) -> Watcher:
    return Watcher(tmp_path, log)


def add(log: Path, number: int) -> Callable[[], object]:
    def append() -> None:
        with log.open("a") as file:
            file.write(logged(range(number, number + 1)))

    return append


def nothing() -> None:
    """Happens."""


def test_without_a_terminal_each_change_is_a_line(watcher: Watcher, log: Path) -> None:
    looks = watcher.see(Lines(), nothing, add(log, 21), nothing)
    assert [look.count("\n") for look in looks] == [1, 0, 1, 0]
    assert "  20/1,000  " in looks[0]
    assert "  21/1,000  " in looks[2]


def on_screen() -> Screen:
    from trainwatch.app.commands.status import text

    def page(statuses: object, now: float) -> str:
        assert isinstance(statuses, list)
        return "\n".join(text(status, now) for status in statuses)

    return Screen(page, lambda: Size(100, 24), 5.0)


def test_on_a_terminal_what_changed_is_all_that_is_sent(watcher: Watcher, log: Path) -> None:
    first, quiet, changed, again = watcher.see(on_screen(), nothing, add(log, 21), nothing)
    assert "iteration  20 / 1,000" in first
    assert (quiet, again) == ("", "")
    assert 0 < len(changed) < 200, "a fifth of a second at 9,600 baud"


def test_ages_on_the_screen_are_a_minute_old_at_most(watcher: Watcher) -> None:
    looks = watcher.see(on_screen(), *[nothing] * 13)
    assert [bool(look) for look in looks] == [True, *[False] * 11, True, False]
    assert len(looks[12]) < 80


def test_a_log_that_goes_away_and_comes_back_ends_nothing(watcher: Watcher, log: Path) -> None:
    away = log.with_name("away")
    looks = watcher.see(Lines(), lambda: log.rename(away), lambda: away.rename(log))
    assert "unknown" in looks[1]
    assert "does not exist" in looks[1]
    assert "20/1,000" in looks[2]


def trainwatch(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "trainwatch", *arguments]


@pytest.mark.parametrize("arguments", [("status", "--watch", "--every", "0.2"), ("tui",)])
def test_an_interrupt_ends_it_quietly(log: Path, arguments: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        trainwatch(*arguments, str(log)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert "tr11" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (ExitCode.INTERRUPTED, "")
    assert said == "" or (arguments == ("tui",) and "status --watch" in said)
    assert said.count("\n") <= 1


def test_a_reader_that_goes_away_ends_it_quietly(log: Path) -> None:
    """At once, although nothing more is to be said for an hour."""
    command = f"{' '.join(trainwatch('status', '--watch', '--every', '3600'))} {log}"
    script = f"{command} | head -n 1; echo ${{PIPESTATUS[0]}}"
    got = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert got.stdout.splitlines()[1:] == ["0"]
    assert got.stderr == ""


def test_a_line_is_one_line_and_the_exit_code_that_of_status(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["status", "--line", str(log)])
    out = capsys.readouterr().out
    assert out.startswith("tr11  ")
    assert (out.count("\n"), out[-1]) == (1, "\n")
    assert run(["status", str(log)]) == code


def test_a_log_that_is_not_there_is_said_in_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["status", "--line", "--width", "40", "gone.log"]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert (said.out, said.err) == ("gone  unknown  gone.log does not exist\n", "")


def test_a_terminal_without_letters_for_a_name_gets_a_question_mark(tmp_path: Path) -> None:
    (tmp_path / "語.log").write_text(logged(range(1, 3)))
    got = subprocess.run(
        trainwatch("status", "--line", "語.log"),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert got.stdout.startswith(b"?  ")
    assert got.stderr == b""


def test_while_somebody_watches_the_line_reads_no_log(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is published is said; nothing that reads logs or takes leases is loaded for it."""
    site = Site(Settings(), tmp_path / "state")
    watched = site.watched(site.run_of(str(log)))
    from trainwatch.app import clock

    watched.tick(clock.now(), heartbeat_s=0.0)
    add(log, 21)()
    code = (
        f"import sys\nfrom trainwatch.app.cli import run\nrun(['status', '--line', {str(log)!r}])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    try:
        got = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    finally:
        watched.close()
    assert "20/1,000" in got.stdout
    loaded = set(got.stderr.split())
    assert loaded.isdisjoint({"numpy", "textual", "rich", "psutil", "flufl.lock", "asyncio"})
    assert loaded.isdisjoint({"trainwatch.core.logs.table", "trainwatch.app.watched"})
    run(["status", "--line", str(log)])
    assert "21/1,000" in capsys.readouterr().out, "nobody watches any more, so that the log is read"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--watch", "--json"], "--json or --public and --watch do not go together"),
        (["--watch", "--line"], "do not go together"),
        (["--width", "40"], "--width goes with --line"),
        (["--every", "3"], "--every goes with --watch"),
        (["--watch", "--every", "0"], "0.2<=x<=3600"),
        (["--line", "--width", "3"], "20<=x<=1000"),
    ],
)
def test_what_does_not_go_together_is_said(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["status", *arguments]) == ExitCode.USAGE
    assert expected in capsys.readouterr().err


def test_a_run_nobody_knows_is_an_error_and_no_line(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trainwatch.toml").write_text(f'[[runs]]\nname = "tr11"\nlog = "{log}"\n')
    assert run(["status", "--line", "tr12"]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert "neither a log nor a configured run" in said.err


def test_several_runs_that_change_are_a_line_each() -> None:
    view = Lines()
    one, other = (Status(run=name, health="ok", reason="training") for name in ("one", "other"))
    assert view.shows([one, other], START).count("\n") == 2
    assert view.shows([one, Status(run="other", health="unknown", reason="?")], START).endswith(
        "other  unknown  _\n"
    )


def test_a_watch_over_nothing_says_so_at_once() -> None:
    with pytest.raises(UsageError, match="no run is configured"):
        keep_on(Site(Settings()), None, Lines(), 5.0)
