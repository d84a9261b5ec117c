"""Looks at who is told: a URL is found and understood, a host answers. Nothing is ever sent.

The trap: a GET of a dead-man's switch is a ping, and a URL is a password.
"""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from trainwatch.app import names, urls
from trainwatch.app.doctor.asking import Ask
from trainwatch.app.doctor.eyes import Eyes
from trainwatch.app.doctor.situation import Situation
from trainwatch.app.receivers import ReceiverSettings
from trainwatch.core.doctor import folders, house
from trainwatch.core.doctor.check import Check
from trainwatch.core.errors import UsageError
from trainwatch.core.redact import redact

_REACH_S = 5.0
_LOADING_S = 15.0  # of apprise, on a cold filesystem
_AWAY = "compute nodes often have no way out: run it where trainwatch watches"


def asks(at: Situation, eyes: Eyes) -> Iterator[Ask]:
    """One for each receiver."""
    for name, settings in at.settings.receivers.items():
        within_s = at.within_s(_LOADING_S)
        if settings.kind == "status_log":
            look = partial(_diary, name, settings, at, eyes)
        else:
            look = partial(_receiver, name, settings, eyes, at.within_s(_REACH_S))
        yield Ask(house.ALERTS, name, look, within_s, _AWAY)


def _receiver(
    name: str, settings: ReceiverSettings, eyes: Eyes, within_s: float
) -> Sequence[Check]:
    try:
        url = _url(settings)
    except UsageError as error:
        return [house.receiver(name, settings.kind, str(error))]
    if settings.kind == "apprise":
        return [house.receiver(name, settings.kind, redact(eyes.unfit_url(url), (url,)))]
    reached = redact(eyes.reach(url, within_s), (url,) if settings.kind == "deadman" else ())
    return [house.receiver(name, settings.kind, "", reached=reached)]


def _url(settings: ReceiverSettings) -> str:
    """Raises UsageError."""
    if settings.kind == "alertmanager":
        return settings.url or ""
    if settings.url_env is not None:
        return urls.of_env(settings.url_env, os.environ)
    return urls.of_file(Path(settings.url_file or ""))


def _diary(name: str, settings: ReceiverSettings, at: Situation, eyes: Eyes) -> Sequence[Check]:
    path = names.absolute(settings.path or str(at.site.state_dir / "status.log"))
    do = "name a file in a folder that you may write to: path of the receiver"
    if path.is_dir():
        saw = f"status_log: {path} is a folder"
        return [Check(group=house.ALERTS, name=name, verdict="wrong", saw=saw, do=do)]
    seen = eyes.folder(str(path.parent), False)
    return [folders.usable(house.ALERTS, name, seen, create=True, do=do)]
