"""What the pane of alerts shows and says, and what its watcher is asked for."""

from textual.pilot import Pilot

from tests.app.tui.driving import until
from tests.app.tui.sources import FixedSource
from tests.app.tui.test_keys import part
from trainwatch.app.tui.alerts import Alerts
from trainwatch.app.tui.hints import Hints
from trainwatch.core.model.observations import AlertRequest


def rows(pilot: Pilot[None]) -> list[str]:
    """What the pane shows, line by line."""
    pane = part(pilot, Alerts)
    return [line.rstrip() for line in pane.render().plain.splitlines()]


def said(pilot: Pilot[None]) -> str:
    return part(pilot, Hints).message


async def asked(pilot: Pilot[None], source: FixedSource, *keys: str) -> AlertRequest:
    """What the watcher is asked for after some keys."""
    await pilot.press(*keys)
    await until(pilot, lambda: bool(source.requests), "a request")
    await until(pilot, lambda: said(pilot).startswith("asked: "), "the word on it")
    return source.requests[-1]
