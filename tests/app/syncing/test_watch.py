"""A route beside a real watch: a disk that is not mounted is told at once, with what to do."""

import time
from pathlib import Path

from tests.app.rigs import iteration
from trainwatch.app import config
from trainwatch.app.wire import Site

CONFIG = """
[[runs]]
log = "{root}/main_log.txt"
name = "tr11"

[[sync]]
name = "disk"
root = "{root}"
what = ["*.txt"]
to = "{root}/../archive"
"""


def test_a_disk_that_is_not_mounted_is_an_alert_until_it_is(tmp_path: Path) -> None:
    root, archive = tmp_path / "run", tmp_path / "archive"
    root.mkdir()
    (root / "main_log.txt").write_bytes(b"".join(iteration(n) for n in range(1, 50)))
    site = Site(config.parse(CONFIG.format(root=root)), tmp_path / "state")
    daemon = site.daemon(site.runs(), hands=True)
    (run,) = daemon.runs

    def fires(now: float) -> str:
        return "".join(a.summary for a in run.status(now).alerts if a.rule == "sync-late")

    until = time.monotonic() + 60
    while not fires(time.time()) and time.monotonic() < until:
        daemon.tick(time.time())
        time.sleep(0.05)
    assert "archive does not exist (is it mounted?): create it" in fires(time.time())

    archive.mkdir()
    daemon.close()
    (tmp_path / "state" / "sync" / "disk.json").unlink()  # it would be tried again in six hours
    daemon = site.daemon(site.runs(), hands=True)
    (run,) = daemon.runs
    until = time.monotonic() + 60
    while fires(time.time()) and time.monotonic() < until:
        daemon.tick(time.time())
        time.sleep(0.05)
    daemon.close()
    assert not fires(time.time())
    assert (archive / "main_log.txt").read_bytes() == (root / "main_log.txt").read_bytes()


def test_a_screen_that_watches_by_itself_sends_nothing(tmp_path: Path) -> None:
    root, archive = tmp_path / "run", tmp_path / "archive"
    root.mkdir()
    archive.mkdir()
    (root / "main_log.txt").write_bytes(iteration(1))
    site = Site(config.parse(CONFIG.format(root=root)), tmp_path / "state")
    daemon = site.daemon(site.runs())
    for number in range(5):
        daemon.tick(time.time() + number * 60)
    daemon.tell_out(time.time(), 1.0)
    daemon.close()
    assert list(archive.iterdir()) == []
