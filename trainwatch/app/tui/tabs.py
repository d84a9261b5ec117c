"""The rule above the lower half: which pane is shown, where in the log we are, how a search goes."""

from functools import lru_cache, partial

from textual.content import Content
from textual.style import Style

from trainwatch.app import words
from trainwatch.app.tui.alerts import firing
from trainwatch.app.tui.cron import HEALTH
from trainwatch.app.tui.feed import Found
from trainwatch.app.tui.logpanel import LogPanel
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.rows import troubles_of
from trainwatch.app.tui.text import foreign, spread
from trainwatch.core.model.snapshot import Snapshot

PANES = (
    "log", "alerts", "queue", "checkpoints", "disks", "sync", "events", "attempts", "hours", "cron", "run"
)  # fmt: skip
# where it is not the first letter
_KEYS = {"alerts": "A", "attempts": "T", "queue": "Q", "cron": "C", "checkpoints": "p", "sync": "y"}
_SHORT = {"checkpoints": "ckpts"}  # where there is no room
_SHORTER = {
    **_SHORT,
    "attempts": "att",
    "events": "ev",
    "hours": "hrs",
    "disks": "dsk",
    "queue": "que",
}
_SAID = 46  # columns that what is said beside the panes may take


class Tabs(Panel):
    """One line, drawn as a rule."""

    DEFAULT_CSS = "Tabs { height: 1; }"
    auto_links = False  # what can be clicked has the colours that it is given

    def __init__(self) -> None:
        super().__init__()
        self.pane = "log"
        self.lit = False  # a pane has the keys
        self.where = Content("")
        self.urgent = False  # what is said there was asked for

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """One line."""
        rule, dash = ("$bar", "━") if self.lit else ("$faint", "─")
        tabs = Content.styled(f"{dash * 2} ", rule) + self._all(snapshot, width - 3)
        right = self.where + Content.styled(dash * 2, rule)
        blank = width - tabs.cell_length - right.cell_length
        if blank < 1 and not self.urgent:
            right = Content("")  # where in the log we are, the log can do without
            blank = width - tabs.cell_length
        if blank < 1:
            return spread(tabs, right, width)
        return tabs + Content.styled(dash * blank, rule) + right

    def tell(self, found: Found | None, log: LogPanel, snapshot: Snapshot) -> None:
        """Say how a search goes, or where in the log we are."""
        text = _place(log, snapshot) if found is None else _search(found, snapshot)
        self.urgent = found is not None
        self.where = foreign(f" {text} ", _SAID, "$quiet") if text else Content("")
        self.renew()

    def _all(self, snapshot: Snapshot, width: int) -> Content:
        """Beside each other, with as much room between them as there is."""
        marks = {pane: _MARKS.get(pane, partial(_counted, pane))(snapshot) for pane in PANES}
        for names, gap in ({}, "  "), ({}, " "), (_SHORT, " "), (_SHORTER, " "):
            tabs = [
                _tab(pane, names.get(pane, pane), pane == self.pane, marks[pane]) + gap
                for pane in PANES
            ]
            line = Content("").join(tabs)
            if line.cell_length <= width:
                break
        return line


def _tab(pane: str, called: str, shown: bool, mark: Content) -> Content:
    name = _named(pane, called, shown)
    return name + mark.stylize(_press(pane)) if mark.plain else name


@lru_cache(maxsize=256)
def _named(pane: str, called: str, shown: bool) -> Content:
    key = _KEYS.get(pane, pane[0])
    before, _, after = called.partition(key.lower())
    name = Content.assemble(before, (key, "underline"), after)
    return name.stylize("bold" if shown else "$quiet").stylize(_press(pane))


def _press(pane: str) -> Style:
    return Style.from_meta({"@click": f"app.lower('{pane}')"})


def _chain(snapshot: Snapshot) -> Content:
    """What is amiss with the chain."""
    if snapshot.cron is None or snapshot.cron.health == "ok":
        return Content("")
    sign, _, colour = HEALTH[snapshot.cron.health]
    return Content.styled(sign, f"bold ${colour}")


def _amiss(snapshot: Snapshot, what: str, *, bad: bool, warned: bool) -> Content:
    """The worst of what a pane tells, whose rows one may have to scroll to."""
    if bad or warned:
        return Content.styled(*(("✖", "bold $bad") if bad else ("▲", "bold $warn")))
    return Content.styled("?", "bold $blind") if troubles_of(snapshot, what) else Content("")


def _sent(snapshot: Snapshot) -> Content:
    """What is amiss with the routes."""
    failed = [route for route in snapshot.status.syncs if not route.ok]
    return _amiss(
        snapshot, "sync", bad=any(route.permanent for route in failed), warned=bool(failed)
    )


def _full(snapshot: Snapshot) -> Content:
    """What is amiss with the disks."""
    fires = {a.severity for a in snapshot.status.alerts if a.rule == "disk-full"}
    over = any(disk.soft_until is not None for disk in snapshot.status.disks)
    return _amiss(snapshot, "disk", bad="critical" in fires, warned=over or bool(fires))


_MARKS = {"alerts": firing, "cron": _chain, "sync": _sent, "disks": _full}


def _counted(pane: str, snapshot: Snapshot) -> Content:
    status = snapshot.status
    jobs = status.queue.jobs if status.queue is not None else ()
    count = {"attempts": len(status.attempts), "queue": len(jobs)}.get(pane, 0)
    shown = f"·{count:,}" if count > (pane == "attempts") else ""
    return Content.styled(shown, "$quiet")


def _place(log: LogPanel, snapshot: Snapshot) -> str:
    size = snapshot.page.size
    if snapshot.page.trouble or log.display is False:
        return ""
    if log.follows:
        return f"following, {words.short(size, 'B')}"
    share = log.search_place(up=True) / size if size else 0.0
    return f"{words.percent(share)} of {words.short(size, 'B')}"


def _search(found: Found, snapshot: Snapshot) -> str:
    called = words.clean(found.called, 20)
    if found.trouble:
        return found.trouble
    if not found.over:
        return f"searching {called}: {_searched(found, snapshot.page.size)} (Esc stops)"
    if found.search.moment is not None:
        return "no line of the log's end tells a time"
    if found.jump:
        return f"no {called} in the log"
    if found.search.backwards:
        return f"no {called} above; n looks below"
    return f"no {called} below; N looks above"


def _searched(found: Found, size: int) -> str:
    """How much of what is to be searched was: from where it began to the end of the log it goes to."""
    begun, place = found.search.place, found.place or 0
    whole = begun if found.search.backwards else size - begun
    done = min(abs(place - begun), whole)
    return f"{words.percent(done / whole if whole else 1.0, 0)} of {words.short(whole, 'B')}"
