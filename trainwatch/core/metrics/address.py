"""Where an endpoint may listen: on this machine only. What it serves has no password.

The trap: a browser on this machine reaches loopback, too, under any name that an attacker's DNS gives it. So
the Host of a request must name loopback itself.
"""

from typing import NamedTuple

from trainwatch.core.patterns import pattern

_UNIX = "unix:"
_HOST = pattern(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[^][:]+))(?::[0-9]{1,5})?")
MOST_PATH_BYTES = 100  # the kernel takes 107, and the socket has another name for a moment
_MEANT = 'write listen = "127.0.0.1:9464", or listen = "unix:/path/of/a.sock"'
_WHY = (
    "what it serves has no password and is not encrypted, so it is for this machine only. Listen on "
    "127.0.0.1, and let others come through ssh (ssh -L) or a proxy that asks who they are"
)


class Address(NamedTuple):
    """A port of loopback, or where `path` is set, a unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        if self.path:
            return f"{_UNIX}{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def of_shard(self, index: int) -> "Address":
        """That of one of several watchers: the ports that follow, or a socket with its number."""
        if self.path:
            return self._replace(path=f"{self.path}.{index}") if index else self
        return self._replace(port=self.port + index)


def parse(text: str) -> Address:
    """The address that `text` names. Raises ValueError, which says what is wrong and what to write."""
    if text.startswith(_UNIX):
        return _socket(text.removeprefix(_UNIX))
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65536:
        raise ValueError(f"'{text}' is no address and port; {_MEANT}")
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    host = "127.0.0.1" if host == "localhost" else host
    try:
        here = _is_loopback(host)
    except ValueError:
        raise ValueError(
            f"'{host}' is no address of loopback; names are not looked up; {_MEANT}"
        ) from None
    if not here:
        raise ValueError(f"{host} can be reached from elsewhere: {_WHY}")
    return Address(host, int(port))


def _socket(path: str) -> Address:
    if not path.startswith(("/", "~")) or "\0" in path:
        raise ValueError(f"'{path}' must begin with / or ~; {_MEANT}")
    return Address(path=path)


def is_here(host: str) -> bool:
    """Whether the Host of a request names loopback, whatever the port: it may come through a tunnel."""
    found = _HOST.fullmatch(host.strip().lower())
    if found is None:
        return False
    name = found["six"] or found["name"]
    if name == "localhost":
        return True
    try:
        return _is_loopback(name)
    except ValueError:
        return False


def _is_loopback(address: str) -> bool:
    """Raises ValueError where it is no address."""
    from ipaddress import ip_address  # 3 ms that nobody else needs

    return ip_address(address).is_loopback
