"""A unix socket that is its owner's alone, and takes nobody's place."""

import os
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.adapters.metrics.pages import FAMILIES, names, page
from trainwatch.adapters.metrics import PROMETHEUS, Endpoint, text_of
from trainwatch.core.metrics.address import Address


def said(path: Path) -> bytes:
    """What the socket answers to a GET, from its first line on."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(30)
        client.connect(str(path))
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return b"".join(iter(lambda: client.recv(65_536), b""))


@pytest.fixture
def made() -> Iterator[Callable[[Path], Endpoint]]:
    with ExitStack() as stack:

        def make(path: Path) -> Endpoint:
            endpoint = Endpoint(Address(path=str(path)), page)
            endpoint.open()
            stack.callback(endpoint.close)
            return endpoint

        yield make


def test_a_socket_is_of_its_owner_only_and_goes_with_it(
    tmp_path: Path, made: Callable[[Path], Endpoint]
) -> None:
    path = tmp_path / "t.sock"
    before = os.umask(0)
    try:
        endpoint = made(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert said(path).endswith(text_of(FAMILIES, PROMETHEUS))
    endpoint.close()
    assert names(tmp_path) == []


def test_a_socket_of_a_dead_process_is_replaced_and_that_of_a_living_is_not(
    tmp_path: Path, made: Callable[[Path], Endpoint]
) -> None:
    path = tmp_path / "t.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(path))
    made(path)
    with pytest.raises(FileExistsError, match="another process listens"):
        made(path)
    assert said(path).startswith(b"HTTP/1.0 200 ")


def test_what_is_no_socket_stays(tmp_path: Path, made: Callable[[Path], Endpoint]) -> None:
    path = tmp_path / "thesis.tex"
    path.write_text("all of it")
    with pytest.raises(FileExistsError, match="is no socket"):
        made(path)
    assert path.read_text() == "all of it"


def test_the_socket_of_a_successor_stays(tmp_path: Path, made: Callable[[Path], Endpoint]) -> None:
    path = tmp_path / "t.sock"
    first = made(path)
    path.unlink()
    made(path)
    first.close()
    assert said(path).startswith(b"HTTP/1.0 200 ")
