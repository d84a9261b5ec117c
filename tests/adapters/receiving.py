"""Receivers of the tests' own, on loopback: HTTP that answers as it is told to, and a mail server.

Each listens on a port that the system chooses, and holds what it was sent.
"""

import socket
import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def free_port() -> int:
    """A port of loopback on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Web:
    """An HTTP receiver. `status` and `headers` are how it answers; it hangs until `free` is set."""

    def __init__(self) -> None:
        self.status = 200
        self.headers: Mapping[str, str] = {}
        self.free = threading.Event()
        self.free.set()
        self.got: list[tuple[str, str, bytes]] = []  # method, path, body
        self.arrived = threading.Semaphore(0)
        self.port = 0

    def url(self, scheme: str = "http", path: str = "", user: str = "") -> str:
        """Where it is."""
        return f"{scheme}://{user}127.0.0.1:{self.port}{path}"


@contextmanager
def web() -> Iterator[Web]:
    """A receiver that runs until the context ends."""
    receiver = Web()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            receiver.got.append((self.command, self.path, body))
            receiver.arrived.release()
            receiver.free.wait(30)
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST  # noqa: N815 - the name that http.server looks for

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Nobody is to read it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    with _served(server):
        yield receiver
        receiver.free.set()


class Mail:
    """A mail server. `answer` is what it says to a message; `got` are those it took."""

    def __init__(self) -> None:
        self.answer = "250 ok"
        self.got: list[str] = []
        self.port = 0


@contextmanager
def mail() -> Iterator[Mail]:
    """A mail server that runs until the context ends."""
    box = Mail()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 test ESMTP")
            for line in iter(self.rfile.readline, b""):
                verb = line[:4].upper()
                if verb == b"QUIT":
                    self.say("221 bye")
                    return
                if verb == b"DATA":
                    self.say("354 go on")
                    self.take()
                else:
                    self.say("250 ok")

        def take(self) -> None:
            lines = [line for line in iter(self.rfile.readline, b".\r\n") if line]
            if box.answer.startswith("250"):
                box.got.append(b"".join(lines).decode())
            self.say(box.answer)

        def say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    box.port = server.server_address[1]
    with _served(server):
        yield box


@contextmanager
def _served(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
