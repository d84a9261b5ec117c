"""Settings -> the ways to receivers: the part of app/wire.py for who is told.

The trap: each way has a client of its own, and most people have one receiver. A client is loaded where the
configuration names a receiver of its kind.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainwatch.app import clock
from trainwatch.app.config import RunSettings, Settings

if TYPE_CHECKING:
    from trainwatch.adapters.statuslog import StatusLog
    from trainwatch.app.pulses import Switch
    from trainwatch.app.receivers import ReceiverSettings
    from trainwatch.core.ports import Sender


class Receivers:
    """Those of a configuration: see Ways in app/reaching.py."""

    def __init__(
        self, settings: Settings, state_dir: Path, configured: Callable[[], Sequence[RunSettings]]
    ) -> None:
        """`configured` gives the runs of the configuration, globs resolved."""
        self.settings, self._state_dir, self._configured = settings, state_dir, configured

    def senders(self, runs: Sequence[RunSettings] = ()) -> "dict[str, Sender]":
        """By receiver of changes. `runs` are watched besides the configured ones. Raises as `diaries`."""
        found: dict[str, Sender] = {**self.diaries(runs)}
        for name, settings in self._of_kind("apprise"):
            from trainwatch.adapters.notify import People

            found[name] = People(_url_of(settings), clock.local_utc_offset_s)
        for name, settings in self._of_kind("alertmanager"):
            from trainwatch.adapters import alertmanager, web

            every_s = max(settings.interval_s, self.settings.poll_interval_s)
            found[name] = alertmanager.Alertmanager(settings.url or "", web.request, every_s)
        return found

    def switches(self) -> "dict[str, Switch]":
        """By receiver: the dead-man's switches."""
        found: dict[str, Switch] = {}
        for name, settings in self._of_kind("deadman"):
            from trainwatch.adapters import deadman, web

            found[name] = deadman.Switch(_url_of(settings), web.request)
        return found

    def diaries(self, runs: Sequence[RunSettings] = ()) -> "dict[str, StatusLog]":
        """By receiver: the logs of logs. Raises UsageError for one that would spoil a training log."""
        found: dict[str, StatusLog] = {}
        if not self._of_kind("status_log"):
            return found
        logs = [Path(run.log).expanduser().resolve() for run in (*self._configured(), *runs)]
        for name, settings in self._of_kind("status_log"):
            from trainwatch.adapters import statuslog
            from trainwatch.app.receivers import spoil

            own = self._state_dir / "status.log"
            path = Path(settings.path).expanduser() if settings.path else own
            if path.resolve() in logs:
                spoil(name, settings, path)
            found[name] = statuslog.StatusLog(path, clock.local_utc_offset_s)
        return found

    def _of_kind(self, kind: str) -> "list[tuple[str, ReceiverSettings]]":
        return [(name, one) for name, one in self.settings.receivers.items() if one.kind == kind]


def _url_of(settings: "ReceiverSettings") -> Callable[[], str]:
    """Finds the URL of a receiver, each time anew."""
    from trainwatch.app import urls

    if settings.url_env is not None:
        return partial(urls.of_env, settings.url_env, os.environ)
    return partial(urls.of_file, Path(settings.url_file or ""))
