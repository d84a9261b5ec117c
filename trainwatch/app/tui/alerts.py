"""The alerts: what fires, the worst first; what is silenced; what fired before. Asks the watcher to mute.

The trap: rows come and go while somebody picks one. A key acts on the row that is picked, so that row stays
picked wherever it goes.
"""

from functools import partial
from typing import NamedTuple

from textual.content import Content
from textual.message import Message

from trainwatch.app import alerting, durations, words
from trainwatch.app.tui.keys import ALERTS, bindings
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.text import age, foreign
from trainwatch.app.words import when
from trainwatch.core.journal import severity_of
from trainwatch.core.model.alerts import Alarm, Book, Muted
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.model.state import Event
from trainwatch.core.muting import in_force
from trainwatch.core.telling import since_of

Entry = Alarm | Muted | Event | str  # a row; a text is a remark

COLOURS = {"critical": "$bad", "warning": "$warn"}
_CHANGES = {
    "alert-firing": ("fired", ""),
    "alert-resolved": ("over", "$good"),
    "alert-repeated": ("goes on", "$quiet"),
}
_USUAL_S = 4 * 3600.0  # a silence, where nothing else is said
_UNKNOWN = "not known: nobody watches this run, or its watcher does not judge it"
_HEADING = ("", "alert", "for", "state", "summary", "cost")
_NARROW = 100  # columns; below, a severity has four letters
_NAME, _SUMMARY, _COST = 26, 40, 16  # columns: at most, at least, and where there is room


class Cell(NamedTuple):
    """A text of a row, how wide its column is, and its style."""

    text: str
    width: int
    style: str = ""


class Alerts(Listing):
    """A row for each alert, silence, and change of the past."""

    context = "alerts"
    BINDINGS = bindings(ALERTS)
    empty = _UNKNOWN

    class Wanted(Message):
        """Somebody wants the watcher to do something; `called` is what people call that."""

        def __init__(self, request: AlertRequest, called: str) -> None:
            super().__init__()
            self.request, self.called = request, called

    class Said(Message):
        """Why a key does nothing here."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._entries: list[Entry] = []
        self._book = Book()
        self._longest: list[int] = []  # texts of each column, measured once for all rows

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on; the picked row stays picked as others come and go."""
        picked = self._picked() if self.at else None
        self._book = in_force(snapshot.status.book or Book(), snapshot.taken_at)
        self._entries = entries(snapshot, self._book)
        self._longest = self._measured(snapshot.taken_at)
        if picked is not None:
            wanted = _identity(picked)
            same = (n for n, entry in enumerate(self._entries) if _identity(entry) == wanted)
            self.at = next(same, self.at)
        super().show(snapshot)

    def count(self) -> int:
        """Rows there are."""
        return len(self._entries)

    def heading(self, width: int) -> Content | None:
        """The names of the columns, over alerts."""
        if not any(isinstance(entry, Alarm) for entry in self._entries[:1]):
            return None
        return _line(self._columns(width, *_HEADING))

    def row(self, index: int, width: int) -> Content:
        """One of them."""
        entry, now = self._entries[index], self.snapshot.taken_at
        match entry:
            case Alarm():
                return self._alarm(entry, width)
            case Muted():
                text = foreign(f" {alerting.muted_text(entry, now)}", width)
            case Event():
                text = _change(entry, now, width)
            case _:
                text = foreign(f" {entry}", width, "$quiet")
        return text

    def action_choose(self) -> None:
        """All that is known of the picked one."""
        entry = self._picked()
        if entry is None or isinstance(entry, str):
            return
        from trainwatch.app.tui.evidence import Evidence, told

        self.app.push_screen(Evidence(told(entry, self._book, self.snapshot.taken_at)), self._press)

    def idle(self) -> frozenset[str]:
        """Actions that the picked row is nothing for."""
        entry, idle = self._picked(), set[str]()
        if not isinstance(entry, Alarm) or entry.fired_at is None:
            idle.add("acknowledge")
        if not isinstance(entry, Alarm | Muted):
            idle |= {"silence", "unmute"}
        return frozenset(idle if entry is not None else {*idle, "choose"})

    def action_acknowledge(self) -> None:
        """Ask that it is not repeated."""
        entry = self._picked()
        if not isinstance(entry, Alarm):
            self.post_message(self.Said("pick an alert that fires to acknowledge it"))
        elif entry.fired_at is None:
            self.post_message(self.Said("it is pending: only what fires can be acknowledged"))
        else:
            finding = entry.finding
            name = f"acknowledge {_name(entry)}"
            self._want(name, ask="ack", rule=finding.rule, key=finding.key)

    def action_silence(self) -> None:
        """Ask for how long its rule is to be silent."""
        entry = self._picked()
        if isinstance(entry, Alarm):
            rule = entry.finding.rule
        elif isinstance(entry, Muted):
            rule = entry.rule
        else:
            self.post_message(self.Said("pick an alert to silence its rule"))
            return
        from trainwatch.app.tui.prompt import Prompting

        called = words.clean(rule, _NAME) or "all rules"
        asks = f"silence {called} for how long, and why? Enter alone: 4h"
        self.app.push_screen(Prompting("silence", asks, ""), partial(self._silence, rule))

    def action_unmute(self) -> None:
        """Ask to take back what mutes it."""
        entry = self._picked()
        mutes = [entry] if isinstance(entry, Muted) else []
        if isinstance(entry, Alarm):
            mutes = alerting.mutes_of(entry, self._book)
        if not mutes:
            self.post_message(self.Said("nobody has muted this"))
            return
        rule = mutes[0].rule
        self._want(f"unmute {rule or 'all rules'}", ask="unmute", rule=rule)

    def _silence(self, rule: str, said: tuple[str, str] | None) -> None:
        if said is None:
            return
        length_s, why = how_long(said[1])
        if length_s is None or length_s <= 0:
            self.post_message(self.Said(f"'{said[1]}' says no time; write 4h, 30m or 2d"))
            return
        until = self.snapshot.taken_at + length_s
        called = f"silence {rule or 'all rules'} for {age(length_s)}"
        self._want(called, ask="silence", rule=rule, until=until, why=why)

    async def _press(self, key: str | None) -> None:
        """A key was pressed while all of an alert was shown."""
        if key is not None:
            await self.run_action(key)

    def _want(self, called: str, **asked: object) -> None:
        request = AlertRequest(at=self.snapshot.taken_at, **asked)  # type: ignore[arg-type]
        self.post_message(self.Wanted(request, called))

    def _picked(self) -> Entry | None:
        return self._entries[self.at] if self.at < len(self._entries) else None

    def _alarm(self, alarm: Alarm, width: int) -> Content:
        style = COLOURS.get(alarm.severity, "")
        texts = self._texts(alarm, self.snapshot.taken_at)
        return _line(self._columns(width, *texts, style=style))

    def _measured(self, now: float) -> list[int]:
        rows = [self._texts(entry, now) for entry in self._entries if isinstance(entry, Alarm)]
        longest = [max(map(len, column)) for column in zip(_HEADING, *rows, strict=True)]
        return longest if any(row[5] for row in rows) else [*longest[:5], 0]  # no cost, no column

    def _texts(self, alarm: Alarm, now: float) -> tuple[str, ...]:
        finding = alarm.finding
        length = age(now - since_of(alarm, now))
        state = state_of(alarm, self._book)
        return (alarm.severity, _name(alarm), length, state, finding.summary, finding.cost)

    def _columns(self, width: int, *texts: str, style: str = "") -> list[Cell]:
        """The texts with the widths of their columns; the cost only where there is room."""
        longest = self._longest
        widths = [4 if width < _NARROW else 8, min(_NAME, longest[1]), *longest[2:4]]
        left = width - sum(widths) - 2 * len(widths) - 1
        cost = min(_COST, longest[5]) + 2 if longest[5] else 0
        cost = cost if left >= _SUMMARY + cost else 0
        widths += [max(1, left - cost), max(0, cost - 2)]
        styles = (f"bold {style}".strip(), "bold" if style else "", "", "", "", "")
        cells = [Cell(*cell) for cell in zip(texts, widths, styles, strict=True)]
        return [cell._replace(text=cell.text[:4]) if cell.width == 4 else cell for cell in cells]


def entries(snapshot: Snapshot, book: Book) -> list[Entry]:
    """What the pane lists: alerts, the worst first; silences; the past, the newest first."""
    standing: list[Entry] = [*sorted(book.alarms, key=alerting.order)]
    if not standing:
        standing = ["no alerts" if snapshot.status.book is not None else _UNKNOWN]
    silences = [muted for muted in book.muted if muted.kind == "silenced"]
    past: list[Entry] = ["history", *reversed(snapshot.alerts)] if snapshot.alerts else []
    return [*standing, *silences, *past]


def state_of(alarm: Alarm, book: Book) -> str:
    """Pending or firing; or why nobody is told that it fires, or not again."""
    return "pending" if alarm.fired_at is None else alerting.why_muted(alarm, book) or "firing"


def firing(snapshot: Snapshot) -> Content:
    """How many alerts fire, in the colour of the worst that is not muted; nothing where none do."""
    alerts = snapshot.status.alerts
    loud = {alert.severity for alert in alerts if not alert.muted}
    colour = next((colour for severity, colour in COLOURS.items() if severity in loud), "$quiet")
    return Content.styled(f"·{len(alerts):,}" if alerts else "", f"bold {colour}")


def how_long(text: str) -> tuple[float | None, str]:
    """The seconds and the reason that `4h node 17 is drained` says; the usual time where it says nothing."""
    said = text.split()
    if not said:
        return _USUAL_S, ""
    for stop in range(len(said), 0, -1):
        length_s = durations.seconds(" ".join(said[:stop]))
        if length_s is not None:
            return length_s, " ".join(said[stop:])
    return None, ""


def _identity(entry: Entry) -> object:
    match entry:
        case Alarm():
            return Alarm, entry.finding.rule, entry.finding.key
        case Muted():
            return Muted, entry.kind, entry.rule, entry.key
        case Event():
            return Event, entry.at, entry.kind, entry.text
    return entry


def _name(alarm: Alarm) -> str:
    return f"{alarm.finding.rule} {alarm.finding.key}".rstrip()


def _change(event: Event, now: float, width: int) -> Content:
    name, style = _CHANGES.get(event.kind, (event.kind, ""))
    style = style or COLOURS.get(severity_of(event), "")
    row = Content.styled(f" {when(event.at, now):<17}", "$quiet")
    row += foreign(f"{name:<9}", 9, style)
    return row + foreign(event.text, max(1, width - row.cell_length))


def _line(cells: list[Cell]) -> Content:
    row, blank = Content(""), 1
    for cell in cells:
        if cell.width:
            text = foreign(cell.text, cell.width, cell.style)
            row += Content(" " * blank) + text
            blank = cell.width - text.cell_length + 2
    return row
