"""The cron pane: whether the chain of trainwatch's own job lives, who watches what, and the scripts."""

from typing import NamedTuple

from textual.content import Content

from trainwatch.app import chain, words
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.rows import Fact, labelled, line
from trainwatch.app.tui.text import age, foreign
from trainwatch.app.words import when
from trainwatch.core.model.cron import CronStatus, ScriptStatus, ShardStatus
from trainwatch.core.model.snapshot import Snapshot

# health -> sign, word, colour: told by sign and word, too, for those who see no colour
HEALTH = {
    "ok": ("●", "OK", "good"),
    "warning": ("▲", "WARNING", "warn"),
    "dead": ("✖", "DEAD", "bad"),
    "stopped": ("■", "STOPPED", "warn"),
    "unknown": ("?", "UNKNOWN", "blind"),
}
_OUTCOMES = {
    "ok": "● ",
    "failed": "✖ ",
    "ended": "✖ ",
    "running": "◌ ",
    "submitted": "◌ ",
    "": "  ",
}
_PERIOD, _TIME, _TOOK = 6, 16, 10  # columns of the table of scripts
_NAME_LEAST, _NAME_MOST, _TOLD_LEAST = 20, 44, 20
_EVERY_FROM, _TOOK_FROM, _NEXT_FROM = 70, 90, 100  # columns; below, there is no room for these
_TROUBLES = 20  # the newest of them


class Badge(NamedTuple):
    """The first row."""

    health: str
    text: str


class Heading(NamedTuple):
    """Over the scripts."""


Entry = Fact | Badge | Heading | ScriptStatus


class Cron(Listing):
    """The chain, then a row for each script, the failed ones first."""

    context = "queue"
    empty = chain.NOT_STARTED

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._entries: list[Entry] = []
        self._name_width = _NAME_LEAST  # columns of the longest name

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        cron = snapshot.cron
        self._entries = [] if cron is None else entries(cron, snapshot.taken_at)
        longest = max((len(s.name) for s in cron.scripts), default=0) if cron is not None else 0
        self._name_width = max(_NAME_LEAST, min(_NAME_MOST, longest))
        super().show(snapshot)

    def count(self) -> int:
        """Rows there are."""
        return len(self._entries)

    def row(self, index: int, width: int) -> Content:
        """One of them."""
        entry = self._entries[index]
        match entry:
            case Badge():
                return _badge(entry, width)
            case Fact():
                return labelled(entry, width)
            case Heading():
                names = ("script", "every", "last run", "took", "next run", "  how it ended")
                return line(self._cells(names, width), width).stylize("$quiet")
        return self._script(entry, width)

    def _script(self, script: ScriptStatus, width: int) -> Content:
        now = self.snapshot.taken_at
        every = {"hourly": "hour", "daily": "day"}[script.period]
        took = words.duration(script.took_s) if script.took_s is not None else ""
        last, then = when(script.last_at, now), when(script.next_at, now)
        told = _OUTCOMES[script.outcome] + chain.ended(script)
        style = "$bad" if chain.is_bad(script) else "$good" if script.outcome == "ok" else ""
        return line(self._cells((script.name, every, last, took, then, told), width), width, style)

    def _cells(self, texts: tuple[str, ...], width: int) -> list[tuple[str, int]]:
        """Each column's text and width; the least important left out where it is narrow."""
        name, every, last, took, then, told = texts
        rest = (
            (_EVERY_FROM, every, _PERIOD),
            (0, last, _TIME),
            (_TOOK_FROM, took, _TOOK),
            (_NEXT_FROM, then, _TIME),
        )
        cells = [(text, room) for from_width, text, room in rest if width >= from_width]
        left = width - sum(room + 2 for _, room in cells) - 3 - _TOLD_LEAST
        return [(name, max(8, min(self._name_width, left))), *cells, (told, 0)]


def entries(cron: CronStatus, now: float) -> list[Entry]:
    """What there is to say, the most important first: a small screen has six rows."""
    found: list[Entry] = [Badge(cron.health, _first(cron, now))]
    if cron.why:
        found.append(Fact("why", cron.why, "$" + HEALTH[cron.health][2]))
    if cron.health in ("dead", "stopped"):
        found.append(Fact("to do", f"{chain.START}, if it is to watch again"))
    if not cron.at:
        return found  # nothing else is known
    found += [Fact("running", chain.running(job, now)) for job in cron.running[1:]]
    if cron.successor is not None:
        found.append(Fact("successor", chain.waiting(cron.successor, now)))
    found += [_watcher(shard, cron, now) for shard in cron.shards]
    found += _scripts(cron)
    found.append(Fact("chain", chain.about(cron, now)))
    newest = cron.troubles[: -_TROUBLES - 1 : -1]
    return [*found, *(Fact("trouble", text, "$warn") for text in newest)]


def _first(cron: CronStatus, now: float) -> str:
    """What runs, until when; of a chain that says nothing any more, what it said last."""
    if cron.health not in ("ok", "warning") or not cron.running:
        return chain.sentence(cron, now)
    behind = "" if cron.successor or cron.keeper == "scrontab" else "; no successor"
    return f"job {chain.running(cron.running[0], now)}{behind}"


def _scripts(cron: CronStatus) -> list[Entry]:
    """Those that failed first."""
    if not cron.scripts:
        return [Fact("scripts", "none: what is put into cron.hourly and cron.daily runs")]
    return [Heading(), *sorted(cron.scripts, key=lambda script: not chain.is_bad(script))]


def _watcher(shard: ShardStatus, cron: CronStatus, now: float) -> Fact:
    """A heartbeat; one that is late stands out, whatever the chain says."""
    late = not now - shard.at <= 3 * cron.interval_s
    number = f" {shard.index}" if len(cron.shards) > 1 else ""
    at = f"{shard.host or 'somewhere'}, looked {age(now - shard.at)} ago"
    text = f"{'✖ late: ' if late else ''}{at}; {chain.watches(shard)}"
    return Fact(f"watcher{number}", text, "$bad" if late else "$warn" if shard.left else "")


def _badge(badge: Badge, width: int) -> Content:
    sign, word, colour = HEALTH[badge.health]
    # No colour behind it: a picked row has its own, on which a badge could not be read.
    row = Content(" ") + Content.styled(f"{sign} {word}", f"bold ${colour}") + "   "
    return row + foreign(badge.text, max(1, width - row.cell_length), "bold")
