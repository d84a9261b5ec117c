"""The Hub: repositories of models and datasets, and buckets. The only file that knows huggingface_hub.

Paths go through Xet, which sends only chunks that the Hub has not. The trap: the client tries again by itself
for as long as the Hub tells it to wait, drops what a repository's .gitignore names without a word, and a
commit whose answer was lost may have arrived.
"""

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Literal

from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import BucketNotFoundError, HfHubHTTPError, RepositoryNotFoundError
from huggingface_hub.utils import (  # type: ignore[attr-defined]
    build_hf_headers,
    get_session,
    paginate,
)
from msgspec.structs import replace

from trainwatch.adapters.sync.spool import Read, unchanged
from trainwatch.core.answers import retry_after_s
from trainwatch.core.model.syncing import Order, Outcome

_REPOSITORY = re.compile(r"hf://(models|datasets)/([^/]+/[^/]+)")
_BUCKET = re.compile(r"hf://buckets/([^/]+/[^/]+)")
_MOST_COMMITS = 2000  # looked through for a lost one: twelve hours of a busy repository
_RESET = re.compile(r"\bt=(\d+)")  # of a `ratelimit` header: seconds
_STATUS_IN = re.compile(r"\((4\d\d|5\d\d) [A-Z][a-z]")
_NEVER = {
    401: "the Hub does not know the token, or wants one, or {to} does not exist (401): log in with `hf auth "
    "login`, or set HF_TOKEN, where trainwatch runs",
    403: "the token may not write to {to} (403): give it the right to write, or use another one",
    404: "{to} does not exist, or the token may not see it (404): create it, or set create = true",
    410: "{to} was removed (410)",
    413: "it is too large for the Hub (413)",
}
_AGAIN = {
    409: "somebody else writes to {to} (409)",
    412: "somebody else committed to {to} meanwhile (412)",
    429: "the Hub is asked too often (429)",
}


class Answered(Exception):
    """The Hub says no, in a way that the client would sit out by itself."""

    def __init__(self, status: int, wait_s: float | None, *, lost: bool) -> None:
        """`lost`: it was asked to commit, and nobody knows whether it did."""
        super().__init__(f"the Hub answers {status}")
        self.status, self.wait_s, self.lost = status, wait_s, lost


class Unreachable(Exception):
    """There is no way to the Hub, or it was cut. The client would try for half a minute."""

    def __init__(self, why: str, *, lost: bool) -> None:
        super().__init__(why)
        self.lost = lost


def place_of(order: Order) -> "Repository | Bucket":
    """The place that the order names."""
    session: Any = get_session()
    session.send = partial(_send, session.send)
    if found := _REPOSITORY.fullmatch(order.to):
        return Repository(order, found[1].removesuffix("s"), found[2])
    found = _BUCKET.fullmatch(order.to)
    if found is None:
        raise ValueError(f"no place on the Hub: {order.to}")
    return Bucket(order, found[1])


class _OnHub:
    """What repositories and buckets have in common: how errors are understood."""

    def __init__(self, order: Order) -> None:
        self._order, self._api = order, HfApi(endpoint=os.environ.get("HF_ENDPOINT"))

    def meaning(self, error: BaseException) -> Outcome:
        """By the status of whatever lies behind the error."""
        for cause in _causes(error):
            if isinstance(cause, Answered):
                answered = self._answered(cause.status, cause.wait_s)
                return replace(answered, result="lost") if cause.lost else answered
            if isinstance(cause, Unreachable):
                result: Literal["lost", "again"] = "lost" if cause.lost else "again"
                return Outcome(result=result, why=f"the Hub cannot be reached: {cause}")
            if isinstance(cause, HfHubHTTPError) and cause.response is not None:
                return self._answered(cause.response.status_code, None, cause.server_message)
        found = _STATUS_IN.search(str(error))  # the Xet client tells it in words only
        if found is not None and "/api/" in str(error):
            return self._answered(int(found[1]), None)
        return Outcome(result="again", why=f"{type(error).__name__}: {error}")

    def _answered(self, status: int, wait_s: float | None, said: str | None = None) -> Outcome:
        if status in _NEVER:
            why = _NEVER[status].format(to=self._order.to)
            return Outcome(result="never", why=why, status=status)
        kind = "the Hub fails ({status})" if status >= 500 else "the Hub answers {status}"
        why = _AGAIN.get(status, kind).format(to=self._order.to, status=status)
        if said and status == 400:
            why += f": {said}"
        return Outcome(result="again", why=why, status=status, retry_after_s=wait_s)

    def _to(self, name: str) -> str:
        return f"{self._order.into}/{name}" if self._order.into else name


class Repository(_OnHub):
    """A model or dataset repository: one commit for all files."""

    def __init__(self, order: Order, kind: str, name: str) -> None:
        super().__init__(order)
        self._kind, self._name = kind, name

    def send(self, reads: Sequence[Read]) -> Outcome:
        """One commit on top of the one that is the last now: of two attempts only one can ever succeed."""
        head = self._head()
        if self._order.after and self._committed(self._order.after):
            return Outcome(result="overtaken")
        adds = [
            CommitOperationAdd(path_in_repo=self._to(read.piece.to), path_or_fileobj=str(read.path))
            for read in reads
        ]
        self._api.preupload_lfs_files(
            self._name, adds, repo_type=self._kind, num_threads=2, free_memory=False
        )
        left = dict(_passed_over(reads, adds))
        chosen = [add for number, add in enumerate(adds) if number not in left]
        if chosen:
            self._api.create_commit(
                self._name,
                chosen,
                commit_message=title(self._order, len(chosen)),
                repo_type=self._kind,
                parent_commit=head,
            )
        return Outcome(result="sent", left=left)

    def arrived(self) -> bool | None:
        """Whether a commit's title holds the token."""
        return self._committed(self._order.token)

    def _committed(self, token: str) -> bool:
        found = paginate(
            f"{self._api.endpoint}/api/{self._kind}s/{self._name}/commits/main",
            params={},
            headers=build_hf_headers(),
        )
        mark = _mark(token)
        return any(mark in str(one.get("title", "")) for one in islice(found, _MOST_COMMITS))

    def _head(self) -> str | None:
        try:
            return self._api.repo_info(self._name, repo_type=self._kind).sha
        except RepositoryNotFoundError:
            if not self._order.create:
                raise
        self._api.create_repo(
            self._name, repo_type=self._kind, private=self._order.private, exist_ok=True
        )
        return self._api.repo_info(self._name, repo_type=self._kind).sha


class Bucket(_OnHub):
    """A bucket: files that can be replaced, no commits."""

    def __init__(self, order: Order, name: str) -> None:
        super().__init__(order)
        self._name = name

    def send(self, reads: Sequence[Read]) -> Outcome:
        """All in one batch."""
        try:
            self._api.bucket_info(self._name)
        except BucketNotFoundError:
            if not self._order.create:
                raise
            self._api.create_bucket(self._name, private=self._order.private, exist_ok=True)
        adds = [(str(read.path), self._to(read.piece.to)) for read in reads]
        self._api.batch_bucket_files(self._name, add=list(adds))
        changed = {
            n: "it changed while it was sent" for n, r in enumerate(reads) if not unchanged(r)
        }
        return Outcome(result="sent", left=changed)

    def arrived(self) -> bool | None:
        """It does not matter: the same file is put in place of the same."""
        return None


def title(order: Order, count: int) -> str:
    """Of a commit."""
    return f"{order.route}: {count} file{'s' * (count != 1)} {_mark(order.token)}"


def _mark(token: str) -> str:
    return f"[trainwatch {token}]"


def _passed_over(
    reads: Sequence[Read], adds: Sequence[CommitOperationAdd]
) -> Iterator[tuple[int, str]]:
    for number, (read, add) in enumerate(zip(reads, adds, strict=True)):
        if getattr(add, "_should_ignore", False):
            yield number, "the repository's .gitignore names it"
        elif not unchanged(read):
            yield number, "it changed while it was sent"


def _send(send: Any, request: Any, **options: Any) -> Any:
    """The client's way to the network. Who tries again, and when, is decided in one place: not here."""
    commits = "/commit/" in request.url.path
    try:
        response = send(request, **options)
    except Exception as error:
        if type(error).__module__.startswith("httpx"):
            raise Unreachable(f"{type(error).__name__}: {error}", lost=commits) from error
        raise
    status = response.status_code
    if status == 429 or status >= 500:
        raise Answered(status, _wait_s(response.headers), lost=commits and status != 429)
    return response


def _wait_s(headers: Any) -> float | None:
    """What the Hub says of when to come again."""
    import time

    wait_s = retry_after_s(headers.get("retry-after"), time.time())  # noqa: TID251 - of an HTTP date
    if wait_s is None and (found := _RESET.search(headers.get("ratelimit", ""))):
        wait_s = float(found[1])
    return wait_s


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what lies behind it."""
    cause: BaseException | None = error
    for _ in range(10):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__
