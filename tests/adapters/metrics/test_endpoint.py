"""An endpoint that only this machine may ask, and that no client holds up."""

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import pytest

from tests.adapters.metrics.pages import FAMILIES, page
from tests.adapters.receiving import free_port
from trainwatch.adapters.metrics import OPENMETRICS, PROMETHEUS, Endpoint, text_of
from trainwatch.adapters.metrics.endpoint import MOST_CONNECTIONS, Page
from trainwatch.core.metrics.address import Address


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint(Address("127.0.0.1", free_port()), page, deadline_s=1.0)
    made.open()
    yield made
    made.close()


def ask(
    endpoint: Endpoint, verb: str = "GET", path: str = "/metrics", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """What it answers."""
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.address.port, timeout=30)
    with closing(connection):
        connection.request(verb, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


def test_it_answers_in_the_format_that_is_asked_for(endpoint: Endpoint) -> None:
    code, headers, body = ask(endpoint)
    assert (code, headers["Content-Type"]) == (200, PROMETHEUS.content_type)
    assert body == text_of(FAMILIES, PROMETHEUS)
    code, headers, body = ask(endpoint, Accept="application/openmetrics-text;version=1.0.0,*/*")
    assert (code, headers["Content-Type"]) == (200, OPENMETRICS.content_type)
    assert body == text_of(FAMILIES, OPENMETRICS)


def test_a_head_is_an_answer_without_a_body(endpoint: Endpoint) -> None:
    code, headers, body = ask(endpoint, "HEAD")
    assert (code, body) == (200, b"")
    assert int(headers["Content-Length"]) == len(text_of(FAMILIES, PROMETHEUS))


@pytest.mark.parametrize(
    ("verb", "path", "code"),
    [
        ("GET", "/metrics?x=1", 200),
        ("GET", "/", 404),
        ("GET", "/metrics/", 404),
        ("GET", "/metrics/../etc/passwd", 404),
        ("GET", "http://127.0.0.1/metrics", 404),
        ("HEAD", "/status", 404),
        ("POST", "/metrics", 405),
        ("PUT", "/metrics", 405),
        ("DELETE", "/metrics", 405),
        ("OPTIONS", "/metrics", 405),
        ("BREW", "/metrics", 405),
    ],
)
def test_only_metrics_can_be_got(endpoint: Endpoint, verb: str, path: str, code: int) -> None:
    answered, headers, body = ask(endpoint, verb, path)
    assert answered == code
    assert (headers.get("Allow") == "GET, HEAD") == (code == 405)
    assert b"trainwatch_" not in body or code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:9464", "127.0.0.1.evil.example"])
def test_a_page_that_gives_its_name_our_address_is_refused(endpoint: Endpoint, host: str) -> None:
    code, _, body = ask(endpoint, Host=host)
    assert code == 403
    assert b"trainwatch_" not in body


def test_two_hosts_are_none(endpoint: Endpoint) -> None:
    with socket.create_connection(("127.0.0.1", endpoint.address.port), 30) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.0 403 ")


def test_a_client_of_long_ago_names_no_host(endpoint: Endpoint) -> None:
    with socket.create_connection(("127.0.0.1", endpoint.address.port), 30) as client:
        client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.0 200 ")


def answers(endpoint: Endpoint) -> bool:
    """Whether it does within half a minute: a place is free a moment after its client was ended."""
    end = time.monotonic() + 30
    while (code := ask(endpoint)[0]) == 503 and time.monotonic() < end:
        time.sleep(0.05)
    return code == 200


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /met", b"\x16\x03\x01\x02\x00" * 20, b"\n"],
    ids=["nothing", "half a line", "TLS", "an empty line"],
)
def test_half_open_clients_are_ended_and_make_room(endpoint: Endpoint, sent: bytes) -> None:
    """All places are taken by clients that say nothing more, or no HTTP; then somebody asks in earnest."""
    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", endpoint.address.port), 30))
            for _ in range(MOST_CONNECTIONS)
        ]
        for client in clients:
            client.sendall(sent)
        for client in clients:  # ended by the deadline, not by us
            while client.recv(1000):
                pass
        assert answers(endpoint)


def test_a_client_that_dribbles_is_ended_too(endpoint: Endpoint) -> None:
    with socket.create_connection(("127.0.0.1", endpoint.address.port), 30) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\n")
        began = time.monotonic()
        with suppress(OSError):
            for number in range(300):  # each header comes in time
                client.sendall(f"X-{number}: x\r\n".encode())
                time.sleep(0.1)
        assert time.monotonic() - began < 25
    assert answers(endpoint)


def test_who_comes_when_all_places_are_taken_is_told() -> None:
    held = threading.Event()

    def slow(openmetrics: bool) -> Page:
        held.wait(30)
        return page(openmetrics)

    busy = Endpoint(Address("127.0.0.1", free_port()), slow, deadline_s=60.0)
    busy.open()
    try:
        with ExitStack() as stack:
            for _ in range(MOST_CONNECTIONS):
                client = stack.enter_context(
                    socket.create_connection(("127.0.0.1", busy.address.port), 30)
                )
                client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            last = stack.enter_context(
                socket.create_connection(("127.0.0.1", busy.address.port), 30)
            )
            assert last.recv(100).startswith(b"HTTP/1.0 503 ")
            held.set()
    finally:
        held.set()
        busy.close()


def test_a_bug_is_an_answer_too() -> None:
    def broken(openmetrics: bool) -> Page:
        raise ZeroDivisionError

    endpoint = Endpoint(Address("127.0.0.1", free_port()), broken)
    endpoint.open()
    try:
        code, _, body = ask(endpoint)
        assert (code, body) == (500, b"failed with ZeroDivisionError\n")
    finally:
        endpoint.close()


def test_a_port_that_is_taken_can_be_had_when_it_is_free() -> None:
    one = Endpoint(Address("127.0.0.1", free_port()), page)
    other = Endpoint(one.address, page)
    one.open()
    with pytest.raises(OSError, match="in use"):
        other.open()
    assert not other.is_open
    assert ask(one)[0] == 200
    one.close()
    other.open()
    try:
        assert ask(other)[0] == 200
    finally:
        other.close()


def test_it_listens_on_the_loopback_of_ipv6() -> None:
    if not socket.has_ipv6 or not _can_bind("::1"):
        pytest.skip("this machine has no ::1")
    endpoint = Endpoint(Address("::1", free_port()), page)
    endpoint.open()
    try:
        with socket.create_connection(("::1", endpoint.address.port), 30) as client:
            client.sendall(b"HEAD /metrics HTTP/1.1\r\nHost: [::1]:1\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.0 200 ")
    finally:
        endpoint.close()


def _can_bind(host: str) -> bool:
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((host, 0))
        except OSError:
            return False
    return True
