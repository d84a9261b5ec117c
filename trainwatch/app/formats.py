"""The log formats that a configuration describes; what reads formats is loaded where it describes any."""

from typing import TYPE_CHECKING

from trainwatch.app.config import Settings

if TYPE_CHECKING:
    from trainwatch.core.logs.format import Format


def own(settings: Settings) -> "list[Format]":
    """The user's own formats. Raises UsageError for a pattern that is none."""
    if not settings.formats:
        return []
    from trainwatch.core.logs import custom

    chosen = settings.formats.items()
    return [custom.build(name, each.pattern, each.contains) for name, each in chosen]
