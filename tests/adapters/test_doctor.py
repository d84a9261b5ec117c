"""What the doctor looks with, on real folders, files, sockets and locks."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainwatch.adapters import ends, folders, hublogin, installed, notify, reach
from trainwatch.adapters.checkpoints.glance import glance
from trainwatch.adapters.store import StoreWriter
from trainwatch.adapters.store.lease import Lease, holder
from trainwatch.app import clock
from trainwatch.core.doctor.folders import FolderSeen
from trainwatch.core.errors import LogUnreadable

NOW = 1_000.0


def look(path: Path, *, trial: bool = False) -> FolderSeen:
    return folders.seen(str(path), clock.now, trial=trial)


def test_a_folder_of_ours(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    found = look(tmp_path, trial=True)
    assert (found.kind, found.writable, found.mode, found.mine) == ("folder", True, 0o750, True)
    assert found.filesystem
    assert (found.bytes_free or 0) > 0
    assert found.skew_s is not None
    assert abs(found.skew_s) < 5.0
    assert list(tmp_path.iterdir()) == []


def test_one_that_is_to_be_made(tmp_path: Path) -> None:
    found = look(tmp_path / "a" / "b", trial=True)
    assert (found.kind, found.writable, found.above) == ("missing", True, str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert look(tmp_path / "file").kind == "other"
    below = look(tmp_path / "file" / "state")
    assert (below.kind, below.writable, below.why) == (
        "missing",
        False,
        "it is a file, not a folder",
    )


def test_a_link_that_leads_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to("round")
    found = look(tmp_path / "round", trial=True)
    assert found.writable is False
    assert "symbolic links" in found.why


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "ro"
    place.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", str(place)]
    if (done := subprocess.run(mounting, capture_output=True, text=True)).returncode:
        pytest.skip(f"no filesystem can be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_filesystem_that_is_read_only_also_for_root(read_only: Path) -> None:
    tried = look(read_only, trial=True)
    assert (tried.writable, tried.why, tried.filesystem) == (
        False,
        "Read-only file system",
        "tmpfs",
    )
    assert look(read_only).writable is False
    assert look(read_only / "below").writable is False


def test_a_filesystem_whose_clock_is_ahead(tmp_path: Path) -> None:
    ahead = folders.seen(str(tmp_path), lambda: clock.now() - 500.0, trial=True)
    behind = folders.seen(str(tmp_path), lambda: clock.now() + 500.0, trial=True)
    assert ahead.skew_s == pytest.approx(500.0, abs=5.0)
    assert behind.skew_s == pytest.approx(-500.0, abs=5.0)


def test_the_ends_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"head" + b"x" * 100 + b"tail")
    whole = ends.read(path)
    assert (whole.size_bytes, len(whole.head), whole.tail) == (108, 108, b"")
    cut = ends.read(path, 4, 4)
    assert (cut.head, cut.tail) == (b"head", b"tail")


@pytest.mark.parametrize("kind", ["folder", "pipe", "missing"])
def test_what_has_no_ends(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "it"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(LogUnreadable):
        ends.read(path)


def test_a_glance_at_checkpoints(tmp_path: Path) -> None:
    for name in ("global_step20", "global_step3", "tensorboard"):
        (tmp_path / name).mkdir()
    (tmp_path / "latest").write_text("global_step20")
    found = glance(tmp_path)
    assert [one.name for one in found.found] == ["global_step3", "global_step20"]
    assert [one.says for one in found.trackers] == ["global_step20"]
    assert glance(tmp_path, most_names=2).cut


def test_a_tracker_that_is_a_pipe_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "global_step3").mkdir()
    os.mkfifo(tmp_path / "latest")
    (told,) = glance(tmp_path).trackers
    assert told.trouble == "latest: is not a file"


@pytest.mark.parametrize("kind", ["missing", "file", "link"])
def test_no_root_of_checkpoints(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "root"
    if kind == "file":
        path.touch()
    elif kind == "link":
        path.symlink_to(tmp_path)
    found = glance(path)
    assert str(path) in found.why
    assert not found.found


def test_who_holds_a_lease(tmp_path: Path) -> None:
    path = tmp_path / "lease"
    assert holder(path, clock.now()) is None
    lease = Lease(path, patience_s=0.1)
    seen = holder(path, clock.now())
    assert seen is not None
    assert (seen.host, seen.pid) == (socket.getfqdn(), os.getpid())
    assert -200.0 < seen.over_s < 0.0
    lease.release()
    assert holder(path, clock.now()) is None
    path.write_bytes(b"\x00\xff")
    damaged = holder(path, clock.now())
    assert damaged is not None
    assert damaged.pid == 0


TOKENS: dict[str, tuple[dict[str, str], str]] = {
    "none": ({}, ""),
    "a variable": ({"HF_TOKEN": "hf_secretsecret"}, "HF_TOKEN"),
    "an old variable": ({"HUGGING_FACE_HUB_TOKEN": "hf_secretsecret"}, "HUGGING_FACE_HUB_TOKEN"),
    "an empty variable": ({"HF_TOKEN": " "}, ""),
    "a login": ({"HF_HOME": "{tmp}/home"}, "{tmp}/home/token"),
    "a login elsewhere": ({"HF_TOKEN_PATH": "{tmp}/home/token"}, "{tmp}/home/token"),
    "an empty file": ({"HF_TOKEN_PATH": "{tmp}/empty"}, ""),
    "a pipe": ({"HF_TOKEN_PATH": "{tmp}/pipe"}, ""),
}


@pytest.mark.parametrize("name", TOKENS)
def test_where_a_token_is(name: str, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "token").write_text("hf_secretsecret")
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    environment, found = TOKENS[name]
    given = {key: value.format(tmp=tmp_path) for key, value in environment.items()}
    told = hublogin.found({"XDG_CACHE_HOME": str(tmp_path / "nowhere"), **given})
    assert told == found.format(tmp=tmp_path)
    assert "secret" not in told


def test_where_the_hub_is() -> None:
    assert hublogin.endpoint({}) == "https://huggingface.co"
    assert hublogin.endpoint({"HF_ENDPOINT": "http://127.0.0.1:9"}) == "http://127.0.0.1:9"


def test_who_listens_is_told_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert reach.trouble(f"http://127.0.0.1:{port}/ping/secret-uuid", 5.0) == ""
        server.settimeout(5.0)
        client, _ = server.accept()
        with client:
            assert client.recv(100) == b""
    refused = reach.trouble(f"http://127.0.0.1:{port}/ping/secret-uuid", 5.0)
    assert refused == "nobody listens there (connection refused)"


@pytest.mark.parametrize("url", ["", "x", "http://", "http://[", "http://h:99999/", "file:///x"])
def test_what_is_no_url(url: str) -> None:
    assert reach.trouble(url, 0.1)


def test_a_proxy_is_what_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.getsockname()[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert reach.trouble("https://no-such-host.invalid/x", 5.0) == ""


def test_what_is_installed() -> None:
    found = installed.versions(["click", "no-such-library"])
    assert found["no-such-library"] is None
    assert (found["click"] or "")[0].isdigit()
    assert installed.client_trouble("file:///x") == ""
    assert "nosuch" in installed.client_trouble("nosuch://x")


def test_a_url_is_understood_and_nothing_is_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        url = f"json://127.0.0.1:{server.getsockname()[1]}/secret"
        assert notify.unfit(url) == ""
        with pytest.raises(BlockingIOError):
            server.accept()
    assert notify.unfit("nosuch://secret") == "its URL is none that apprise knows, or is incomplete"
    assert "secret" not in notify.unfit("slack://secret")


def test_what_is_made_for_a_store_is_for_nobody_else(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    StoreWriter(tmp_path / "state" / "runs" / "a").close()
    made = [tmp_path / "state", tmp_path / "state" / "runs", tmp_path / "state" / "runs" / "a"]
    assert [look(folder).mode for folder in made] == [0o700] * 3
    assert look(tmp_path).mode == 0o755
