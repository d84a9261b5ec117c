"""Settings -> where metrics are written and served: the part of app/wire.py for whoever scrapes.

The trap: the library that writes them down is loaded here and only where metrics are configured.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from trainwatch import __version__
from trainwatch.app.config import Settings
from trainwatch.core.model.status import Status

if TYPE_CHECKING:
    from trainwatch.app.exposing import Exposer


def exposer(
    settings: Settings, *, shard: int | None = None, once: bool = False
) -> "Exposer | None":
    """What shows the runs of a daemon; None where nothing is configured. A single tick serves nothing.

    `shard`: which of several watchers this is; each has a file and an address of its own.
    """
    chosen = settings.metrics
    if chosen.textfile is None and (once or chosen.listen is None):
        return None
    from trainwatch.adapters import metrics
    from trainwatch.adapters.metrics.endpoint import Page
    from trainwatch.app.exposing import Exposer, Shown, Written

    shown = Shown()

    def serve(openmetrics: bool) -> Page:
        form = metrics.OPENMETRICS if openmetrics else metrics.PROMETHEUS
        return Page(form.content_type, shown.text(form, metrics.text_of))

    address, path = chosen.address, chosen.path(shard)
    address = address.of_shard(shard or 0) if address is not None else None
    text = partial(shown.text, metrics.PROMETHEUS, metrics.text_of)
    every_s = settings.heartbeat_interval_s
    return Exposer(
        shown,
        __version__,
        door=metrics.Endpoint(address, serve) if address is not None and not once else None,
        door_name=str(address),
        written=Written(metrics.Textfile(path), text, every_s) if path is not None else None,
        labels=chosen.of_shard(shard),
        once=once,
    )


def text(settings: Settings, statuses: Sequence[Status], *, openmetrics: bool) -> str:
    """What would be scraped of these runs. The watcher's heartbeat is the newest of theirs."""
    from trainwatch.adapters import metrics
    from trainwatch.core.metrics.measure import Watcher, measured

    beats = [one.heartbeat_at for one in statuses if one.heartbeat_at is not None]
    labels = settings.metrics.of_shard(None)
    families = measured(statuses, Watcher(__version__, max(beats, default=None), labels))
    form = metrics.OPENMETRICS if openmetrics else metrics.PROMETHEUS
    return metrics.text_of(families, form).decode()
