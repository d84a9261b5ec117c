"""Who is let in. Decides on values, so that every request there can be is a row in a table of its tests.

The trap: a browser asks in the name of every page that it shows. A cookie proves whose browser it is, not
whose page; that it asked for this machine, and from a page of ours, is to be seen from Host and Origin.
"""

import enum
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from typing import NamedTuple

COOKIE = "trainwatch"
TOKEN_LIVES_S = 3600.0
_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.ASCII | re.IGNORECASE)


class Asked(NamedTuple):
    """What of a request decides. `hosts` and `origins` are all headers of that name."""

    method: str
    path: str
    hosts: tuple[str, ...]
    origins: tuple[str, ...] = ()
    cookie: str = ""
    token: str | None = None
    socket: bool = False  # asks to become a websocket


class Verdict(enum.Enum):
    """What becomes of a request."""

    PASS = "pass"  # noqa: S105 - no password
    WELCOME = "welcome"  # with a new cookie, to the address without the token
    ONWARD = "onward"  # known already: to the address without the token
    REFUSED = "refused"
    STALE = "stale"  # the link has been used, is too old, or never was one


class Gate:
    """The links that still open, and the browsers that came in. Keeps hashes only, and in memory only."""

    def __init__(self, now: Callable[[], float]) -> None:
        """`now` is any clock that is not set back, in seconds.

        `place` is part of every address. It is no secret, but the cookie is bound to it: other servers of
        this machine, or of a laptop at the end of a tunnel, are `localhost` too, and are not sent it.
        """
        self.place = f"/{secrets.token_urlsafe(9)}/"
        self._now = now
        self._tokens: dict[bytes, float] = {}
        self._cookies: list[bytes] = []

    def new_token(self) -> str:
        """A token that opens once, within the hour; the one before no longer does."""
        token = secrets.token_urlsafe(32)
        self._tokens = {_hash(token): self._now() + TOKEN_LIVES_S}
        return token

    def new_cookie(self) -> str:
        """A cookie that is good as long as we run."""
        cookie = secrets.token_urlsafe(32)
        self._cookies.append(_hash(cookie))
        return cookie

    def judge(self, asked: Asked) -> Verdict:
        """Let in, or not. Uses up the token of a link that opens."""
        if not self._proper(asked):
            return Verdict.REFUSED
        known = _among(asked.cookie, self._cookies)
        if asked.token is None:
            return Verdict.PASS if known else Verdict.REFUSED
        if asked.socket or asked.method != "GET" or asked.path != self.place:
            return Verdict.REFUSED
        if self._spend(asked.token):
            return Verdict.WELCOME
        return Verdict.ONWARD if known else Verdict.STALE

    def _proper(self, asked: Asked) -> bool:
        """Whether it reads, at our place, by a name of this machine, and from a page of ours."""
        if asked.method not in ("GET", "HEAD") or not asked.path.startswith(self.place):
            return False
        if len(asked.hosts) != 1 or not _LOOPBACK.fullmatch(asked.hosts[0]):
            return False  # whatever the port: that is the tunnel's end, and people choose it
        ours = f"http://{asked.hosts[0]}"
        if asked.socket:
            return asked.origins == (ours,)
        return asked.origins in ((), (ours,))

    def _spend(self, token: str) -> bool:
        """Whether a token opens; it does not again."""
        given = _hash(token)
        spent = [known for known in self._tokens if hmac.compare_digest(known, given)]
        return any(self._now() < self._tokens.pop(known) for known in spent)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def _among(secret: str, known: list[bytes]) -> bool:
    """Whether it is one of them, in a time that does not tell which, or how nearly."""
    given = _hash(secret)
    return sum(hmac.compare_digest(each, given) for each in known) > 0
