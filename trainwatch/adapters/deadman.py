"""Pings a dead-man's switch (healthchecks.io, Uptime Kuma, cron-monitoring of any kind).

The trap: only silence says that something is wrong, so a ping may be sent only while the watcher sees.
"""

from collections.abc import Callable

from trainwatch.core.errors import UsageError
from trainwatch.core.model.telling import Outcome


class Switch:
    """One ping URL, which is asked for with each ping."""

    def __init__(
        self, url: Callable[[], str], request: Callable[[str, None, float], Outcome]
    ) -> None:
        """`url` raises UsageError when there is none. `request` GETs (adapters/web.py)."""
        self._url, self._request = url, request

    def ping(self, now: float) -> Outcome:
        """Say that the watcher is well. Raises nothing."""
        try:
            return self._request(self._url(), None, now)
        except UsageError as error:
            return Outcome(result="never", why=str(error))
