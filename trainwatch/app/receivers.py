"""Who is told: the tables `[receivers.NAME]` of the configuration.

The trap: a URL of Slack or of a mail server is a password. It stands in the environment or in a file that
nobody else reads, never in the configuration, and no message of ours holds it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from trainwatch.core.errors import UsageError
from trainwatch.core.model.alerts import SEVERITIES, Severity
from trainwatch.core.model.telling import Receiver
from trainwatch.core.patterns import pattern

Kind = Literal["apprise", "alertmanager", "deadman", "status_log"]
_INTERVALS_MIN: Mapping[Kind, float] = {"alertmanager": 1.0, "deadman": 5.0, "status_log": 60.0}
_COOLDOWN_MIN = 30.0
_VARIABLE = pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_COMMON = ("kind", "runs")
_CHOICE = ("min_severity", "severities")
_SECRET = ("url_env", "url_file")
_TAKES: Mapping[Kind, tuple[str, ...]] = {
    "apprise": (*_COMMON, *_CHOICE, *_SECRET, "cooldown_min", "digest_h"),
    "alertmanager": (*_COMMON, *_CHOICE, "url", "interval_min"),
    "deadman": (*_COMMON, *_SECRET, "interval_min"),
    "status_log": (*_COMMON, *_CHOICE, "path", "into_training_log", "interval_min"),
}


class ReceiverSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One receiver. Which keys are for which kind, `check` says."""

    kind: Kind = "apprise"
    url_env: str | None = None
    url_file: str | None = None
    url: str | None = None
    min_severity: Severity | None = None
    severities: tuple[Severity, ...] | None = None
    runs: tuple[str, ...] = ("*",)
    cooldown_min: Annotated[float, msgspec.Meta(ge=0)] | None = None
    digest_h: Annotated[float, msgspec.Meta(gt=0)] | None = None
    interval_min: Annotated[float, msgspec.Meta(ge=0.1, le=1440)] | None = None
    path: str | None = None
    into_training_log: bool = False

    @property
    def interval_s(self) -> float:
        """How often it is pinged, written to, or told again what fires."""
        usual = _INTERVALS_MIN.get(self.kind, 0.0)
        return 60.0 * (usual if self.interval_min is None else self.interval_min)


def check(receivers: Mapping[str, ReceiverSettings], where: str) -> None:
    """Raise UsageError for the first receiver that cannot be meant so. Never quotes a URL."""
    for name, settings in receivers.items():
        problem = _unfit(settings) or _unreachable(settings)
        if problem:
            raise UsageError(f"{where}: receivers.{name}: {problem}")


def receiver(name: str, settings: ReceiverSettings, poll_interval_s: float) -> Receiver:
    """What decides whom to tell when. Alertmanager cannot be told more often than we look."""
    least = SEVERITIES.index(settings.min_severity or "info")
    is_people, forgets = settings.kind == "apprise", settings.kind == "alertmanager"
    cooldown = _COOLDOWN_MIN if settings.cooldown_min is None else settings.cooldown_min
    return Receiver(
        name=name,
        severities=settings.severities or SEVERITIES[least:],
        runs=settings.runs,
        cooldown_s=60.0 * cooldown if is_people else 0.0,
        digest_s=settings.digest_h * 3600.0 if settings.digest_h else None,
        refresh_s=max(settings.interval_s, poll_interval_s) if forgets else None,
    )


def spoil(name: str, settings: ReceiverSettings, log: Path) -> None:
    """Raise UsageError unless a status log is meant to be a training log."""
    if not settings.into_training_log:
        raise UsageError(
            f"receivers.{name}: {log} is a training log; leave out 'path' to have a file of its own, "
            "or set into_training_log = true"
        )


def _unfit(settings: ReceiverSettings) -> str:
    """A key that this kind does not take."""
    takes = _TAKES[settings.kind]
    given = {
        field.name
        for field in msgspec.structs.fields(settings)
        if getattr(settings, field.name) != field.default
    }
    if "url" in given and "url" not in takes:
        return (
            "a URL is a password and does not belong into the configuration: put it into an environment "
            'variable and name that (url_env = "TRAINWATCH_URL"), or into a file of mode 600 (url_file)'
        )
    wrong = sorted(given - set(takes))
    if wrong:
        return f"'{wrong[0]}' is not for kind = \"{settings.kind}\"; it takes {', '.join(takes)}"
    return ""


def _unreachable(settings: ReceiverSettings) -> str:
    """What is missing, or is not what it should be."""
    if settings.min_severity is not None and settings.severities is not None:
        return "name either min_severity or severities"
    if settings.severities == () or settings.runs == ():
        return (
            "an empty list of severities or runs: nobody would be told; leave it out to tell of all"
        )
    if settings.kind == "alertmanager":
        return _unfit_url(settings.url)
    if settings.kind == "status_log":
        return ""
    if (settings.url_env is None) == (settings.url_file is None):
        return "name either url_env or url_file, where its URL is found"
    if settings.url_env is not None and not _VARIABLE.fullmatch(settings.url_env):
        return "url_env is the name of an environment variable, not the URL itself"
    if settings.url_file is not None and "://" in settings.url_file:
        return "url_file is the path of a file, not the URL itself"
    return ""


def _unfit_url(url: str | None) -> str:
    """Alertmanager's URL is no secret, and must not hold one."""
    if not url:
        return 'an Alertmanager needs its url, such as "http://127.0.0.1:9093"'
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "its url is not one"
    if not usable:
        return "its url must begin with http:// or https:// and name a host"
    if "@" in parts.netloc or parts.query:
        return "its url must hold no credentials: this file is no place for them"
    return ""
