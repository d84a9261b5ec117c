"""From a configuration to a message that arrives: all parts as they are in a watch."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.receiving import Web, web
from tests.core.news import AT, NEVER, STALL, deliver, firing, to
from trainwatch.app import config, reaching
from trainwatch.app.config import RunSettings
from trainwatch.app.wire import Site
from trainwatch.core.model.status import Status
from trainwatch.core.model.telling import Outbox
from trainwatch.core.outbox import queue

RUN = RunSettings(log="main_log.txt", name="tr11-176B")


@pytest.fixture
def receiver() -> Iterator[Web]:
    with web() as found:
        yield found


def site(tmp_path: Path, receiver: Web) -> Site:
    """People, a switch and a log of logs; the URL of the people is in a file."""
    (tmp_path / "url").write_text(receiver.url("json", "/people"))
    (tmp_path / "url").chmod(0o600)
    text = f"""
        [receivers.people]
        url_file = "{tmp_path}/url"
        severities = ["critical"]
        runs = ["tr11-*"]
        [receivers.switch]
        kind = "deadman"
        url_file = "{tmp_path}/ping"
        [receivers.log]
        kind = "status_log"
    """
    (tmp_path / "ping").write_text(receiver.url(path="/ping"))
    (tmp_path / "ping").chmod(0o600)
    return Site(config.parse(text), tmp_path / "state")


def test_an_alert_reaches_who_wants_to_know(tmp_path: Path, receiver: Web) -> None:
    teller = reaching.teller(site(tmp_path, receiver).ways, RUN)
    assert teller is not None
    teller.tick(AT, [STALL, firing("slow-node", severity="warning"), firing(run="other", key="x")])
    assert teller.finish(AT, 20)
    ((_, path, body),) = receiver.got
    assert (path, json.loads(body)["title"]) == ("/people", "CRITICAL tr11-176B: stall")
    assert len((tmp_path / "state" / "status.log").read_text().splitlines()) == 3
    assert teller.troubles() == {}


def test_a_url_that_is_mended_is_used_at_once(tmp_path: Path, receiver: Web) -> None:
    where = site(tmp_path, receiver)
    (tmp_path / "url").chmod(0o644)
    teller = reaching.teller(where.ways, RUN)
    assert teller is not None
    teller.tick(AT, [STALL])
    teller.finish(AT, 20)
    assert f"chmod 600 {tmp_path}/url; 1 message waits" in teller.troubles()["people"]
    (tmp_path / "url").chmod(0o600)
    later = reaching.teller(where.ways, RUN, teller.outbox)
    assert later is not None
    later.tick(AT + 60)
    later.finish(AT + 60, 20)
    assert [path for _, path, _ in receiver.got] == ["/people"]


def test_a_single_tick_asks_nobody_again_who_refused_for_good(
    tmp_path: Path, receiver: Web
) -> None:
    refused, _ = deliver(queue(Outbox(), [STALL], [to("people")], AT), [to("people")], AT, NEVER)
    teller = reaching.teller(site(tmp_path, receiver).ways, RUN, refused, once=True)
    assert teller is not None
    teller.tick(AT + 60)
    assert teller.under_way == 0


def test_pings_and_lines_of_status(tmp_path: Path, receiver: Web) -> None:
    pulses = reaching.pulses(site(tmp_path, receiver).ways, [RUN])
    pulses.tick(AT, {"tr11-176B": ""}, lambda run: Status(run=run, health="ok"))
    pulses.finish(AT, 20)
    assert receiver.got == [("GET", "/ping", b"")]
    assert "tr11-176B ok" in (tmp_path / "state" / "status.log").read_text()
    assert pulses.troubles() == {}
