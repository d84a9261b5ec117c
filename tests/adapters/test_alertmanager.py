"""A real Prometheus Alertmanager on loopback: a firing and a resolve arrive once; the dead are forgotten."""

import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.adapters.receiving import Web, free_port, web
from tests.core.news import deliver, firing, resolved, said, to
from tests.waiting import waits
from trainwatch.adapters.alertmanager import Alertmanager
from trainwatch.adapters.web import request
from trainwatch.core.model.telling import OK, Outbox, Outcome, Sending
from trainwatch.core.outbox import queue, told
from trainwatch.core.sending import due

PROGRAM = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Alertmanager here (Debian: prometheus-alertmanager)"
)
REFRESH_S = 60.0
RECEIVERS = [to("am", refresh_s=REFRESH_S)]
CONFIG = """
route:
  receiver: web
  group_by: ['...']
  group_wait: 0s
  group_interval: 1s
  repeat_interval: 1h
receivers:
- name: web
  webhook_configs:
  - url: {url}
    send_resolved: true
"""


class Running(NamedTuple):
    """An Alertmanager, and who it tells."""

    url: str
    web: Web

    def alerts(self) -> list[dict[str, Any]]:
        """What fires there, by its own API."""
        with urllib.request.urlopen(f"{self.url}/api/v2/alerts", timeout=10) as answer:
            found: list[dict[str, Any]] = json.load(answer)
            return found

    def notices(self) -> list[tuple[str, str]]:
        """(state, rule) of each alert that its webhook was told of."""
        told = [json.loads(body) for _, _, body in self.web.got]
        return [(a["status"], a["labels"]["alertname"]) for one in told for a in one["alerts"]]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder, port = tmp_path_factory.mktemp("alertmanager"), free_port()
    with web() as receiver:
        (folder / "config.yml").write_text(CONFIG.format(url=receiver.url(path="/hook")))
        command = [
            str(PROGRAM),
            f"--config.file={folder / 'config.yml'}",
            f"--storage.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--cluster.listen-address=",
        ]
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        try:
            url = f"http://127.0.0.1:{port}"
            ready = waits(lambda: request(f"{url}/-/ready", None, 0.0) == OK)
            assert ready, (folder / "log").read_text()
            yield Running(url, receiver)
        finally:
            process.kill()
            process.wait()


def tell(running: Running, outbox: Outbox, now: float) -> Outbox:
    """Send what is due, and keep what became of it."""
    to_it = Alertmanager(running.url, request, REFRESH_S)
    for sending in due(outbox, RECEIVERS, now):
        outcome = to_it.send(sending, now)
        assert outcome == OK
        outbox = told(outbox, sending, outcome, now)
    return outbox


def test_a_firing_and_its_resolve_arrive_once(running: Running, wall: float) -> None:
    fires = firing(at=wall, since=wall - 60, labels={"node": "r7i4n2"}, key="k")
    outbox = tell(running, queue(Outbox(), [fires], RECEIVERS, wall), wall)
    assert waits(lambda: running.notices() == [("firing", "stall")])
    (there,) = running.alerts()
    assert there["labels"] == {
        "alertname": "stall",
        "key": "k",
        "node": "r7i4n2",
        "run": "tr11-176B",
        "severity": "critical",
    }
    assert there["annotations"]["summary"] == fires.summary

    outbox = tell(running, outbox, wall + REFRESH_S)  # sent again, which is no news there
    over = resolved(at=wall, since=fires.since, key="k", severity="warning")
    tell(running, queue(outbox, [over], RECEIVERS, wall + 2), wall + 2)
    assert waits(lambda: len(running.notices()) > 1)
    assert running.notices() == [("firing", "stall"), ("resolved", "stall")]
    assert running.alerts() == []


def test_what_is_not_sent_again_ends_by_itself(running: Running, wall: float) -> None:
    running.web.got.clear()
    short = Alertmanager(running.url, request, refresh_s=0.5)
    fires = firing("crash", at=wall, since=wall - 60)
    assert short.send(Sending(receiver="am", at=wall, changes=(fires,)), wall) == OK
    assert waits(lambda: ("firing", "crash") in running.notices())
    assert waits(lambda: running.notices() == [("firing", "crash"), ("resolved", "crash")])


def test_what_it_refuses_is_said(running: Running, wall: float) -> None:
    outcome = request(f"{running.url}/api/v2/alerts", b'[{"labels": {}}]', wall)
    assert outcome == Outcome(result="again", why="it answers 400 Bad Request")


def test_a_message_that_did_not_arrive_is_sent_again(running: Running, wall: float) -> None:
    running.web.got.clear()
    fires = firing("kill-switch", at=wall, since=wall)
    down = Alertmanager(f"http://127.0.0.1:{free_port()}", request, REFRESH_S)
    outbox = queue(Outbox(), [fires], RECEIVERS, wall)
    (sending,) = due(outbox, RECEIVERS, wall)
    outbox = told(outbox, sending, down.send(sending, wall), wall)
    assert said(deliver(outbox, RECEIVERS, wall + 29)[1]) == []
    tell(running, outbox, wall + 30)
    assert waits(lambda: running.notices() == [("firing", "kill-switch")])


@pytest.fixture
def wall() -> float:
    """The time that Alertmanager has, too."""
    return time.time()
