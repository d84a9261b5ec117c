"""[metrics]: what a watch writes and serves beside its work, holding nothing up; and `trainwatch metrics`."""

import http.client
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.adapters.receiving import free_port
from tests.app.test_watched import iteration
from trainwatch.app import config, wiremetrics
from trainwatch.app.cli import run as trainwatch
from trainwatch.app.daemon import Daemon
from trainwatch.app.exposing import Exposer, Shown, Written
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, LeaseHeld, UsageError
from trainwatch.core.model.status import Status

NOW = 1_800_000_000.0
STATUS = Status(run="tr", health="ok", iteration=7, heartbeat_at=NOW)
RUNS = """
[[runs]]
log = "{root}/main_log.txt"
name = "tr11"
"""


def site_of(root: Path, metrics: str) -> Site:
    (root / "main_log.txt").write_bytes(b"".join(iteration(n) for n in range(1, 50)))
    text = f"{RUNS.format(root=root)}\n[metrics]\n{metrics}\n"
    (root / "trainwatch.toml").write_text(text)
    return Site(config.load(root / "trainwatch.toml"), root / "state")


def got(port: int) -> str:
    """What the endpoint answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.status == 200
        return answer.read().decode()
    finally:
        connection.close()


def ticked(daemon: Daemon, until: Callable[[], bool], now: float | None = None) -> None:
    """Tick, six seconds a tick, until it is so."""
    end, now = time.monotonic() + 60, time.time() if now is None else now
    while not until() and time.monotonic() < end:
        daemon.tick(now)
        now += 6.0
        time.sleep(0.02)
    assert until(), [run.remarks for run in daemon.runs]


# the configuration


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            'listen = "0.0.0.0:9464"',
            "metrics.listen: 0.0.0.0 can be reached from elsewhere: what it",
        ),
        ('listen = "login1:9464"', "metrics.listen: 'login1' is no address of loopback"),
        ('listen = "9464"', 'write listen = "127.0.0.1:9464", or listen = "unix:/path/of/a.sock"'),
        ('listen = "unix:a.sock"', "metrics.listen: 'a.sock' must begin with / or ~"),
        (f'listen = "unix:/{"x" * 100}"', "the path has 101 bytes, and the kernel takes 100"),
        ('textfile = "/var/metrics.txt"', "ends with .prom, as node_exporter reads no other"),
        ('textfile = "metrics.prom"', "begins with / or ~"),
        ('labels = { "a-b" = "x" }', "a name of letters, digits and '_'"),
        ('labels = { run = "x" }', "metrics.labels: 'run' is a label of trainwatch's own"),
        ('labels = { user = "a\\nb" }', "text without control characters"),
        ('listens = "127.0.0.1:9464"', "Did you mean 'listen'?"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_says_why(line: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        config.parse(f"[metrics]\n{line}\n")
    assert why in str(raised.value)


# a watch


def test_a_watch_writes_and_serves_what_it_sees(tmp_path: Path) -> None:
    port, file = free_port(), tmp_path / "t.prom"
    site = site_of(tmp_path, f'listen = "127.0.0.1:{port}"\ntextfile = "{file}"')
    daemon = site.daemon(site.runs(), hands=True)
    try:
        ticked(daemon, file.exists)
        assert 'trainwatch_iteration{run="tr11"} 49.0\n' in file.read_text()
        assert 'trainwatch_iteration{run="tr11"} 49.0\n' in got(port)
        with (tmp_path / "main_log.txt").open("ab") as log:
            log.write(iteration(50))
        ticked(daemon, lambda: '{run="tr11"} 50.0\n' in got(port))
        ticked(daemon, lambda: '{run="tr11"} 50.0\n' in file.read_text(), time.time() + 3600)
        (run,) = daemon.runs
        assert run.remarks == ()
    finally:
        daemon.close()
    with pytest.raises(ConnectionRefusedError):
        got(port)
    assert file.exists()


def test_a_port_that_is_taken_is_a_warning_until_it_is_free(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        site = site_of(tmp_path, f'listen = "127.0.0.1:{port}"')
        daemon = site.daemon(site.runs(), hands=True)
        (run,) = daemon.runs
        ticked(daemon, lambda: bool(run.remarks))
        why = f"metrics: cannot listen on 127.0.0.1:{port}: address already in use"
        status = run.status(time.time())
        assert (status.warnings, status.iteration) == ((why,), 49)
    try:
        ticked(daemon, lambda: not run.remarks, time.time() + 60)
        assert 'trainwatch_warnings{run="tr11"} ' in got(port)
    finally:
        daemon.close()


def test_a_single_tick_writes_at_its_end_and_serves_nothing(tmp_path: Path) -> None:
    port, file = free_port(), tmp_path / "t.prom"
    site = site_of(tmp_path, f'listen = "127.0.0.1:{port}"\ntextfile = "{file}"')
    daemon = site.daemon(site.runs(), hands=True, once=True)
    while daemon.tick(time.time()):
        pass
    assert not file.exists()
    daemon.tell_out(time.time(), 1.0)
    with pytest.raises(ConnectionRefusedError):
        got(port)
    daemon.close()
    assert 'trainwatch_iteration{run="tr11"} 49.0\n' in file.read_text()


def test_a_screen_that_watches_by_itself_writes_and_serves_nothing(tmp_path: Path) -> None:
    port, file = free_port(), tmp_path / "t.prom"
    site = site_of(tmp_path, f'listen = "127.0.0.1:{port}"\ntextfile = "{file}"')
    daemon = site.daemon(site.runs())
    for number in range(5):
        daemon.tick(time.time() + number * 60)
    with pytest.raises(ConnectionRefusedError):
        got(port)
    daemon.tell_out(time.time(), 1.0)
    daemon.close()
    assert not file.exists()


def test_a_run_that_another_process_took_is_left_to_it_and_of_one_that_failed_nothing_is_known(
    tmp_path: Path,
) -> None:
    site = site_of(tmp_path, f'textfile = "{tmp_path}/t.prom"')
    (tmp_path / "other.txt").write_bytes(iteration(1))
    daemon = site.daemon([*site.runs(), site.run_of(str(tmp_path / "other.txt"))], hands=True)
    daemon.tick(NOW)
    taken, failed = daemon.runs
    daemon.given_up = {taken: LeaseHeld("another process watches it"), failed: RuntimeError()}
    daemon.tell_out(NOW, 30.0)
    with suppress(LeaseHeld, RuntimeError):
        daemon.tick(NOW + 3600)
    daemon.tell_out(NOW + 3600, 30.0)
    daemon.close()
    text = (tmp_path / "t.prom").read_text()
    assert "tr11" not in text
    assert 'trainwatch_health{run="other",trainwatch_health="unknown"} 1.0\n' in text
    assert "trainwatch_iteration" not in text


class Hanging:
    """A file on a disk that gives no answer until `free` is set."""

    path = Path("/scratch/t.prom")

    def __init__(self) -> None:
        self.free, self.fails = threading.Event(), True

    def write(self, data: bytes) -> str:
        self.free.wait(60)
        if self.fails:
            raise PermissionError(13, "Permission denied")
        return ""


def test_a_disk_that_hangs_holds_nothing_up_and_one_that_fails_is_told() -> None:
    file = Hanging()
    exposer = Exposer(Shown(), "1", written=Written(file, lambda: b"", 30.0))
    began = time.monotonic()
    for at in (0.0, 10.0, 200.0):
        exposer.tick(NOW + at, lambda: [STATUS])
        assert not exposer.remarks
    exposer.tick(NOW + 400, lambda: [STATUS])
    assert time.monotonic() - began < 5
    (remark,) = exposer.remarks
    assert remark == "metrics: writing /scratch/t.prom hangs; does its disk answer?"
    file.free.set()
    exposer.finish(NOW + 401, lambda: [STATUS], 30.0)
    (remark,) = exposer.remarks
    assert remark == "metrics: cannot write /scratch/t.prom: permission denied"
    file.fails = False
    exposer.tick(NOW + 500, lambda: [STATUS])
    exposer.finish(NOW + 501, lambda: [STATUS], 30.0)
    assert not exposer.remarks
    exposer.close()


def test_a_bug_is_a_warning_and_not_the_end_of_the_watch() -> None:
    def broken() -> list[Status]:
        raise ZeroDivisionError

    exposer = Exposer(Shown(), "1")
    exposer.tick(NOW, broken)
    (remark,) = exposer.remarks
    assert remark == "metrics: failed with ZeroDivisionError"
    exposer.tick(NOW + 60, lambda: [STATUS])
    assert not exposer.remarks


def test_statuses_are_looked_at_each_few_seconds_also_by_a_clock_that_was_set_back() -> None:
    looked, exposer = list[float](), Exposer(Shown(), "1")

    def at(now: float) -> list[Status]:
        looked.append(now)
        return []

    for now in (NOW, NOW + 1, NOW + 4, NOW + 6, NOW - 3600, NOW - 3599):
        exposer.tick(now, lambda now=now: at(now))  # type: ignore[misc]
    assert looked == [NOW, NOW + 6, NOW - 3600]


def test_each_shard_has_a_file_and_a_port_of_its_own(tmp_path: Path) -> None:
    port, labels = free_port(), 'labels = { user = "ada" }'
    where = f'listen = "127.0.0.1:{port}"\ntextfile = "{tmp_path}/t.prom"'
    site = site_of(tmp_path, f"{where}\n{labels}")
    exposer = wiremetrics.exposer(site.settings, shard=1)
    assert exposer is not None
    try:
        exposer.tick(NOW, lambda: [STATUS])
        exposer.finish(NOW, lambda: [STATUS], 30.0)
        line = 'trainwatch_iteration{run="tr",shard="1",user="ada"} 7.0\n'
        assert line in (tmp_path / "t.shard-1.prom").read_text()
        assert line in got(port + 1)
    finally:
        exposer.close()


def test_the_library_is_loaded_where_metrics_are_configured_only(tmp_path: Path) -> None:
    site_of(tmp_path, f'textfile = "{tmp_path}/t.prom"')
    code = (
        "import sys\nfrom trainwatch.app.cli import run\n"
        f"run(['watch', '--once', '--config', {str(tmp_path / 'trainwatch.toml')!r}, "
        f"'--state-dir', {str(tmp_path / 'state')!r}])\n"
        "print('prometheus_client' in sys.modules, file=sys.stderr)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stderr == "True\n"
    assert "trainwatch_iteration" in (tmp_path / "t.prom").read_text()


# the command


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main_log.txt").write_bytes(b"".join(iteration(n) for n in range(1, 50)))
    return ["--state-dir", str(tmp_path / "state")]


def test_it_prints_a_log_that_nobody_watches(
    tmp_path: Path, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trainwatch(["metrics", str(tmp_path / "main_log.txt"), *places]) == ExitCode.OK
    text = capsys.readouterr().out
    assert f'trainwatch_iteration{{run="{tmp_path.name}"}} 49.0\n' in text
    assert "# TYPE trainwatch_health stateset\n" in text
    assert text.endswith("# EOF\n")


def test_it_prints_all_runs_of_the_state_folder_with_the_age_of_what_it_says(
    tmp_path: Path, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.txt").write_bytes(iteration(7))
    for log in ("main_log.txt", "b.txt"):
        trainwatch(["watch", "--once", log, *places])
    capsys.readouterr()
    for status in (tmp_path / "state" / "runs").glob("*/status.json"):  # long ago
        known = msgspec.json.decode(status.read_bytes(), type=Status)
        status.write_bytes(msgspec.json.encode(replace(known, heartbeat_at=12.5)))
    assert trainwatch(["metrics", *places]) == ExitCode.OK
    text = capsys.readouterr().out
    assert 'trainwatch_iteration{run="b"} 7.0\n' in text
    assert f'trainwatch_iteration{{run="{tmp_path.name}"}} 49.0\n' in text
    for run in ("b", tmp_path.name):
        assert f'trainwatch_health{{run="{run}",trainwatch_health="unknown"}} 1.0\n' in text
        assert f'rule="watcher-down",run="{run}",severity="critical"}} 1.0\n' in text
    assert "\ntrainwatch_heartbeat_timestamp_seconds 12.5\n" in text


def test_where_there_is_no_run_at_all_it_says_what_to_do(
    places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trainwatch(["metrics", *places]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert (said.out, "name a log, or add a [[runs]] table" in said.err) == ("", True)


def test_a_configured_run_without_a_log_is_unknown_and_the_others_are_printed(
    tmp_path: Path, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = RUNS.format(root=tmp_path) + '[[runs]]\nlog = "/nowhere/x.txt"\nname = "gone"\n'
    (tmp_path / "trainwatch.toml").write_text(runs)
    assert trainwatch(["metrics", *places]) == ExitCode.OK
    text = capsys.readouterr().out
    assert 'trainwatch_iteration{run="tr11"} 49.0\n' in text
    assert 'trainwatch_health{run="gone",trainwatch_health="unknown"} 1.0\n' in text
    assert 'trainwatch_iteration{run="gone"}' not in text
    assert trainwatch(["metrics", "gone", *places]) != ExitCode.OK


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool (Debian: prometheus)")
def test_what_it_prints_for_a_textfile_promtool_takes(tmp_path: Path, places: list[str]) -> None:
    command = [sys.executable, "-m", "trainwatch", "metrics", "main_log.txt", *places]
    printed = subprocess.run(
        [*command, "--format", "prometheus"], capture_output=True, check=True, env={**os.environ}
    )
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=printed.stdout, capture_output=True
    )
    assert b"trainwatch_iteration" in printed.stdout
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")
