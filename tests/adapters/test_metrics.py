"""How metrics are written down, the file of a node_exporter, and an endpoint that only this machine may ask.

What is written is read by two others: prometheus_client's own parser, and Prometheus' promtool.
"""

import http.client
import os
import shutil
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.adapters.receiving import free_port
from tests.core.metrics.making import FULL, WATCHER, numbers
from trainwatch.adapters.metrics import OPENMETRICS, PROMETHEUS, Endpoint, Textfile, text_of
from trainwatch.adapters.metrics.endpoint import MOST_CONNECTIONS, Page
from trainwatch.core.metrics.address import Address
from trainwatch.core.metrics.measure import measured

PROMTOOL = shutil.which("promtool")
NASTY = replace(FULL, run='a"} 1\n\\n # EOF', log="/other")
FAMILIES = measured([FULL, NASTY], WATCHER)


def names(folder: Path) -> list[str]:
    """Of what is in it."""
    return sorted(path.name for path in folder.iterdir())


# how they are written


def read_back() -> list[Metric]:
    """What the library's own parser makes of it."""
    text = text_of(FAMILIES, OPENMETRICS).decode()
    return list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


def test_openmetrics_is_read_back_as_what_it_was() -> None:
    found = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in read_back()
        for sample in family.samples
    }
    assert found == numbers(FAMILIES)


def test_openmetrics_says_kinds_and_units() -> None:
    families = {family.name: (family.type, family.unit) for family in read_back()}
    assert families["trainwatch_health"] == ("stateset", "")
    assert families["trainwatch_sync_sent_bytes"] == ("counter", "bytes")
    assert families["trainwatch_mfu_ratio"] == ("gauge", "ratio")
    assert families["trainwatch_build"] == ("info", "")


@pytest.mark.skipif(PROMTOOL is None, reason="no promtool here (Debian: prometheus)")
def test_promtool_has_nothing_to_say_about_the_textfile() -> None:
    text = text_of(FAMILIES, PROMETHEUS)
    got = subprocess.run([str(PROMTOOL), "check", "metrics"], input=text, capture_output=True)
    assert (got.returncode, got.stdout, got.stderr) == (0, b"", b"")


# the textfile


def test_a_textfile_is_readable_for_all_whatever_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "t.prom"
    before = os.umask(0o077)
    try:
        assert Textfile(path).write(b"a 1\n") == ""
    finally:
        os.umask(before)
    assert path.read_bytes() == b"a 1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert names(tmp_path) == ["t.prom"]


def test_a_reader_never_sees_half_of_it(tmp_path: Path) -> None:
    path = tmp_path / "t.prom"
    file, texts = Textfile(path), [letter * 300_000 for letter in (b"a", b"b")]
    file.write(texts[0])
    over = threading.Event()

    def write() -> None:
        for number in range(60):
            file.write(texts[number % 2])
        over.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set[bytes]()
    while not over.is_set():
        seen.add(path.read_bytes())
    writer.join()
    assert seen <= set(texts)


def test_what_cannot_be_written_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "t.prom"
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        Textfile(path).write(b"a 1\n")
    assert names(tmp_path) == ["t.prom"]
    with pytest.raises(FileNotFoundError):
        Textfile(tmp_path / "none" / "t.prom").write(b"")


def test_another_link_is_not_written_through(tmp_path: Path) -> None:
    other, path = tmp_path / "other", tmp_path / "t.prom"
    other.write_text("mine")
    (tmp_path / f".t.prom.{os.getpid()}.tmp").symlink_to(other)
    path.symlink_to(other)
    Textfile(path).write(b"a 1\n")
    assert (other.read_text(), path.is_symlink(), path.read_bytes()) == ("mine", False, b"a 1\n")


def test_two_writers_of_one_file_both_say_so(tmp_path: Path) -> None:
    path = tmp_path / "t.prom"
    one, other = Textfile(path), Textfile(path)
    assert [one.write(b"1"), other.write(b"2")] == ["", ""]
    assert "another process writes it, too" in one.write(b"1")
    assert "a textfile of its own" in other.write(b"2")
    path.unlink()  # somebody cleans up
    assert one.write(b"1") == ""


# the endpoint


def page(openmetrics: bool) -> Page:
    form = OPENMETRICS if openmetrics else PROMETHEUS
    return Page(form.content_type, text_of(FAMILIES, form))


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


# a unix socket


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
