"""What somebody chose, carried to the next screen: names and plain values, and where they belong on it.

The trap: they come from a file, of another version perhaps. What is not understood is left alone, silently.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from trainwatch.app.tui.chart.group import MOST
from trainwatch.app.tui.tabs import PANES
from trainwatch.app.tui.text import harmless
from trainwatch.core.fleet import BY_KEY, GROUPINGS

if TYPE_CHECKING:
    from trainwatch.app.tui.chart.group import Charts
    from trainwatch.app.tui.fleetlist import FleetList
    from trainwatch.app.tui.lower import Lower

Values = Mapping[str, object]

_NAME = 80  # characters of a name of something drawn
_TEXT = 200  # of what all runs are filtered by
_NAMES = 64  # in a list
_OF_CHARTS = ("log", "whole")  # sets of metrics in chart.group.Look


class Habits:
    """What was chosen before this screen, and on it."""

    def __init__(self, before: Values | None = None) -> None:
        self.values = dict(before or {})
        self.changed: dict[str, object] = {}  # here, by somebody: only that is worth keeping
        self._shown: dict[str, object] = {}

    def began(self, shown: Values) -> None:
        """What is shown at first, nobody chose here."""
        self._shown.update(shown)

    def note(self, shown: Values) -> None:
        """What is shown now: what differs from before was chosen."""
        for name, value in shown.items():
            if name in self._shown and value != self._shown[name]:
                self._shown[name] = self.values[name] = self.changed[name] = value

    def furnish(self, charts: "Charts", lower: "Lower") -> None:
        """Make the panels of a run as they were, before they are shown."""
        drawn, pane = _names(self.values.get("charts")), self.values.get("pane")
        if drawn is not None and len(drawn) == MOST:
            charts.shown = drawn
        for name in _OF_CHARTS:
            keys = _names(self.values.get(name))
            if keys is not None:
                charts.look = charts.look._replace(**{name: frozenset(keys)})  # type: ignore[arg-type]
        if isinstance(pane, str) and pane in PANES:
            lower.first = pane
        self.began(of_run(charts, lower.first))

    def arrange(self, runs: "FleetList") -> None:
        """Make the list of all runs as it was."""
        sort, by = self.values.get("fleet-sort", runs.sort), self.values.get("fleet-group")
        text, turned = self.values.get("fleet-filter"), self.values.get("fleet-turned")
        if isinstance(sort, str) and sort in BY_KEY:
            runs.sort, runs.turned = sort, turned is True
        if isinstance(by, str) and by in GROUPINGS:
            runs.by = by
        if isinstance(text, str):
            runs.text = harmless(text[:_TEXT])
        self.began(of_fleet(runs))


def of_run(charts: "Charts", pane: str) -> Values:
    """What is chosen on the screen of a run."""
    sets = {name: sorted(getattr(charts.look, name)) for name in _OF_CHARTS}
    return {"charts": list(charts.shown), **sets, "pane": pane}


def of_fleet(runs: "FleetList") -> Values:
    """What is chosen on the screen of all runs."""
    return {
        "fleet-sort": runs.sort,
        "fleet-turned": runs.turned,
        "fleet-filter": runs.text,
        "fleet-group": runs.by,
    }


def _names(value: object) -> list[str] | None:
    """A list of names, if it is one."""
    if not isinstance(value, list) or len(value) > _NAMES:
        return None
    names = [each for each in value if isinstance(each, str) and len(each) <= _NAME]
    return names if len(names) == len(value) else None
