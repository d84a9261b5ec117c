"""Tells people: Slack, e-mail, ntfy and a hundred more, by apprise.

The trap: apprise answers yes or no. Why not, it only logs, with the URL and all that is secret in it; and
Retry-After it does not hand on at all. Both are overheard here, in the context of the one call, and
nothing of it leaves as it is.
"""

import logging
import re
import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any

from trainwatch.core.answers import answered, broken
from trainwatch.core.errors import UsageError
from trainwatch.core.message import compose
from trainwatch.core.model.telling import OK, Outcome, Sending

CONNECT_S, READ_S = 10.0, 20.0  # unless the URL itself says how long (?cto=&rto=)
_UNFIT = "its URL is none that apprise knows, or is incomplete"
_TYPES = {"info": "info", "warning": "warning", "critical": "failure"}
_STATUS = re.compile(r"\berror=(\d{3})\b")
_EXCEPTION = re.compile(r"(?:Socket )?Exception: (.*)", re.DOTALL)


class _Heard:
    """What was overheard of one call: the log, the last HTTP status and its Retry-After."""

    def __init__(self) -> None:
        self.said: list[tuple[int, str]] = []
        self.status: int | None = None
        self.retry_after: str | None = None


_loading = threading.Lock()  # receivers are told in threads of their own
_heard: ContextVar[_Heard | None] = ContextVar("heard", default=None)


class People:
    """One apprise URL. It is asked for with each message: who mends it needs no restart."""

    def __init__(
        self, url: Callable[[], str], utc_offset_s: Callable[[float], float] = lambda at: 0.0
    ) -> None:
        """`url` raises UsageError when there is none. `utc_offset_s` of a time: messages tell local times."""
        self._url, self._utc_offset_s = url, utc_offset_s

    def send(self, sending: Sending, now: float) -> Outcome:
        """Send it as one message. Blocks as long as the receiver lets it; raises nothing."""
        try:
            url = self._url()
        except UsageError as error:
            return Outcome(result="never", why=str(error))
        heard = _Heard()
        token = _heard.set(heard)
        try:
            return _notify(url, sending, self._utc_offset_s(now), heard, now)
        except Exception as error:  # noqa: BLE001 - a hundred plugins of others: none may end the others
            return broken(f"{type(error).__name__}: {error}", (url,))
        finally:
            _heard.reset(token)


def unfit(url: str) -> str:
    """Why a URL is none that a message could be sent to; empty if it is one. Nothing is sent.

    Never holds a word of it. Loads apprise.
    """
    heard = _Heard()
    token = _heard.set(heard)
    try:
        asset = _apprise().AppriseAsset(app_id="trainwatch", storage_mode="memory")
        service = _apprise().Apprise.instantiate(url, asset=asset)
    except Exception as error:  # noqa: BLE001 - a hundred plugins of others: none may end the others
        return f"apprise cannot read its URL ({type(error).__name__})"
    finally:
        _heard.reset(token)
    return _UNFIT if service is None else ""


def _notify(url: str, sending: Sending, utc_offset_s: float, heard: _Heard, now: float) -> Outcome:
    apprise = _apprise()
    asset = apprise.AppriseAsset(app_id="trainwatch", storage_mode="memory")
    service = apprise.Apprise.instantiate(url, asset=asset)
    if service is None:
        return Outcome(result="never", why=_UNFIT)
    _be_patient(service)
    message, first = compose(sending, utc_offset_s), sending.changes[0]
    kind = "success" if first.change == "resolved" else _TYPES[first.severity]
    receivers = apprise.Apprise(asset=asset)
    receivers.add(service)
    if receivers.notify(message.body, title=message.title, notify_type=kind, body_format="text"):
        return OK
    return _why(heard, url, now)


def _why(heard: _Heard, url: str, now: float) -> Outcome:
    """The reason, by what was overheard: the status, the exception, else the last thing that was said."""
    texts = [text for _, text in heard.said]
    found = [match for text in texts if (match := _STATUS.search(text))]
    status = heard.status or (int(found[-1][1]) if found else None)
    if status is not None and not 200 <= status < 300:
        return answered(status, heard.retry_after, now)
    errors = [match[1] for text in texts if (match := _EXCEPTION.search(text))]
    if errors:
        return broken(errors[-1], (url,))
    loud = [text for level, text in heard.said if level >= logging.WARNING]
    return broken(loud[-1] if loud else "apprise gives no reason", (url,))


def _be_patient(service: Any) -> None:
    """Apprise waits 4 s, which a mail server in its grey-listing does not keep to."""
    usual = type(service)
    if service.socket_connect_timeout == usual.socket_connect_timeout:
        service.socket_connect_timeout = CONNECT_S
    if service.socket_read_timeout == usual.socket_read_timeout:
        service.socket_read_timeout = READ_S


class _Listener(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        heard = _heard.get()
        if heard is not None:
            heard.said.append((record.levelno, record.getMessage()))


def _apprise() -> ModuleType:
    """Apprise, imported when there is somebody to tell (a second, 36 MB), and overheard."""
    with _loading:
        return _loaded()


@cache
def _loaded() -> ModuleType:
    import apprise
    import requests

    log = logging.getLogger("apprise")
    log.setLevel(logging.DEBUG)  # what failed is said there and nowhere else
    log.propagate = False  # it holds URLs: neither the screen nor a file may see it
    log.addHandler(_Listener())
    send = requests.Session.send

    def overheard(self: requests.Session, *arguments: Any, **options: Any) -> requests.Response:
        response = send(self, *arguments, **options)
        heard = _heard.get()
        if heard is not None:
            heard.status = response.status_code
            heard.retry_after = response.headers.get("Retry-After")
        return response

    requests.Session.send = overheard  # type: ignore[method-assign]
    return apprise
