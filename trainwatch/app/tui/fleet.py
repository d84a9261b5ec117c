"""The screen of all runs: what they are together, the list, what is known of the picked one, keys.

The trap: it lies over the screen of one run, whose keys must not reach through it: so it is modal.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen

from trainwatch.app import words
from trainwatch.app.tui.fleetcells import brief, summary
from trainwatch.app.tui.fleetfeed import FleetFeed
from trainwatch.app.tui.fleetlist import FleetList
from trainwatch.app.tui.habits import Habits
from trainwatch.app.tui.header import HEALTH
from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.keys import FLEET_ANYWHERE, bindings
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.text import age, cut, foreign, lines, listed
from trainwatch.core import fleet
from trainwatch.core.model.fleet import Fleet, FleetRow, Group
from trainwatch.core.model.snapshot import Snapshot

_CHECK_S = 2.0
_MISSED = 5  # checks without an answer after which reading hangs
_MOST_ALERTS = 6


class FleetTop(Panel):
    """What all runs that are shown are together; what is amiss with seeing them, or left out."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: FleetList | None = None
        self.hangs = False

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """One line, and one for what is to be said beside it."""
        runs = self.runs
        if runs is None or not runs.fleet.at:
            return Content.styled(" reading", "$quiet")
        together = Group(name="", totals=fleet.totals(runs.matches))
        parts = [Content.styled(text, f"bold {style}") for text, style in summary(together)]
        first = Content(" ") + listed(parts, width - 2)
        said = [foreign(text, None, style) for text, style in _remarks(runs, hangs=self.hangs)]
        return lines([first, *([Content(" ") + listed(said, width - 2)] if said else [])])


class FleetDetail(Panel):
    """A rule, and two lines on the picked run."""

    def __init__(self) -> None:
        super().__init__()
        self.row: FleetRow | None = None
        self.now = 0.0

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """Why it is as it is; what fires, what a crash would cost, where its log is."""
        row = self.row
        rule = Content.styled("─" * width, "$faint")
        if row is None:
            return lines([rule, Content(" "), Content(" ")])
        sign, _, colour = HEALTH[row.health]
        why = row.why if row.why != row.phase else ""
        name = foreign(row.run, max(16, width // 3), "bold")
        said = Content.assemble((f" {sign} ", f"bold ${colour}"), name, "  ")
        said += foreign(why, width, f"${colour}")
        parts = [foreign(text, None, style) for text, style in known_of(row, self.now)]
        return lines(
            [rule, cut(said, width), Content(" ") + listed(parts or [Content("")], width - 2)]
        )


class FleetScreen(ModalScreen[None]):
    """All runs."""

    AUTO_FOCUS = "#runs"
    BINDINGS: ClassVar[list[BindingType]] = bindings(FLEET_ANYWHERE)

    def __init__(self, feed: FleetFeed, habits: Habits, *, read_only: bool = False) -> None:
        super().__init__()
        self._feed, self._habits, self._read_only = feed, habits, read_only
        self._missed = 0

    def compose(self) -> ComposeResult:
        """From the top."""
        runs = FleetList(id="runs")
        self._habits.arrange(runs)
        yield FleetTop()
        yield runs
        yield FleetDetail()
        yield Hints("fleet", FLEET_ANYWHERE, read_only=self._read_only)

    def on_mount(self) -> None:
        """Begin."""
        self._top.runs = self.runs
        self.set_interval(_CHECK_S, self._check)

    def on_screen_resume(self) -> None:
        """Somebody looks."""
        self._missed = 0
        self._feed.pause(paused=False)

    def on_screen_suspend(self) -> None:
        """Nobody looks."""
        self._feed.pause(paused=True)

    @property
    def runs(self) -> FleetList:
        """The list."""
        return self.query_one(FleetList)

    def show_fleet(self, seen: Fleet) -> None:
        """Show this from now on."""
        self._missed, self._top.hangs = 0, False
        self.runs.show_fleet(seen)
        self._around()

    def say(self, text: str) -> None:
        """Show a message until a key is pressed."""
        self.query_one(Hints).say(text)

    def on_key(self) -> None:
        """A message has been read once a key is pressed."""
        self.say("")

    def on_fleet_list_viewed(self) -> None:
        """Others are in view: they are read first; another is picked: it is told of."""
        self._feed.want(self.runs.in_view)
        self._around()

    def action_sort(self) -> None:
        """Ask by what."""
        from trainwatch.app.tui.fleetsort import Sorting

        self.app.push_screen(Sorting(self.runs.sort), self._sorted)

    def action_turn(self) -> None:
        """The other way round."""
        self.runs.sort_by(self.runs.sort)

    def action_filter(self) -> None:
        """Ask for what."""
        from trainwatch.app.tui.prompt import Prompting

        asks = "words of a name, project, user, state (critical, waits, ...) or alert"
        self.app.push_screen(Prompting("filter", asks, self.runs.text), self._filtered)

    def action_unfilter(self) -> None:
        """All of them."""
        self._set(text="")

    def action_group(self) -> None:
        """The next way of grouping."""
        ways = fleet.GROUPINGS
        self._set(by=ways[(ways.index(self.runs.by) + 1) % len(ways)])

    def _sorted(self, key: str | None) -> None:
        if key is not None:
            self.runs.sort_by(key)

    def _filtered(self, said: tuple[str, str] | None) -> None:
        if said is not None:
            self._set(text=said[1].strip())

    def _set(self, **chosen: str) -> None:
        for name, value in chosen.items():
            setattr(self.runs, name, value)
        self.runs.rearrange()
        self._around()

    @property
    def _top(self) -> FleetTop:
        return self.query_one(FleetTop)

    def _around(self) -> None:
        """What stands around the list."""
        self._top.renew()
        detail = self.query_one(FleetDetail)
        detail.row, detail.now = self.runs.picked, self.runs.fleet.at
        detail.renew()

    def _check(self) -> None:
        """Whether reading hangs."""
        self._missed += self.is_current
        if self._missed == _MISSED:
            self._top.hangs = True
            self._top.renew()


def _remarks(runs: FleetList, *, hangs: bool) -> list[tuple[str, str]]:
    """What is to be said of what is shown."""
    seen, said = runs.fleet, list[tuple[str, str]]()
    if hangs:
        said.append(("what is shown is old: reading hangs; do the disks answer?", "$blind"))
    if seen.trouble:
        said.append((f"the list of runs is old: {seen.trouble}", "$blind"))
    if seen.unread:
        said.append((f"{seen.unread:,} not read yet", "$blind"))
    if runs.text:
        said.append(
            (f"only '{runs.text}': {len(runs.matches):,} of {len(seen.rows):,} runs", "$warn")
        )
    if runs.by:
        said.append((f"by {runs.by}", "$quiet"))
    if runs.sort != "worst" or runs.turned:
        way = ", reversed" if runs.turned else ""
        said.append((f"sorted by {fleet.BY_KEY[runs.sort].says}{way}", "$quiet"))
    return said


def known_of(row: FleetRow, now: float) -> list[tuple[str, str]]:
    """What else is known of a run, in parts."""
    parts = list[tuple[str, str]]()
    colours = {"critical": "$bad", "warning": "$warn"}
    for alert in row.alerts[:_MOST_ALERTS]:
        muted = f" ({alert.muted})" if alert.muted else ""
        parts.append((f"{alert.rule}{muted}", colours.get(alert.severity, "$quiet")))
    if row.saved_iteration is not None:
        ago = f" {age(now - row.saved_at)} ago" if row.saved_at is not None else ""
        parts.append((f"saved {row.saved_iteration:,}{ago}", "$quiet"))
    if row.hours_at_risk:
        gpu = (
            f" = {words.number(row.gpu_hours_at_risk, 3)} GPU-hours"
            if row.gpu_hours_at_risk
            else ""
        )
        parts.append((f"at risk {brief(row.hours_at_risk * 3600)}{gpu}", "$quiet"))
    for what, where in (("job", row.queue), ("then", row.successor)):
        if where is not None and where.job_id:
            parts.append((f"{what} {where.job_id} {where.word}", "$quiet"))
    if row.gpus:
        parts.append((f"{row.gpus:,} GPUs", "$quiet"))
    named = (("", row.project), ("of ", row.user), ("", row.log))
    return parts + [(f"{label}{text}", "$quiet") for label, text in named if text]
