"""What is installed beside us: versions of libraries, and whether a place's client can be loaded."""

import importlib.metadata
import sys
from collections.abc import Iterable

from trainwatch.core.redact import redact


def versions(names: Iterable[str]) -> dict[str, str | None]:
    """Of libraries, by name; None where one is not installed."""
    return {name: _version(name) for name in names}


def python() -> tuple[tuple[int, int, int], str]:
    """The Python that runs us: its version, and where it is."""
    return sys.version_info[:3], sys.executable


def client_trouble(url: str) -> str:
    """Why fsspec has no client for a URL; empty if it has one. Loads it."""
    import fsspec

    protocol = url.partition("://")[0]
    try:
        fsspec.get_filesystem_class(protocol)
    except (ImportError, ValueError) as error:
        return redact(str(error))[:200]
    return ""


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
