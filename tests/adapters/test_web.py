"""Our own requests: an Alertmanager's API, a ping; what they give back never holds the URL."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.receiving import Web, web
from tests.core.news import AT, STALL, firing, resolved
from trainwatch.adapters.alertmanager import Alertmanager, labels
from trainwatch.adapters.deadman import Switch
from trainwatch.adapters.statuslog import StatusLog
from trainwatch.adapters.web import request
from trainwatch.core.errors import UsageError
from trainwatch.core.model.telling import OK, Outcome, Sending


@pytest.fixture
def receiver() -> Iterator[Web]:
    with web() as found:
        yield found


def test_alertmanager_is_sent_all_changes_at_once(receiver: Web) -> None:
    changes = (firing(key="n1", labels={"7-node.name": "r7", "empty": " "}), resolved("crash"))
    to = Alertmanager(receiver.url(path="/"), request, refresh_s=60)
    assert to.send(Sending(receiver="am", at=AT, changes=changes), AT) == OK
    ((method, path, body),) = receiver.got
    first, second = json.loads(body)
    assert (method, path) == ("POST", "/api/v2/alerts")
    assert first["labels"] == {
        "alertname": "stall",
        "run": "tr11-176B",
        "severity": "critical",
        "key": "n1",
        "_7_node_name": "r7",
    }
    assert (first["startsAt"], first["endsAt"]) == (
        "2023-11-14T21:01:20.000+00:00",
        "2023-11-14T22:17:20.000+00:00",
    )
    assert first["annotations"]["cost"] == "461 GPU-hours"
    assert second["endsAt"] == "2023-11-14T22:23:15.000+00:00"


def test_a_label_of_a_finding_cannot_pass_for_one_of_ours() -> None:
    assert labels(firing(labels={"alertname": "x", "run": "y"}))["alertname"] == "stall"


def test_a_resolve_before_its_beginning_ends_where_it_began(receiver: Web) -> None:
    to = Alertmanager(receiver.url(), request, refresh_s=60)
    to.send(Sending(receiver="am", at=AT, changes=(resolved(at=AT, since=AT + 9),)), AT)
    (one,) = json.loads(receiver.got[0][2])
    assert one["endsAt"] == one["startsAt"]


def test_a_switch_is_pinged(receiver: Web) -> None:
    assert Switch(lambda: receiver.url(path="/ping/s3cr3t"), request).ping(AT) == OK
    assert receiver.got == [("GET", "/ping/s3cr3t", b"")]
    receiver.status = 404
    outcome = Switch(lambda: receiver.url(path="/ping/s3cr3t"), request).ping(AT)
    assert outcome.result == "never"
    assert "s3cr3t" not in outcome.why


def test_a_switch_without_a_url() -> None:
    def url() -> str:
        raise UsageError("no URL")

    assert Switch(url, request).ping(AT) == Outcome(result="never", why="no URL")


WRONG = {
    "another scheme": (
        "file:///etc/s3cr3t",
        "never",
        "its URL must begin with http:// or https://",
    ),
    "no host": ("http:///s3cr3t", "again", "it was not sent"),
    "no port": ("http://127.0.0.1:s3cr3t/", "again", "it was not sent"),
    "a blank in it": ("http://127.0.0.1:1/s3cr3t x", "again", "it was not sent"),
    "nobody there": ("http://127.0.0.1:1/s3cr3t", "again", "nobody listens there"),
    "an unknown host": (
        "http://s3cr3t.invalid/",
        "again",
        "the host's name is not known from here",
    ),
}


@pytest.mark.parametrize(("url", "result", "why"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_without_the_url(url: str, result: str, why: str) -> None:
    outcome = request(url, None, AT)
    assert outcome.result == result
    assert outcome.why.startswith(why)
    assert "s3cr3t" not in outcome.why


def test_a_proxy_is_not_asked_for_what_is_here(
    receiver: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    assert request(receiver.url(), None, AT) == OK
    assert request(f"http://localhost:{receiver.port}/", None, AT) == OK
    assert request("http://192.0.2.1/", None, AT).why.startswith("nobody listens there")


def test_it_gives_up_on_who_hangs(receiver: Web) -> None:
    receiver.free.clear()
    outcome = request(receiver.url(), None, AT, timeout_s=0.2)
    assert outcome == Outcome(result="again", why="it did not answer in time")


def test_retry_after_is_heard(receiver: Web) -> None:
    receiver.status, receiver.headers = 429, {"Retry-After": "7"}
    assert request(receiver.url(), b"[]", AT).retry_after_s == 7.0


def test_a_log_of_logs_grows_by_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "new" / "status.log"
    log = StatusLog(path)
    assert log.send(Sending(receiver="log", at=AT, changes=(STALL, resolved())), AT) == OK
    assert log.say("trainwatch: well") == OK
    lines = path.read_text().splitlines()
    assert [line.split()[3] for line in lines[:2]] == ["CRITICAL", "RESOLVED"]
    assert lines[2] == "trainwatch: well"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_of_logs_that_is_a_training_log_keeps_its_lines_apart(tmp_path: Path) -> None:
    path = tmp_path / "main_log.txt"
    path.write_text(" iteration  10/100 | half a li")
    StatusLog(path).say("trainwatch: well")
    assert path.read_text() == " iteration  10/100 | half a li\ntrainwatch: well\n"


def test_a_log_of_logs_that_cannot_be_written(tmp_path: Path) -> None:
    assert StatusLog(tmp_path).say("x").why == f"{tmp_path}: Is a directory"
    assert StatusLog(Path("/dev/null")).say("x").why == "/dev/null is not a file"
