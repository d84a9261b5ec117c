"""What a watch writes and serves beside its work."""

import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.adapters.receiving import free_port
from tests.app.metrics.sites import NOW, STATUS, got, site_of, ticked
from tests.app.rigs import iteration
from trainwatch.app import wiremetrics
from trainwatch.core.errors import LeaseHeld


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


def two_free_ports() -> int:
    """The first of two neighbours."""
    while True:
        port = free_port()
        with suppress(OSError), socket.create_server(("127.0.0.1", port + 1)):
            return port


def test_each_shard_has_a_file_and_a_port_of_its_own(tmp_path: Path) -> None:
    port, labels = two_free_ports(), 'labels = { user = "ada" }'
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
