"""`trainwatch alerts test`: one message to each receiver, and what became of it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.receiving import Web, web
from trainwatch.app.commands.alerts_test import command
from trainwatch.core.errors import ExitCode, UsageError

CONFIG = """
[[runs]]
log = "main_log.txt"
[receivers.slack]
url_env = "TEST_SLACK"
severities = ["info"]
[receivers.mail]
url_file = "{folder}/mail.url"
[receivers.am]
kind = "alertmanager"
url = "{am}"
[receivers.hc]
kind = "deadman"
url_env = "TEST_HC"
[receivers.log]
kind = "status_log"
"""


@pytest.fixture
def receiver() -> Iterator[Web]:
    with web() as found:
        yield found


@pytest.fixture
def options(receiver: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options that name a configuration with a receiver of each kind."""
    config = tmp_path / "config.toml"
    config.write_text(CONFIG.format(folder=tmp_path, am=receiver.url(path="/am")))
    (tmp_path / "mail.url").write_text(receiver.url("json", "/mail-s3cr3t"))
    (tmp_path / "mail.url").chmod(0o600)
    monkeypatch.setenv("TEST_SLACK", receiver.url("json", "/slack-s3cr3t"))
    monkeypatch.setenv("TEST_HC", receiver.url(path="/hc-s3cr3t"))
    return ["--config", str(config), "--state-dir", str(tmp_path / "state")]


def run(*arguments: str) -> int:
    code: int = command.main(list(arguments), standalone_mode=False)
    return code


def test_each_is_sent_one_message(
    receiver: Web, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*options, "--run", "tr11") == ExitCode.OK
    lines = [line.partition(", after")[0] for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "slack (apprise): told",
        "mail (apprise): told",
        "am (alertmanager): told",
        "hc (deadman): told",
        "log (status_log): told",
    ]
    paths = sorted(path for _, path, _ in receiver.got)
    assert paths == ["/am/api/v2/alerts", "/hc-s3cr3t", "/mail-s3cr3t", "/slack-s3cr3t"]
    bodies = {path: body for _, path, body in receiver.got}
    assert json.loads(bodies["/slack-s3cr3t"])["title"] == "INFO tr11: test"
    assert json.loads(bodies["/mail-s3cr3t"])["title"] == "CRITICAL tr11: test"
    assert "nothing is wrong" in (tmp_path / "state" / "status.log").read_text()


def test_what_is_wrong_with_one_is_said_and_the_others_go_on(
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "mail.url").chmod(0o644)
    monkeypatch.delenv("TEST_SLACK")
    assert run(*options, "slack", "mail", "am", "hc") == ExitCode.UNHEALTHY
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "slack (apprise): NOT told: the environment variable TEST_SLACK is not set: it should hold the URL"
    )
    assert lines[1] == (
        f"mail (apprise): NOT told: {tmp_path}/mail.url may be read or written by others: "
        f"chmod 600 {tmp_path}/mail.url"
    )
    assert [line.partition(", ")[0] for line in lines[2:]] == [
        "am (alertmanager): told",
        "hc (deadman): told",
    ]


def test_as_json(receiver: Web, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    receiver.status = 403
    assert run(*options, "slack", "--json") == ExitCode.UNHEALTHY
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["receiver"], found["ok"]) == ("slack", False)
    assert found["why"].startswith("it answers 403 Forbidden")


def test_who_hangs_is_given_up(
    receiver: Web, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    receiver.free.clear()
    assert run(*options, "am", "log", "--deadline", "2") == ExitCode.UNHEALTHY
    out = capsys.readouterr().out
    assert "am (alertmanager): NOT told: it does not answer within 2 s\n" in out
    assert "log (status_log): told" in out


def test_nobody_and_somebody_unknown(options: list[str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no receiver 'slak'; there are slack, mail, am, hc, log"):
        run(*options, "slak")
    (tmp_path / "empty.toml").write_text("")
    with pytest.raises(UsageError, match="nobody is to be told"):
        run("--config", str(tmp_path / "empty.toml"))


LAZY = """
import sys
from trainwatch.app import reaching
from trainwatch.app.cli import run
from trainwatch.app.config import RunSettings, parse
from trainwatch.app.wire import Site
assert run(["--version"]) == 0
run(["status", "none.txt"])
site = Site(parse('[receivers.slack]\\nurl_env = "X"\\n[receivers.hc]\\nkind = "deadman"\\nurl_env = "X"'))
teller = reaching.teller(site.ways, RunSettings(log="x", name="x"))
assert teller is not None
teller.tick(0.0)
reaching.pulses(site.ways, [])
loaded = {"apprise", "requests"} & set(sys.modules)
assert not loaded, loaded
"""


def test_no_client_is_loaded_before_there_is_news(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", LAZY], cwd=tmp_path, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
