"""The lower half: one pane of several (tabs.py lists them). Searches the log.

The trap: what a pane posts while a handler of ours runs ends here, as Textual takes us for its sender.
"""

from importlib import import_module

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from trainwatch.app.tui.alerts import Alerts
from trainwatch.app.tui.attempts import Attempts
from trainwatch.app.tui.cron import Cron
from trainwatch.app.tui.feed import Asker, Finder, Found, Source
from trainwatch.app.tui.hours import HoursPane
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.lists import About, Events
from trainwatch.app.tui.logpanel import LogPanel, marks_of
from trainwatch.app.tui.queue import Queue
from trainwatch.app.tui.tabs import Tabs
from trainwatch.core.model.snapshot import EMPTY, Search, Snapshot

_ACTS = ("its watcher acts on it at its next look", "nobody watches now: whoever does acts on it")


LATE = {
    "checkpoints": "checkpoints:Checkpoints",
    "disks": "disks:DisksPane",
    "sync": "sync:SyncPane",
}


class Lower(Vertical):
    """Shows one pane."""

    class Asked(Message):
        """Another page of the log is needed."""

    class Answer(Message):
        """A search found something, or not, or is on its way."""

        def __init__(self, found: Found) -> None:
            super().__init__()
            self.found = found

    class Said(Message):
        """Something is to be said to who asked for it."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.searched, self.first = "", "log"
        self._finder = Finder(source, lambda found: self._tell(self.Answer(found)))
        self._source = source
        self._found: Found | None = None
        self._snapshot: Snapshot = EMPTY

    def compose(self) -> ComposeResult:
        """Those that cost nothing to load; one is seen."""
        yield Tabs()
        yield LogPanel(id="log")
        yield Alerts(id="alerts")
        yield Queue(id="queue")
        yield Events(id="events")
        yield Attempts(id="attempts")
        yield HoursPane(id="hours")
        yield Cron(id="cron")
        yield About(id="run")

    def on_mount(self) -> None:
        """The log first, or what was shown the last time."""
        self.choose(self.first)

    def on_unmount(self) -> None:
        """No more searching."""
        self._finder.stop()

    @property
    def log_panel(self) -> LogPanel:
        """The log."""
        return self.query_one(LogPanel)

    @property
    def shown(self) -> Listing:
        """The pane that is seen."""
        return self.query_one(f"#{self._tabs.pane}", Listing)

    def choose(self, pane: str) -> None:
        """Show another pane."""
        if pane in LATE and not self.query(f"#{pane}"):
            self._add(pane)
        self._tabs.pane = pane
        for each in self.query(Listing):
            each.display = each.id == pane
        self._say_where()

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self._snapshot = self._tabs.snapshot = snapshot
        for pane in self.query(Listing):
            pane.show(snapshot)
        self._say_where()

    def _add(self, pane: str) -> None:
        """A pane that few ask for is loaded when somebody does."""
        module, _, kind = LATE[pane].partition(":")
        made: Listing = getattr(import_module(f"trainwatch.app.tui.{module}"), kind)(id=pane)
        made.snapshot = self._snapshot
        self.mount(made)

    def light(self) -> None:
        """Show by the rule whether a pane has the keys."""
        self._tabs.lit = isinstance(self.screen.focused, Listing)
        self._tabs.renew()

    def search(self, text: str) -> None:
        """Look for a text or a pattern: upwards from the end of the log, else downwards."""
        self.searched = text
        self._find(up=self.log_panel.follows)

    def jump(self, place: int | Search, called: str) -> None:
        """Show a place, or what is to be searched for; `called` is what people call that."""
        log = self.log_panel
        if isinstance(place, Search):
            log.marks = marks_of(place.text)
            self._finder.find(place, called, jump=True)
        else:
            log.go(place)

    def on_lower_answer(self, event: Answer) -> None:
        """Go where something was found; else say so."""
        found = self._found = event.found
        if found.over and found.place is not None:
            self._found = None
            self.log_panel.go(found.place)
        self._say_where()

    def on_alerts_said(self, event: Alerts.Said) -> None:
        """Pass it on as ours."""
        event.stop()
        self.post_message(self.Said(event.text))

    def on_alerts_wanted(self, event: Alerts.Wanted) -> None:
        """Leave the request for the watcher, and say so once that is done."""
        event.stop()
        self.post_message(self.Said(f"asking: {event.called} ..."))
        done = f"asked: {event.called}; {_ACTS[self._snapshot.watching == 'nobody']}"
        asker = Asker(self._source, lambda why: self._tell(self.Said(why or done)))
        asker.ask(event.request)

    def on_log_panel_asked(self, event: LogPanel.Asked) -> None:
        """Pass it on as ours."""
        event.stop()
        self.post_message(self.Asked())

    def on_log_panel_again(self, event: LogPanel.Again) -> None:
        """The next match."""
        self._find(up=event.direction < 0)

    def on_log_panel_scrolled(self) -> None:
        """Another part is in view: what a search said has been read, unless it is the log that went on."""
        if self._found is None or (self._found.over and not self.log_panel.follows):
            self._found = None
            self._say_where()

    def on_log_panel_stop(self) -> None:
        """Enough of searching."""
        self._finder.stop()
        self._found = None
        self._say_where()

    @property
    def _tabs(self) -> Tabs:
        return self.query_one(Tabs)

    def _find(self, *, up: bool) -> None:
        log, text = self.log_panel, self.searched
        log.marks = marks_of(text)
        log.renew()
        if text:
            wanted = Search(text=text, place=log.search_place(up=up), backwards=up)
            self._finder.find(wanted, f"'{text}'")

    def _tell(self, message: Message) -> None:
        """From another thread; the screen may be gone."""
        if self.is_running:
            self.post_message(message)

    def _say_where(self) -> None:
        self._tabs.tell(self._found, self.log_panel, self._snapshot)
