"""An HTTP endpoint that serves what was last seen, to this machine only.

The trap: who asks may be slow, hostile, or a web page that rebinds its name to loopback. It has a text and
nothing else of the watch; there are few connections, each ends at a deadline, and none is waited for.
"""

import socket
import socketserver
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import NamedTuple

from trainwatch.core.metrics.address import Address, is_here

MOST_CONNECTIONS = 8
DEADLINE_S = 10.0  # of a connection, from its beginning to its end
_SILENT_S = 5.0
_POLL_S = 0.5
_BACKLOG = 16
_PATH = "/metrics"
_VERBS = ("GET", "HEAD")
_PLAIN = "text/plain; charset=utf-8"
_FULL = b"HTTP/1.0 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Page(NamedTuple):
    """What is served."""

    content_type: str
    body: bytes


Serve = Callable[[bool], Page]  # in OpenMetrics, or in the older format of Prometheus


class Endpoint:
    """Listens once it is opened, in a thread of its own."""

    def __init__(self, address: Address, serve: Serve, deadline_s: float = DEADLINE_S) -> None:
        """`serve` is called in threads of its own, and must not wait for the world."""
        self.address, self._serve, self._deadline_s = address, serve, deadline_s
        self._server: _Server | None = None
        self._bound: tuple[Path, int] | None = None  # the socket's file, and which it is

    @property
    def is_open(self) -> bool:
        """Whether it listens."""
        return self._server is not None

    def open(self) -> None:
        """Listen. Raises OSError: the port or the socket is another's, or there may be none."""
        path = Path(self.address.path).expanduser() if self.address.path else None
        listening = _of_path(path) if path is not None else _of_port(self.address)
        if path is not None:
            self._bound = (path, path.lstat().st_ino)
        self._server = _Server(listening, self._serve, self._deadline_s)
        serve = self._server.serve_forever
        threading.Thread(target=serve, args=(_POLL_S,), daemon=True, name="metrics").start()

    def close(self) -> None:
        """Listen no longer. What is being answered ends with its deadline, or the process."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        if self._bound is not None:
            path, number = self._bound
            with suppress(OSError):  # a successor may have put its own there
                if path.lstat().st_ino == number:
                    path.unlink()
            self._bound = None


def _of_port(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # after a restart
        listening.bind((address.host, address.port))
        listening.listen(_BACKLOG)
    except OverflowError as error:
        listening.close()
        raise OSError(f"there is no port {address.port}") from error
    except OSError:
        listening.close()
        raise
    return listening


def _of_path(path: Path) -> socket.socket:
    """Nobody can connect before `listen`, and by then only its owner may."""
    _require_free(path)
    temporary = path.with_name(f"{path.name}.new")
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        temporary.unlink(missing_ok=True)
        listening.bind(str(temporary))
        temporary.chmod(0o600)
        listening.listen(_BACKLOG)
        temporary.replace(path)
    except OSError:
        listening.close()
        temporary.unlink(missing_ok=True)
        raise
    return listening


def _require_free(path: Path) -> None:
    """Raise OSError unless there is nothing, or a socket whose process is gone."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise FileExistsError(f"{path} is no socket, and stays")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return
    raise FileExistsError(f"another process listens on {path}")


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """A thread for each connection, few at a time. Its socket listens already."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listening: socket.socket, serve: Serve, deadline_s: float) -> None:
        socketserver.BaseServer.__init__(self, listening.getsockname(), _Handler)
        self.socket = listening
        self.serve = serve
        self._deadline_s = deadline_s
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._until = dict[socket.socket, float]()  # those that are open
        self._pause = threading.Event()

    def get_request(self) -> tuple[socket.socket, object]:
        try:
            return super().get_request()
        except OSError:  # no descriptor is left: the same would fail again at once
            self._pause.wait(_POLL_S)
            raise

    def process_request(self, request: object, client_address: object) -> None:
        assert isinstance(request, socket.socket)
        if not self._slots.acquire(blocking=False):
            with suppress(OSError):
                request.settimeout(0.0)
                request.sendall(_FULL)
            self.shutdown_request(request)
            return
        self._until[request] = time.monotonic() + self._deadline_s
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._let_go(request)
            raise

    def process_request_thread(self, request: object, client_address: object) -> None:
        assert isinstance(request, socket.socket)
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._let_go(request)

    def _let_go(self, request: socket.socket) -> None:
        if self._until.pop(request, None) is not None:
            self._slots.release()

    def service_actions(self) -> None:
        """Between connections: end those whose time is over; whoever reads or writes there wakes up."""
        now = time.monotonic()
        for request, until in tuple(self._until.items()):
            if now >= until:
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Who went away in the middle is no trouble of ours."""


class _Handler(BaseHTTPRequestHandler):
    """One request a connection."""

    timeout = _SILENT_S
    error_message_format = "%(message)s\n"
    error_content_type = _PLAIN
    server: _Server

    def parse_request(self) -> bool:
        """False where it was answered already. Every verb comes through here."""
        if not super().parse_request():
            return False
        code, why = refusal(self.command, self.path, self.headers.get_all("Host") or [])
        if not why:
            return True
        self._answer(code, Page(_PLAIN, f"{why}\n".encode()))
        return False

    def do_GET(self) -> None:
        """The numbers."""
        accepted = " ".join(self.headers.get_all("Accept") or [])
        try:
            page = self.server.serve("application/openmetrics-text" in accepted)
        except Exception as error:  # noqa: BLE001 - a bug of ours; who asks is told that there is one
            self._answer(500, Page(_PLAIN, f"failed with {type(error).__name__}\n".encode()))
        else:
            self._answer(200, page)

    do_HEAD = do_GET  # noqa: N815 - the name that http.server looks for

    def _answer(self, code: int, page: Page) -> None:
        self.close_connection = True
        self.send_response(code)
        self.send_header("Content-Type", page.content_type)
        self.send_header("Content-Length", str(len(page.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if code == 405:
            self.send_header("Allow", ", ".join(_VERBS))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page.body)

    def version_string(self) -> str:
        return "trainwatch"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nobody is to read it."""


def refusal(verb: str, path: str, hosts: list[str]) -> tuple[int, str]:
    """The code and the reason that a request is refused with; no reason where it is not.

    A client that names no host at all is no browser.
    """
    if len(hosts) > 1 or not all(is_here(host) for host in hosts):
        return 403, "the Host of a request must be this machine's: 127.0.0.1, [::1] or localhost"
    if verb not in _VERBS:
        return 405, "only GET and HEAD"
    if path.partition("?")[0] != _PATH:
        return 404, f"only {_PATH} is here"
    return 200, ""
