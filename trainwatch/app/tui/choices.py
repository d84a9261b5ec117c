"""All that can be done now, in words: what the command palette offers (palette.py).

The trap: names of runs come from others, names of metrics from logs. They are words, and never markup.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.app import App
from textual.dom import DOMNode

from trainwatch.app.tui.keys import Key, allowed
from trainwatch.app.tui.text import harmless
from trainwatch.core.fleet import SORTS, name_order
from trainwatch.core.model.fleet import FleetRow

if TYPE_CHECKING:
    from trainwatch.app.tui.chart.group import Charts
    from trainwatch.app.tui.fleetlist import FleetList
    from trainwatch.app.tui.program import Program

# of no use in a list: the palette itself; what numbers draw, which is there by name
_LEFT_OUT = frozenset({"app.palette", "metric(1)"})
_DIGITS = 10  # metrics that have a key
_NAME = 200  # characters of a name


class Choice(NamedTuple):
    """One thing. `shown` is its key, if it has one here."""

    words: str
    shown: str
    do: Callable[[], object]


def of_keys(app: App[None], keys: Sequence[Key], *, read_only: bool) -> list[Choice]:
    """What keys do, those of the last line first. One that means something else here goes without its key."""
    taken, hinted, others = set[str](), list[Choice](), list[Choice]()
    for key in allowed(tuple(keys), read_only=read_only):
        spellings = set(key.keys.split(","))
        if key.action not in _LEFT_OUT:
            do = partial(app.run_action, key.action, _who(app, key.action))
            made = Choice(_words(key), "" if spellings & taken else key.shown, do)
            (hinted if key.hint else others).append(made)
        taken |= spellings
    return hinted + others


def drawing(charts: "Charts") -> list[Choice]:
    """What can be drawn in the chart that has the keys, else the first one."""
    return [
        Choice(
            f"draw {metric.title}", f"{n}" if n < _DIGITS else "", partial(charts.action_metric, n)
        )
        for n, metric in enumerate(charts.metrics, 1)
    ]


def colours(program: "Program", name: str) -> Choice:
    """A theme."""
    return Choice(f"colours: {name}", "", partial(program.take_colours, name))


def opening(rows: Iterable[FleetRow], go_to: Callable[[FleetRow], Awaitable[None]]) -> list[Choice]:
    """The screen of each run."""
    return [
        Choice(f"open {harmless(row.run[:_NAME])}", "", partial(go_to, row))
        for row in sorted(rows, key=lambda row: name_order(row.run))
    ]


def sorting(runs: "FleetList") -> list[Choice]:
    """All ways to sort."""
    return [Choice(f"sort by {sort.says}", "", partial(runs.sort_by, sort.key)) for sort in SORTS]


def _words(key: Key) -> str:
    """What a key does, with the name of the pane it shows: that is what people look for."""
    _, _, pane = key.action.partition("app.lower('")
    pane = pane.removesuffix("')")
    return key.says if pane in key.says else f"{key.says} ({pane})"


def _who(app: App[None], action: str) -> DOMNode | None:
    """Whose action it is: as for a key, of the nearest one around what has the focus."""
    name = f"action_{action.partition('(')[0]}"
    around = app.screen.focused
    nodes = around.ancestors_with_self if around is not None else ()
    return next((node for node in nodes if hasattr(node, name)), None)
