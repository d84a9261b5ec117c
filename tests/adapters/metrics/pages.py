"""What the tests of metrics write and serve, and how they look at a folder."""

from pathlib import Path

from msgspec.structs import replace

from tests.core.metrics.making import FULL, WATCHER
from trainwatch.adapters.metrics import OPENMETRICS, PROMETHEUS, text_of
from trainwatch.adapters.metrics.endpoint import Page
from trainwatch.core.metrics.measure import measured

NASTY = replace(FULL, run='a"} 1\n\\n # EOF', log="/other")
FAMILIES = measured([FULL, NASTY], WATCHER)


def page(openmetrics: bool) -> Page:
    form = OPENMETRICS if openmetrics else PROMETHEUS
    return Page(form.content_type, text_of(FAMILIES, form))


def names(folder: Path) -> list[str]:
    """Of what is in it."""
    return sorted(path.name for path in folder.iterdir())
