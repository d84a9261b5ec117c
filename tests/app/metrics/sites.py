"""A run whose metrics are configured, and what an endpoint answers."""

import http.client
import time
from collections.abc import Callable
from pathlib import Path

from tests.app.rigs import iteration
from trainwatch.app import config
from trainwatch.app.daemon import Daemon
from trainwatch.app.wire import Site
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
