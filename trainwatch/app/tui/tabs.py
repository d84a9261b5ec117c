"""The rule above the lower half: which pane is shown, where in the log we are, how a search goes."""

from textual.content import Content
from textual.style import Style

from trainwatch.app import words
from trainwatch.app.tui.alerts import firing
from trainwatch.app.tui.feed import Found
from trainwatch.app.tui.logpanel import LogPanel
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.text import foreign, spread
from trainwatch.core.model.snapshot import Snapshot

PANES = ("log", "alerts", "queue", "events", "attempts", "run")
_KEYS = {"alerts": "A", "queue": "Q"}  # where it is not the first letter
_SAID = 46  # columns that what is said beside the panes may take


class Tabs(Panel):
    """One line, drawn as a rule."""

    DEFAULT_CSS = "Tabs { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.pane = "log"
        self.lit = False  # a pane has the keys
        self.where = Content("")

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """One line."""
        rule, dash = ("$bar", "━") if self.lit else ("$faint", "─")
        tabs = Content.styled(f"{dash * 2} ", rule)
        for pane in PANES:
            tabs += self._tab(pane, snapshot) + "  "
        right = self.where + Content.styled(dash * 2, rule)
        blank = width - tabs.cell_length - right.cell_length
        if blank < 1:
            return spread(tabs, right, width)
        return tabs + Content.styled(dash * blank, rule) + right

    def tell(self, found: Found | None, log: LogPanel, snapshot: Snapshot) -> None:
        """Say how a search goes, or where in the log we are."""
        text = _place(log, snapshot) if found is None else _search(found, snapshot)
        self.where = foreign(f" {text} ", _SAID, "$quiet") if text else Content("")
        self.renew()

    def _tab(self, pane: str, snapshot: Snapshot) -> Content:
        shown = pane == self.pane
        name = Content.assemble((_KEYS.get(pane, pane[0]), "underline"), pane[1:])
        name = name.stylize("bold" if shown else "$quiet")
        name += firing(snapshot) if pane == "alerts" else _counted(pane, snapshot)
        return name.stylize(Style.from_meta({"@click": f"app.lower('{pane}')"}))


def _counted(pane: str, snapshot: Snapshot) -> Content:
    status = snapshot.status
    jobs = status.queue.jobs if status.queue is not None else ()
    count = {"attempts": len(status.attempts), "queue": len(jobs)}.get(pane, 0)
    shown = f" {count:,}" if count > (pane == "attempts") else ""
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
        share = (found.place or 0) / snapshot.page.size if snapshot.page.size else 0.0
        return f"searching {called}: {words.percent(share, 0)} (Esc stops)"
    if found.jump:
        return f"no {called} in the log"
    if found.search.backwards:
        return f"no {called} above; n looks below"
    return f"no {called} below; N looks above"
