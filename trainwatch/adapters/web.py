"""One HTTP request with a deadline, for receivers of our own (Alertmanager, a dead-man's switch).

The trap: on a cluster the environment names a proxy, which does not know what is on this machine.
"""

import ipaddress
import urllib.error
import urllib.request
from http.client import HTTPException
from urllib.parse import urlsplit

from trainwatch import __version__
from trainwatch.core.answers import answered, broken
from trainwatch.core.model.telling import Outcome

TIMEOUT_S = 20.0


def request(url: str, data: bytes | None, now: float, timeout_s: float = TIMEOUT_S) -> Outcome:
    """GET the URL, or POST JSON to it. Raises nothing; what it gives back never holds the URL."""
    if urlsplit(url).scheme not in ("http", "https"):
        return Outcome(result="never", why="its URL must begin with http:// or https://")
    headers = {"User-Agent": f"trainwatch/{__version__}", "Content-Type": "application/json"}
    try:
        asked = urllib.request.Request(url, data, headers)  # noqa: S310 - the scheme was looked at
        proxies: dict[str, str] | None = {} if _here(url) else None
        opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies))
        with opener.open(asked, timeout=timeout_s) as response:
            return answered(response.status, None, now)
    except urllib.error.HTTPError as error:
        with error:
            return answered(error.code, error.headers.get("Retry-After"), now)
    except (OSError, ValueError, HTTPException) as error:
        return broken(f"{type(error).__name__}: {error}", (url,))


def _here(url: str) -> bool:
    """Whether the URL is of this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
