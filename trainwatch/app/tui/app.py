"""The screen itself: one message brings a snapshot, the panels show it. Does no I/O.

The trap: nothing here may animate or tick. Over a slow line, a screen on which nothing happens sends nothing.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Unpack

from textual.app import ComposeResult
from textual.css.query import NoMatches
from textual.events import Event, InputEvent
from textual.message import Message
from textual.widget import Widget

from trainwatch.app.tui.asking import Asking
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.chart.table import lines
from trainwatch.app.tui.choices import Choice, drawing, of_keys
from trainwatch.app.tui.feed import Feed, Seen, Source
from trainwatch.app.tui.habits import of_run
from trainwatch.app.tui.header import Header, ProgressLine
from trainwatch.app.tui.hints import ALONE, Hints, context_of
from trainwatch.app.tui.keys import ANYWHERE, IN, bindings
from trainwatch.app.tui.layout import NORMAL, ROOMY, TALL, WIDE
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.lower import Lower
from trainwatch.app.tui.onlylooking import OnlyLooking
from trainwatch.app.tui.opened import if_opened
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.program import Given
from trainwatch.app.tui.vitals import Vitals
from trainwatch.core.model.snapshot import EMPTY, Wanted

_CHECK_S = 2.0
_MISSED = 5  # checks without a snapshot after which reading hangs


class ScreenApp(Asking):
    """One run."""

    CSS_PATH = "screen.tcss"
    BINDINGS = bindings(ANYWHERE)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - as Textual has it
    VERTICAL_BREAKPOINTS = [(0, "-short"), (NORMAL, "-normal"), (ROOMY, "-roomy"), (TALL, "-tall")]  # noqa: RUF012
    AUTO_FOCUS = "#chart-0"

    class Fresh(Message):
        """A snapshot came."""

        def __init__(self, seen: Seen) -> None:
            super().__init__()
            self.seen = seen

        def can_replace(self, message: Message) -> bool:
            """Where showing takes longer than reading, only the last is shown."""
            return isinstance(message, ScreenApp.Fresh)

    def __init__(
        self,
        source: Source | None,
        *,
        feed: Feed | None = None,
        shown: Callable[["ScreenApp"], None] | None = None,
        **given: Unpack[Given],
    ) -> None:
        """Without a `source` there is no run yet (fleetapp.py). `feed` may read already; `shown` is told of
        paints. The rest is as of any program of ours (program.py).
        """
        super().__init__(**given)
        self.snapshot, self._shown = EMPTY, shown
        self._source, self._feed, self._reads = source, feed, feed is not None
        self._missed, self._holds_back = 0, source is not None

    def compose(self) -> ComposeResult:
        """From the top."""
        if self._source is not None:
            yield from self.panels(self._source)

    def panels(self, source: Source) -> list[Widget]:
        """What the screen of a run is made of."""
        taking = OnlyLooking(source) if self.read_only else source
        charts, lower = Charts(), Lower(taking)
        self.habits.furnish(charts, lower)
        return [
            Header(read_only=self.read_only),
            ProgressLine(),
            Vitals(),
            charts,
            lower,
            self.hints(),
        ]

    def note(self) -> None:
        """Remember what is chosen now."""
        super().note()
        with suppress(NoMatches):
            self.habits.note(of_run(self.query_one(Charts), self._lower.shown.id or ""))

    def hints(self) -> Hints:
        """The last line."""
        return Hints(read_only=self.read_only)

    def on_mount(self) -> None:
        """Begin."""
        self.begin()
        self.leave_in_order()
        self.set_interval(_CHECK_S, self._check)

    def begin(self) -> None:
        """What is shown first."""
        if self._source is not None:
            self.look_at(self._source)

    def look_at(self, source: Source) -> None:
        """Begin to read; the panels are there."""
        self._missed = 0
        reads = self._feed = self._feed or Feed(source, *self.size)
        self._want()
        if not self._reads:
            reads.start()
        seen = reads.attach(lambda seen: self._tell(self.Fresh(seen)))
        if seen is not None:
            self.show(seen)

    async def on_event(self, event: Event) -> None:
        """What a key does is painted before more of the log is read."""
        if self._feed is not None and isinstance(event, InputEvent):
            self._feed.hush()
        await super().on_event(event)

    def was_painted(self) -> None:
        """The first picture of a run is painted before its log is read on; empty panels are none."""
        if self._feed is not None and self.snapshot is not EMPTY and not self.holds_back():
            self._feed.painted()

    def holds_back(self) -> bool:
        """A first layout finds empty panels: nothing is sent until they are filled."""
        if self._holds_back:
            self._holds_back = not all(header.is_made for header in self.query(Header))
        return self._holds_back

    @property
    def opened(self) -> bool:
        """Whether there is a run."""
        return self._feed is not None

    def end_feed(self) -> None:
        """Read no more."""
        if self._feed is not None:
            self._feed.close()
            self._feed = None

    def on_unmount(self) -> None:
        """Stop reading."""
        self.end_feed()

    def on_screen_app_fresh(self, event: Fresh) -> None:
        """A snapshot came."""
        self._missed = 0
        if self.opened:
            self.show(event.seen)

    def show(self, seen: Seen) -> None:
        """Show this from now on."""
        self.snapshot = seen.snapshot
        try:
            self._hand_out(seen)
        except NoMatches:
            return  # it came while the screen was being taken down
        if self._shown is not None:
            self.call_after_refresh(self._shown, self)

    @if_opened
    def on_charts_wanted(self) -> None:
        """Other columns are looked at."""
        self._want()

    @if_opened
    def on_charts_pointed(self, event: Charts.Pointed) -> None:
        """An iteration is to be shown in the log."""
        self._go_to(str(event.iteration))

    def on_charts_said(self, event: Charts.Said) -> None:
        """What became of a key."""
        self.say(event.text)

    def on_charts_exported(self, event: Charts.Exported) -> None:
        """The view is to be kept."""
        self.keep_view(lines(event.view))

    @if_opened
    def on_lower_asked(self) -> None:
        """Another page is looked at."""
        self._want()

    def on_lower_said(self, event: Lower.Said) -> None:
        """What became of a request to the watcher."""
        self.say(event.text)

    @if_opened
    def on_listing_chosen(self, event: Listing.Chosen) -> None:
        """An event or attempt is to be shown in the log."""
        self.action_lower("log")
        self._lower.log_panel.go(event.place)

    @if_opened
    def on_descendant_focus(self) -> None:
        """Another panel has the keys."""
        if len(self.screen_stack) > 1:
            return  # what is over the screen says its keys itself
        self._lower.light()
        hints = self.query_one(Hints)
        hints.say("")
        hints.of(self.focused)

    @if_opened
    def on_key(self) -> None:
        """A message has been read once a key is pressed; others may work then."""
        self.say("")
        self.call_later(self._hint)

    def say(self, text: str) -> None:
        """Show a message until a key is pressed."""
        self.query_one(Hints).say(text)

    def action_keys(self) -> None:
        """Help."""
        from trainwatch.app.tui.help import Help

        self.push_screen(Help(read_only=self.read_only))

    def choices(self) -> list[Choice]:
        """All that can be done now, the focused panel's first."""
        panel, anywhere = IN.get(context_of(self.focused), ()), self.query_one(Hints).everywhere
        keys = of_keys(self, (*panel, *anywhere), read_only=self.read_only)
        return [*keys, *drawing(self.query_one(Charts)), *super().choices()]

    @if_opened
    def action_lower(self, pane: str) -> None:
        """Show a pane of the lower half, and give it the keys; not those of help that was opened since."""
        below = self.default_screen
        below.remove_class("-only-charts")
        self._lower.choose(pane)
        below.set_focus(self._lower.shown)
        self.on_descendant_focus()  # in the same paint, and not in the one after Textual's own word of it
        self._want()

    @if_opened
    def action_whole(self) -> None:
        """The panel that has the keys on the whole screen, and back."""
        panels = self.default_screen
        wanted = ALONE[context_of(panels.focused) != "chart"]
        on = any(panels.has_class(name) for name in ALONE)
        panels.remove_class(*ALONE)
        if not on:
            panels.add_class(wanted)
        self._hint()

    def _hand_out(self, seen: Seen) -> None:
        snapshot = seen.snapshot
        for kind in (Header, ProgressLine, Vitals):
            panel: Panel = self.query_one(kind)
            panel.show(snapshot)
        self.query_one(Charts).show(seen)
        self._lower.show(snapshot)
        self._hint()

    def _hint(self) -> None:
        """The keys that work now."""
        if len(self.screen_stack) == 1:
            with suppress(NoMatches):
                self.query_one(Hints).of(self.focused)

    def _want(self) -> None:
        """Tell the feed what is looked at."""
        charts, log = self.query_one(Charts), self._lower.log_panel
        count = log.lines_wanted(self.size.height) if log.display else 0
        hours = self._lower.shown.id == "hours"
        wanted = Wanted(
            columns=charts.columns(),
            place=log.around,
            lines=count,
            hours=hours,
            other=charts.look.other,
        )
        if self._feed is not None:
            self._feed.want(wanted, charts.looked())

    def _check(self) -> None:
        """Whether reading hangs."""
        self._missed += 1
        if self._missed == _MISSED and self._feed is not None:
            header = self.query_one(Header)
            header.hangs = True
            header.renew()
