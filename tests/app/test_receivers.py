"""Who is told, by the configuration: no URL in it, none in any message; what is wrong is said."""

import os
from pathlib import Path

import pytest

from trainwatch.app import config, urls
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.reaching import teller
from trainwatch.app.receivers import ReceiverSettings, receiver
from trainwatch.app.wire import Site
from trainwatch.core.errors import UsageError
from trainwatch.core.model.telling import Receiver

SECRET = "https://hooks.slack.com/services/T0/B0/s3cr3t"
WRONG = {
    "a URL in the configuration": (
        f'url = "{SECRET}"',
        "a URL is a password and does not belong into the configuration",
    ),
    "no URL": ("", "name either url_env or url_file, where its URL is found"),
    "both": ('url_env = "X"\nurl_file = "x"', "name either url_env or url_file"),
    "a URL for a variable": (f'url_env = "{SECRET}"', "is the name of an environment variable"),
    "a URL for a file": (
        f'url_file = "{SECRET}"',
        "url_file is the path of a file, not the URL itself",
    ),
    "a key of another kind": (
        'url_env = "X"\npath = "x"',
        "'path' is not for kind = \"apprise\"; it takes kind, runs, min_severity, severities, url_env, "
        "url_file, cooldown_min, digest_h",
    ),
    "both severities": (
        'url_env = "X"\nmin_severity = "info"\nseverities = ["info"]',
        "name either min_severity or severities",
    ),
    "no severity": ('url_env = "X"\nseverities = []', "an empty list of severities or runs"),
    "no run": ('kind = "status_log"\nruns = []', "an empty list of severities or runs"),
    "no Alertmanager": ('kind = "alertmanager"', 'needs its url, such as "http://127.0.0.1:9093"'),
    "an Alertmanager's credentials": (
        'kind = "alertmanager"\nurl = "http://me:s3cr3t@host:9093"',
        "its url must hold no credentials",
    ),
    "an Alertmanager's scheme": (
        'kind = "alertmanager"\nurl = "s3cr3t.host:9093"',
        "its url must begin with http:// or https:// and name a host",
    ),
    "an Alertmanager's port": (
        'kind = "alertmanager"\nurl = "http://host:s3cr3t"',
        "its url is not one",
    ),
    "a secret of an Alertmanager": (
        'kind = "alertmanager"\nurl = "http://host"\nurl_env = "X"',
        "'url_env' is not for kind",
    ),
    "an unknown kind": (
        'kind = "slack"',
        "line 2: receivers[...].kind: invalid enum value 'slack'",
    ),
    "an unknown severity": ('url_env = "X"\nmin_severity = "fatal"', "invalid enum value 'fatal'"),
    "an unknown key": (
        'url_evn = "X"',
        "unknown key 'receivers.x.url_evn'. Did you mean 'url_env'?",
    ),
    "no cool-down": (
        'url_env = "X"\ncooldown_min = -1',
        "cooldown_min: expected number >= 0",
    ),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_without_a_secret(text: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        config.parse(f"[receivers.x]\n{text}")
    assert message in str(raised.value)
    assert "s3cr3t" not in str(raised.value)


RIGHT = {
    'url_env = "X"': Receiver(name="x", cooldown_s=1800),
    'url_env = "X"\nmin_severity = "warning"\ncooldown_min = 0\nruns = ["tr*"]': Receiver(
        name="x", severities=("warning", "critical"), runs=("tr*",)
    ),
    'url_file = "x"\nseverities = ["info"]\ndigest_h = 24': Receiver(
        name="x", severities=("info",), cooldown_s=1800, digest_s=86_400
    ),
    'kind = "alertmanager"\nurl = "http://[::1]:9093"': Receiver(name="x", refresh_s=60),
    'kind = "alertmanager"\nurl = "https://host/am"\ninterval_min = 0.1': Receiver(
        name="x", refresh_s=15
    ),
    'kind = "status_log"': Receiver(name="x"),
}


@pytest.mark.parametrize(("text", "expected"), RIGHT.items(), ids=map(str, range(len(RIGHT))))
def test_what_is_right_is_who_is_told(text: str, expected: Receiver) -> None:
    settings = config.parse(f"[receivers.x]\n{text}")
    assert receiver("x", settings.receivers["x"], settings.poll_interval_s) == expected


def test_a_url_of_the_environment() -> None:
    assert urls.of_env("X", {"X": f" {SECRET}\n"}) == SECRET
    for environment in ({}, {"X": " "}):
        with pytest.raises(UsageError, match="the environment variable X is not set"):
            urls.of_env("X", environment)


def test_a_url_of_a_file_that_is_ours_alone(tmp_path: Path) -> None:
    file = tmp_path / "slack.url"
    file.write_text(f"# Slack\n\n{SECRET}\n")
    for mode in (0o600, 0o400):
        file.chmod(mode)
        assert urls.of_file(file) == SECRET
    for mode in (0o640, 0o604, 0o620, 0o601):
        file.chmod(mode)
        with pytest.raises(UsageError, match=f"others: chmod 600 {file}"):
            urls.of_file(file)


def private(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_a_file_that_holds_no_url(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    cases = {
        tmp_path / "none": "No such file or directory: it should hold the URL",
        tmp_path: "is not a file",
        tmp_path / "pipe": "is not a file",
        private(tmp_path / "empty", b"\n# x\n"): "holds no lines: it should hold one URL",
        private(tmp_path / "two", b"s3cr3t\ns3cr3t\n"): "holds 2 lines: it should hold one URL",
        private(tmp_path / "bytes", b"\xff\xfe"): "is not a text file",
    }
    for path, message in cases.items():
        with pytest.raises(UsageError) as raised:
            urls.of_file(path)
        assert message in str(raised.value)
        assert "s3cr3t" not in str(raised.value)


def status_log(**fields: object) -> dict[str, ReceiverSettings]:
    return {"log": ReceiverSettings(kind="status_log", **fields)}  # type: ignore[arg-type]


def test_a_status_log_is_a_file_of_its_own(tmp_path: Path) -> None:
    log = tmp_path / "main_log.txt"
    log.write_text("")
    (tmp_path / "link").symlink_to(log)
    run = RunSettings(log=str(log), name="r")
    assert teller(Site(Settings(receivers=status_log()), tmp_path).ways, run) is not None
    for path in (log, tmp_path / "link", tmp_path / "x" / ".." / "main_log.txt"):
        for settings in (
            Settings(receivers=status_log(path=str(path))),
            Settings(receivers=status_log(path=str(path)), runs=(run,)),
        ):
            with pytest.raises(UsageError, match="is a training log; leave out 'path'"):
                teller(Site(settings, tmp_path).ways, run)
    asked = Settings(receivers=status_log(path=str(log), into_training_log=True))
    assert teller(Site(asked, tmp_path).ways, run) is not None


def test_without_receivers_there_is_nobody_to_tell(tmp_path: Path) -> None:
    run = RunSettings(log="x", name="r")
    assert teller(Site(Settings(), tmp_path).ways, run) is None
    switch = {"hc": ReceiverSettings(kind="deadman", url_env="X")}
    assert teller(Site(Settings(receivers=switch), tmp_path).ways, run) is None
