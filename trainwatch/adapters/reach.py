"""Whether somebody listens at a URL's host, without a word to them: a ping that only looks would be a ping.

The trap: where a proxy is the way out, only the proxy is reached, and what is behind it is not known.
"""

import ipaddress
import socket
import urllib.request
from urllib.parse import SplitResult, urlsplit

from trainwatch.core.answers import broken

_PORTS = {"http": 80, "https": 443}


def trouble(url: str, timeout_s: float) -> str:
    """Why nobody can be connected to; empty if somebody can. Raises nothing; never holds the URL."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
        if not host or port is None:
            return "its URL must begin with http:// or https:// and name a host"
        through = _proxy(parts, host)
        if through:
            proxy = urlsplit(through if "://" in through else f"http://{through}")
            host, port = proxy.hostname or "", proxy.port or 80
        with socket.create_connection((host, port), timeout_s):
            return ""
    except (OSError, ValueError) as error:
        return broken(f"{type(error).__name__}: {error}", (url,)).why.replace(
            "it was not sent: ", ""
        )


def _proxy(parts: SplitResult, host: str) -> str:
    """The environment's proxy for it, if it has to go through one."""
    if host == "localhost" or _is_here(host) or urllib.request.proxy_bypass(host):
        return ""
    return urllib.request.getproxies().get(parts.scheme, "")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
