"""A change of the configuration is taken up while we watch; one that cannot be meant so changes nothing.

The trap: what is said of a configuration goes to disk, screens and people. Keys are named, never values.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec.structs import replace

from trainwatch.app import changed, clock, config, names
from trainwatch.app.config import Settings
from trainwatch.app.configfile import ConfigFile, Found
from trainwatch.app.daemon import Daemon
from trainwatch.app.wire import Site
from trainwatch.core.errors import TrainwatchError, UsageError
from trainwatch.core.model.state import Event
from trainwatch.core.patterns import pattern
from trainwatch.core.redact import redact
from trainwatch.core.words import clean

_REST_S = 240.0  # a deed on jobs under way is waited for so long
_AGAIN_S = 60.0  # what is right and cannot be taken up yet is tried again
_URL = pattern(r"([A-Za-z][A-Za-z0-9+.-]*://)[^\s'\"]+")
# Lines are read by the first two: half a log by others is neither. The third holds an open port.
_STAY = ("formats", "log_utc_offset_h", "metrics")
_LONGEST = 500


class Taker(Protocol):
    """See app/renewing.py."""

    daemon: Daemon
    site: Site

    def take(self, site: Site, now: float) -> Sequence[str]:
        """Go by these settings from now on. Raises TrainwatchError; then all is as it was."""
        ...


class Reload:
    """Looks at the configuration beside the ticks of a loop, and takes up what is right."""

    def __init__(
        self,
        taker: Taker,
        file: ConfigFile | None,
        say: Callable[[str], None],
        *,
        now: float,
        is_job: bool = False,
    ) -> None:
        """`file` None: there is none to look at. `is_job`: of the chain, whose [cron] stays."""
        self._taker, self._file, self._say = taker, file, say
        self._path = file.path if file is not None else ""
        self.took: Callable[[Site], None] = lambda _: (
            None
        )  # told of what is in force after a change
        self._is_job, self._since = is_job, now
        self._wanted = (
            taker.site.settings
        )  # as they stand in the file, with what cannot be taken up
        self._pending: Settings | None = None
        self._pending_since = self._again_at = now
        self._trouble = ""
        self._standing: tuple[str, ...] = ()  # what waits for a restart, and what is left out

    def tick(self, now: float) -> None:
        """Look if it is time; change what is in force if that is called for. Raises nothing."""
        try:
            found = self._file.tick(now) if self._file is not None else None
            if found is not None:
                self._hear(found, now)
            if self._pending is not None and self._may_take(now):
                self._take(self._pending, now)
        except TrainwatchError as error:
            self._refuse(str(error), now)
        except Exception as error:  # noqa: BLE001 - a bug here must not end the watch of the logs
            self._pending = None
            self._refuse(f"{self._path}: taking it up failed with {type(error).__name__}", now)

    def close(self) -> None:
        """Let go."""
        if self._file is not None:
            self._file.close()

    def _hear(self, found: Found, now: float) -> None:
        """Raises UsageError for what cannot be meant so."""
        self._pending = None
        if found.trouble:
            raise UsageError(found.trouble)
        settings = config.parse(found.text, self._path)
        if settings == self._wanted:
            self._mend(now)
            return
        self._pending, self._pending_since, self._again_at = settings, now, now

    def _may_take(self, now: float) -> bool:
        """A deed on jobs that is under way must be heard of by whoever began it."""
        hands = self._taker.daemon.beside.hands
        if hands is not None and hands.busy and 0 <= now - self._pending_since < _REST_S:
            return False
        return not 0 <= self._again_at - now <= _AGAIN_S or now >= self._again_at

    def _take(self, settings: Settings, now: float) -> None:
        """Raises TrainwatchError."""
        self._again_at = now + _AGAIN_S
        before = self._taker.site
        waits = self._waits(before, settings)
        held = {key: getattr(before.settings, key) for key in ("state_dir", *waits)}
        site = Site(replace(settings, **held), before.state_dir, config_path=before.config_path)
        keys = changed.names(self._wanted, settings)
        left = self._taker.take(site, now)
        self._wanted, self._pending, self._since = settings, None, now
        self._standing = (*waits.values(), *map(self._plain, left))
        words = "; ".join((f"{changed.in_words(keys)} changed in {self._path}", *self._standing))
        self._trouble = ""
        self._tell("config-changed", words, now)
        self.took(site)

    def _waits(self, before: Site, settings: Settings) -> dict[str, str]:
        """What cannot change while we watch: by key, in words."""
        told = {
            key: f"{key} takes a restart"
            for key in _STAY
            if getattr(settings, key) != getattr(before.settings, key)
        }
        if _is_moved(before, settings):
            told["state_dir"] = "state_dir takes a restart"
        if self._is_job and settings.cron != before.settings.cron:
            told["cron"] = "[cron] holds from the chain's next job on"
        return told

    def _mend(self, now: float) -> None:
        """The file is again as what is in force."""
        if self._trouble:
            self._trouble = ""
            words = f"{self._path} is right again, and as it was at {_time(self._since)}"
            self._tell("config-mended", words, now)

    def _refuse(self, why: str, now: float) -> None:
        told = f"{self._plain(why)}; the settings of {_time(self._since)} stay in force"
        if told != self._trouble:
            self._trouble = told
            self._tell("config-refused", told, now)

    def _tell(self, kind: str, words: str, now: float) -> None:
        """Once: in every journal and to whoever started us. The trouble stands until it is mended."""
        words, daemon = clean(words, _LONGEST), self._taker.daemon
        self._say(f"trainwatch: {words}")
        daemon.remarks = (*([self._trouble] if self._trouble else []), *self._standing)
        for run in daemon.runs:
            if run not in daemon.given_up:
                run.note(Event(at=now, kind=kind, text=words))

    @staticmethod
    def _plain(why: str) -> str:
        """Without secrets: what is wrong may quote a value, and a URL is one."""
        return clean(_URL.sub(r"\1***", redact(why)), _LONGEST - 100)


def file_of(site: Site) -> ConfigFile | None:
    """The file that a configuration came from; None where there is none."""
    path = site.config_path
    return ConfigFile(lambda: config.read(path), str(path)) if path is not None else None


def _is_moved(before: Site, settings: Settings) -> bool:
    """Whether the state would be elsewhere; what the command line says of it stands above both."""
    was, wanted = config.state_dir(before.settings, None), config.state_dir(settings, None)
    here = names.absolute(str(before.state_dir))
    return names.absolute(str(was)) == here != names.absolute(str(wanted))


def _time(at: float) -> str:
    return f"{clock.local(at):%H:%M on %d %B}"
