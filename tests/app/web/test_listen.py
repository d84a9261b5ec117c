"""Where it listens, what it refuses, and that another user of this machine is not let near."""

import asyncio
import os
import shutil
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.web.serving import served
from trainwatch.app.web import page
from trainwatch.app.web.gate import COOKIE
from trainwatch.app.web.listen import Address, Listening, address, listening, tunnel
from trainwatch.core.errors import UsageError

NOBODY = 65534


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:0", Address("127.0.0.1", 0)),
        ("127.0.0.1:65535", Address("127.0.0.1", 65535)),
        ("localhost:8000", Address("localhost", 8000)),
        ("[::1]:0", Address("[::1]", 0)),
        ("unix:/x/../y/web", Address(path=Path("/y/web"))),
    ],
)
def test_addresses(text: str, expected: Address) -> None:
    assert address(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0.0.0.0:8000", "ssh -L"),
        ("[::]:8000", "ssh -L"),
        ("10.0.0.7:8000", "ssh -L"),
        ("login1.cluster.example:8000", "ssh -L"),
        ("127.0.0.2:8000", "ssh -L"),
        (":8000", "ssh -L"),
        ("*:8000", "ssh -L"),
        ("8000", "ssh -L"),
        ("127.0.0.1", "expected 127.0.0.1:PORT"),
        ("127.0.0.1:65536", "expected 127.0.0.1:PORT"),
        ("127.0.0.1:-1", "expected 127.0.0.1:PORT"),
        ("127.0.0.1:٣", "expected 127.0.0.1:PORT"),
        ("127.0.0.1:http", "expected 127.0.0.1:PORT"),
        ("unix:", "unix:PATH"),
        ("", "unix:PATH"),
    ],
)
def test_what_is_no_address_or_not_ours_alone(text: str, says: str) -> None:
    with pytest.raises(UsageError) as told:
        address(text)
    assert says in str(told.value)
    assert text in str(told.value)


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(UsageError, match=f"cannot listen on {taken}"):
            listening(address(taken)).__enter__()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody may enter: what keeps others out is ours."""
    folder = Path(tempfile.mkdtemp(prefix="trainwatch-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_socket_is_its_owners_alone(place: Path) -> None:
    path = place / "own" / "web"
    before = os.umask(0)  # whatever somebody's is
    try:
        with listening(address(f"unix:{path}")) as opened:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
            assert opened.far_end == str(path)
    finally:
        os.umask(before)
    assert not path.exists(), "it is taken away"


@pytest.mark.parametrize("mode", [0o750, 0o705, 0o777, 0o770])
def test_a_folder_that_others_may_enter_is_refused(place: Path, mode: int) -> None:
    folder = place / "open"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(UsageError, match="chmod 700"):
        listening(address(f"unix:{folder / 'web'}")).__enter__()
    assert list(folder.iterdir()) == []


def test_a_folder_of_somebody_else_is_refused(place: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder somebody else's")
    folder = place / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, NOBODY, NOBODY)
    with pytest.raises(UsageError, match="another user's"):
        listening(address(f"unix:{folder / 'web'}")).__enter__()


def test_what_a_killed_server_left_is_replaced_and_nothing_else(place: Path) -> None:
    path = place / "own" / "web"
    path.parent.mkdir(mode=0o700)
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    with listening(address(f"unix:{path}")):
        with pytest.raises(UsageError, match="another server listens there"):
            listening(address(f"unix:{path}")).__enter__()
        assert path.exists(), "the other's stays"
    path.write_text("precious")
    with pytest.raises(UsageError, match="no socket"):
        listening(address(f"unix:{path}")).__enter__()
    assert path.read_text() == "precious"
    path.unlink()
    path.symlink_to(place / "elsewhere")
    with pytest.raises(UsageError, match="no socket"):
        listening(address(f"unix:{path}")).__enter__()


def test_a_path_that_no_socket_can_have(place: Path) -> None:
    with pytest.raises(UsageError, match="at most 100 bytes"):
        listening(address(f"unix:{place / ('x' * 100)}")).__enter__()
    (place / "file").touch()
    with pytest.raises(UsageError, match="cannot listen on"):
        listening(address(f"unix:{place / 'file' / 'web'}")).__enter__()


@pytest.mark.parametrize(
    ("host", "far_end", "expected"),
    [
        ("127.0.0.1:44", "127.0.0.1:44", "ssh -N -L 44:127.0.0.1:44 jo@login1"),
        ("[::1]:44", "[::1]:44", "ssh -N -L '44:[::1]:44' jo@login1"),
        (
            "127.0.0.1:8765",
            "/home/jo/my runs/web",
            "ssh -N -L '8765:/home/jo/my runs/web' jo@login1",
        ),
    ],
)
def test_the_line_for_the_laptop(host: str, far_end: str, expected: str) -> None:
    with socket.socket() as unused:
        assert tunnel(Listening(unused, host, far_end), "jo", "login1") == expected


def as_nobody(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """curl, run by another user of this machine."""
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "curl", "-sS"]
    return subprocess.run(
        [*command, "-w", "%{http_code}", *arguments], capture_output=True, text=True, timeout=60
    )


needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("curl"),
    reason="needs root, setpriv and curl to ask as another user",
)


@needs_root
async def test_another_user_cannot_reach_the_socket(place: Path) -> None:
    path = place / "own" / "web"
    async with served(f"unix:{path}") as there:
        cookie = f"{COOKIE}={there.gate.new_cookie()}"
        asked = ("--unix-socket", str(path), "-H", f"Cookie: {cookie}", there.url)
        got = await asyncio.to_thread(as_nobody, *asked)
        assert got.returncode == 7, "the folder keeps them out, even with our cookie"
        assert "000" in got.stdout
        path.parent.chmod(0o755)
        got = await asyncio.to_thread(as_nobody, *asked)
        assert got.returncode == 7, "and so does the socket itself"
        path.chmod(0o666)
        got = await asyncio.to_thread(as_nobody, *asked)
        assert got.stdout.endswith("200"), "it was these two that kept them out"
        path.chmod(0o600)
        assert (await there.ask()).status == 200


@needs_root
async def test_another_user_on_loopback_is_refused() -> None:
    async with served() as there:
        got = await asyncio.to_thread(as_nobody, there.url)
        assert got.stdout == page.plain(page.REFUSED) + "403"
        got = await asyncio.to_thread(as_nobody, f"{there.url}?token=guessed")
        assert got.stdout == page.plain(page.STALE) + "403"
