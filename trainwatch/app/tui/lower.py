"""The lower half: the log, what happened, the attempts, or what the run is."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.style import Style

from trainwatch.app import words
from trainwatch.app.tui.feed import Found
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.lists import About, Attempts, Events
from trainwatch.app.tui.logpanel import LogPanel
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.text import foreign, spread
from trainwatch.core.model.snapshot import Snapshot

PANES = ("log", "events", "attempts", "run")


class Tabs(Panel):
    """The rule above: which pane is shown, and where in the log we are."""

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
            tabs += self._tab(pane, _count(pane, snapshot)) + "  "
        right = self.where + Content.styled(dash * 2, rule)
        blank = width - tabs.cell_length - right.cell_length
        if blank < 1:
            return spread(tabs, right, width)
        return tabs + Content.styled(dash * blank, rule) + right

    def _tab(self, pane: str, count: str) -> Content:
        shown = pane == self.pane
        name = Content.assemble((pane[0], "underline"), pane[1:]) + count
        name = name.stylize("bold" if shown else "$quiet")
        return name.stylize(Style.from_meta({"@click": f"app.lower('{pane}')"}))


class Lower(Vertical):
    """Shows one pane."""

    def compose(self) -> ComposeResult:
        """All of them; one is seen."""
        yield Tabs()
        yield LogPanel(id="log")
        yield Events(id="events")
        yield Attempts(id="attempts")
        yield About(id="run")

    def on_mount(self) -> None:
        """The log first."""
        self.choose("log")

    @property
    def log_panel(self) -> LogPanel:
        """The log."""
        return self.query_one(LogPanel)

    @property
    def shown(self) -> Listing:
        """The pane that is seen."""
        return self.query_one(f"#{self.query_one(Tabs).pane}", Listing)

    def choose(self, pane: str) -> None:
        """Show another pane."""
        tabs = self.query_one(Tabs)
        tabs.pane = pane
        for name in PANES:
            self.query_one(f"#{name}").display = name == pane
        self._renew()

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self.query_one(Tabs).snapshot = snapshot
        for pane in self.query(Listing):
            pane.show(snapshot)
        self._renew()

    def tell(self, found: Found | None, snapshot: Snapshot) -> None:
        """How a search goes, or where in the log we are."""
        text = _place(self.log_panel, snapshot) if found is None else _search(found, snapshot)
        self.query_one(Tabs).where = foreign(f" {text} ", 44, "$quiet") if text else Content("")
        self._renew()

    def light(self) -> None:
        """Show by the rule whether a pane has the keys."""
        self.query_one(Tabs).lit = any(pane.has_focus for pane in self.query(Listing))
        self._renew()

    def _renew(self) -> None:
        self.query_one(Tabs).renew()


def _count(pane: str, snapshot: Snapshot) -> str:
    if pane == "attempts" and len(snapshot.status.attempts) > 1:
        return f" {len(snapshot.status.attempts):,}"
    return ""


def _place(log: LogPanel, snapshot: Snapshot) -> str:
    size = snapshot.page.size
    if snapshot.page.trouble or log.display is False:
        return ""
    if log.follows:
        return f"following, {words.short(size, 'B')}"
    share = log.search_place(up=True) / size if size else 0.0
    return f"{words.percent(share)} of {words.short(size, 'B')}"


def _search(found: Found, snapshot: Snapshot) -> str:
    text = words.clean(found.search.text, 20)
    if found.trouble:
        return found.trouble
    if not found.over:
        share = (found.place or 0) / snapshot.page.size if snapshot.page.size else 0.0
        return f"searching {text}: {words.percent(share, 0)} (Esc stops)"
    where, key = ("above", "n") if found.search.backwards else ("below", "N")
    return f"no {text} {where}; {key} looks the other way"
