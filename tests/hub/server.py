"""A Hub on loopback for the real client: repositories, commits, LFS, buckets; faults on demand.

Xet's own store is a folder: `local://` makes the real Xet client chunk, deduplicate and store there.
"""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.hub.memory import Hub, Repo

_REPO = r"/api/(models|datasets)/([^/]+/[^/]+)"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def _serve(self) -> None:
        path = unquote(self.path.partition("?")[0])
        request = f"{self.command} {path}"
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.hub.requests.append(request)
        fault = self.hub.fault(request)
        if fault is not None and not fault.cut:
            self._answer(fault.status, fault.body or {"error": "a fault"}, fault.headers)
            return
        if fault is not None and fault.cut == "before":
            self.close_connection = True
            return
        status, answer, headers = self._routed(path, body)
        if fault is not None:
            self.close_connection = True
            return
        self._answer(status, answer, headers)

    def _answer(self, status: int, answer: Any, headers: dict[str, str]) -> None:
        data = b"" if self.command == "HEAD" else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _routed(self, path: str, body: bytes) -> tuple[int, Any, dict[str, str]]:
        if path.startswith("/lfs/"):
            return self._put_object(path.removeprefix("/lfs/"), body)
        if self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            said = {"X-Error-Message": "Invalid credentials in Authorization header"}
            return 401, {"error": "Invalid credentials in Authorization header"}, said
        for pattern, handle in _ROUTES:
            if found := re.fullmatch(pattern, f"{self.command} {path}"):
                with self.hub.lock:
                    return handle(self, *found.groups(), body)
        return 404, {"error": f"no such thing: {path}"}, {}

    def _repo(self, kind: str, name: str) -> Repo | None:
        return self.hub.repos.get(f"{kind}/{name}")

    def _create(self, body: bytes) -> tuple[int, Any, dict[str, str]]:
        asked = json.loads(body)
        owner = asked.get("organization") or "me"
        name = f"{asked.get('type', 'model')}s/{owner}/{asked['name']}"
        if name in self.hub.repos:
            return 409, {"error": "exists", "url": f"{self.hub.url}/{owner}/{asked['name']}"}, {}
        self.hub.make(name)
        return 200, {"url": f"{self.hub.url}/{owner}/{asked['name']}"}, {}

    def _info(self, kind: str, name: str, *_: Any) -> tuple[int, Any, dict[str, str]]:
        repo = self._repo(kind, name)
        if repo is None:
            return _GONE
        return 200, {"id": name, "sha": repo.head, "private": True, "tags": [], "siblings": []}, {}

    def _commits(self, kind: str, name: str, _: bytes) -> tuple[int, Any, dict[str, str]]:
        repo = self._repo(kind, name)
        if repo is None:
            return _GONE
        listed = [
            {
                "id": c.oid,
                "title": c.title,
                "message": "",
                "authors": [],
                "date": "2026-01-01T00:00:00Z",
            }
            for c in reversed(repo.commits)
        ]
        return 200, listed, {}

    def _preupload(
        self, kind: str, name: str, _rev: str, body: bytes
    ) -> tuple[int, Any, dict[str, str]]:
        repo = self._repo(kind, name)
        if repo is None:
            return _GONE
        files = [
            {
                "path": one["path"],
                "uploadMode": "lfs" if one["size"] >= self.hub.lfs_from else "regular",
                "shouldIgnore": bool(re.search(repo.ignored, one["path"])),
            }
            for one in json.loads(body)["files"]
        ]
        return 200, {"files": files}, {}

    def _xet_token(self, *_: Any) -> tuple[int, Any, dict[str, str]]:
        self.hub.xet.mkdir(parents=True, exist_ok=True)
        info = {
            "X-Xet-Cas-Url": f"local://{self.hub.xet}",
            "X-Xet-Access-Token": "xet",
            "X-Xet-Token-Expiration": "4000000000",
        }
        inner = {"casUrl": info["X-Xet-Cas-Url"], "accessToken": "xet", "exp": 4_000_000_000}
        return 200, inner, info

    def _commit(
        self, kind: str, name: str, _rev: str, body: bytes
    ) -> tuple[int, Any, dict[str, str]]:
        repo = self._repo(kind, name)
        if repo is None:
            return _GONE
        self.hub.before_commit()
        lines = [json.loads(line) for line in body.splitlines()]
        header = lines[0]["value"]
        if header.get("parentCommit", repo.head) != repo.head:
            return 412, {"error": "the branch has moved"}, {}
        files = dict[str, tuple[str, int]]()
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                data = base64.b64decode(value["content"])
                files[value["path"]] = (hashlib.sha256(data).hexdigest(), len(data))
            else:
                assert line["key"] == "lfsFile", "nothing is ever deleted"
                files[value["path"]] = (value["oid"], value["size"])
        oid = self.hub._commit(repo, header["summary"], files)
        return 200, {"commitUrl": f"{self.hub.url}/{name}/commit/{oid}", "commitOid": oid}, {}

    def _batch(self, _name: str, body: bytes) -> tuple[int, Any, dict[str, str]]:
        objects = []
        for one in json.loads(body)["objects"]:
            answer = {"oid": one["oid"], "size": one["size"]}
            if one["oid"] not in self.hub.objects:
                answer["actions"] = {"upload": {"href": f"{self.hub.url}/lfs/{one['oid']}"}}
            objects.append(answer)
        return 200, {"transfer": "basic", "objects": objects}, {}

    def _put_object(self, oid: str, body: bytes) -> tuple[int, Any, dict[str, str]]:
        assert hashlib.sha256(body).hexdigest() == oid
        self.hub.objects[oid] = len(body)
        self.hub.lfs_bytes += len(body)
        return 200, {}, {}

    def _bucket(self, name: str, _: bytes) -> tuple[int, Any, dict[str, str]]:
        if self._repo("buckets", name) is None:
            return _GONE
        made = "2026-01-01T00:00:00Z"
        info = {"id": name, "private": True, "createdAt": made, "size": 0, "totalFiles": 0}
        return 200, info, {}

    def _make_bucket(self, name: str, _: bytes) -> tuple[int, Any, dict[str, str]]:
        known = self._repo("buckets", name) is not None
        if not known:
            self.hub.make(f"buckets/{name}")
        return 409 if known else 200, {"url": f"{self.hub.url}/buckets/{name}"}, {}

    def _bucket_batch(self, name: str, body: bytes) -> tuple[int, Any, dict[str, str]]:
        repo = self._repo("buckets", name)
        if repo is None:
            return _GONE
        for line in body.splitlines():
            one = json.loads(line)
            assert one["type"] == "addFile", "nothing is ever deleted"
            repo.files[one["path"]] = (one["xetHash"], 0)
        return 200, {"success": True, "processed": 1, "succeeded": 1, "failed": []}, {}


_GONE: tuple[int, Any, dict[str, str]] = (
    404,
    {"error": "Repository not found"},
    {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"},
)
_ROUTES: tuple[tuple[str, Callable[..., tuple[int, Any, dict[str, str]]]], ...] = (
    (r"POST /api/repos/create", _Handler._create),
    (r"POST /api/buckets/([^/]+/[^/]+)", _Handler._make_bucket),
    (r"GET /api/buckets/([^/]+/[^/]+)", _Handler._bucket),
    (r"POST /api/buckets/([^/]+/[^/]+)/batch", _Handler._bucket_batch),
    (r"GET /api/buckets/([^/]+/[^/]+)/xet-write-token.*", _Handler._xet_token),
    (rf"GET {_REPO}", _Handler._info),
    (rf"GET {_REPO}/revision/([^/]+)", _Handler._info),
    (rf"GET {_REPO}/commits/main", _Handler._commits),
    (rf"POST {_REPO}/preupload/([^/]+)", _Handler._preupload),
    (rf"GET {_REPO}/xet-write-token/([^/]+)", _Handler._xet_token),
    (rf"POST {_REPO}/commit/([^/]+)", _Handler._commit),
    (r"POST /(?:datasets/)?([^/]+/[^/]+)\.git/info/lfs/objects/batch", _Handler._batch),
)


@contextmanager
def serving(folder: Path) -> Iterator[Hub]:
    """A Hub that is there until the context ends."""
    hub = Hub(folder)
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
