"""The watcher writes a public folder and scalars beside the watch: when and where, holding nothing up."""

import json
import threading
import time
from pathlib import Path

import pytest

from tests.app.rigs import iteration
from trainwatch.app import config
from trainwatch.app.cli import run as trainwatch
from trainwatch.app.config import RunSettings
from trainwatch.app.daemon import Daemon
from trainwatch.app.publishing.source import Job, Writers
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, UsageError

CONFIG = """
[[runs]]
log = "{root}/main_log.txt"
name = "private-name"
public = {{ enabled = true, name = "Open <i>7B</i>" }}
tensorboard = {{ dir = "{root}/tb" }}

[[sync]]
name = "page"
public = "private-name"
to = "{root}/web"
create = true
"""
RUN = RunSettings(log="/logs/main_log.txt", name="tr")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "main_log.txt").write_bytes(b"".join(iteration(n) for n in range(1, 50)))
    (tmp_path / "trainwatch.toml").write_text(CONFIG.format(root=tmp_path))
    return Site(config.load(tmp_path / "trainwatch.toml"), tmp_path / "state")


def public(site: Site) -> Path:
    return site.folder(site.runs()[0]) / "public"


def ticked(daemon: Daemon, until: Path) -> None:
    end = time.monotonic() + 60
    while not until.exists() and time.monotonic() < end:
        daemon.tick(time.time())
        time.sleep(0.05)
    assert until.exists(), [run.remarks for run in daemon.runs]


def test_a_watch_writes_both_and_a_route_sends_the_page(site: Site, tmp_path: Path) -> None:
    daemon = site.daemon(site.runs(), hands=True)
    ticked(daemon, public(site) / "index.html")
    ticked(daemon, tmp_path / "tb" / "trainwatch")
    daemon.close()
    page, status = ((public(site) / name).read_text() for name in ("index.html", "status.json"))
    assert "<title>Open &lt;i&gt;7B&lt;/i&gt;: " in page
    assert json.loads(status)["name"] == "Open <i>7B</i>"
    assert json.loads(status)["iteration"] == 49
    for text in (page, status):
        assert "private-name" not in text
        assert str(tmp_path) not in text
        assert "main_log" not in text

    places = ["--config", str(tmp_path / "trainwatch.toml"), "--state-dir", str(site.state_dir)]
    assert trainwatch(["sync", *places]) == ExitCode.OK
    sent = {path.name: path.read_text() for path in (tmp_path / "web").iterdir()}
    assert sent == {"index.html": page, "status.json": status}


def test_a_single_tick_writes_at_its_end(site: Site, tmp_path: Path) -> None:
    daemon = site.daemon(site.runs(), hands=True, once=True)
    daemon.tick(time.time())
    daemon.tell_out(time.time(), 1.0)
    daemon.close()
    assert json.loads((public(site) / "status.json").read_text())["iteration"] == 49
    assert list((tmp_path / "tb" / "trainwatch").iterdir())


def test_a_screen_that_watches_by_itself_writes_nothing(site: Site, tmp_path: Path) -> None:
    daemon = site.daemon(site.runs(), once=True)
    for _ in range(3):
        daemon.tick(time.time())
    daemon.tell_out(time.time(), 1.0)
    daemon.close()
    assert not public(site).exists()
    assert not (tmp_path / "tb").exists()


def test_a_disk_that_hangs_holds_nothing_up_and_one_that_fails_is_told() -> None:
    release, calls = threading.Event(), list[float]()

    def write(now: float) -> bool:
        calls.append(now)
        release.wait(60)
        raise PermissionError(13, "Permission denied", "/web")

    writers = Writers("public page", lambda _: Job(300.0, write))
    writers.add(RUN)
    began = time.monotonic()
    for now in (0.0, 1.0, 2.0, 1000.0):
        writers.tick(now)
    assert time.monotonic() - began < 5
    assert writers.remarks("tr") == ("public page: writing it hangs; does the disk answer?",)
    release.set()
    writers.finish(1001.0, 30.0)
    assert writers.remarks("tr") == ("public page: /web: permission denied",)
    assert len(calls) == 1
    writers.tick(1002.0)
    writers.close()
    assert len(calls) == 1, "not again before its time"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("enabled = true", "the run 'private-name' writes no page"),
        ('public = "private-name"', "root: it is missing"),
        ('to = "', "it stands in the place of root and what"),
        ('dir = "', "a folder that begins with / or ~"),
    ],
)
def test_a_configuration_that_cannot_be_is_explained(change: str, why: str) -> None:
    instead = {
        "enabled = true": "enabled = false",
        'public = "private-name"': "",
        'to = "': 'root = "/x"\nto = "',
        'dir = "': 'dir = "relative',
    }[change]
    with pytest.raises(UsageError, match=why):
        config.parse(CONFIG.format(root="/here").replace(change, instead))


def test_a_route_of_a_run_that_is_none(site: Site, tmp_path: Path) -> None:
    text = CONFIG.format(root=tmp_path).replace('public = "private-name"', 'public = "privat"')
    other = Site(config.parse(text), tmp_path / "state")
    with pytest.raises(UsageError, match="sync page: public: 'privat' is neither a log nor a conf"):
        other.daemon(other.runs(), hands=True)


def test_the_commands(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    places = ["--config", str(tmp_path / "trainwatch.toml")]
    file = tmp_path / "run.html"
    assert trainwatch(["report", "private-name", "--html", str(file), *places]) == ExitCode.OK
    assert "Open &lt;i&gt;7B" in file.read_text()
    capsys.readouterr()
    trainwatch(["status", "--public", *places])
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["name"], told["iteration"]) == ("Open <i>7B</i>", 49)
    assert trainwatch(["report", "a", "b", "--html", str(file)]) == ExitCode.USAGE
    assert "--html FILE goes with one log or run" in capsys.readouterr().err
