"""The sync pane: what is sent away, over which routes, how far behind each is, and what went wrong last."""

from typing import NamedTuple

from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui.rows import Cell, Rows, table_line, troubles_of
from trainwatch.app.tui.text import cut, foreign, roughly
from trainwatch.core.model.housekeeping import SyncStatus
from trainwatch.core.model.snapshot import Snapshot

_ROUTE_MOST = 24
_STATE, _LAG, _SIZE, _FILES, _COMMITS, _NEXT = 14, 8, 8, 6, 9, 9  # columns
_ALL_FROM = 112  # columns; below, there is no room for files and the next look
_HEADING = ("route", "state", "lag", "waiting", "sent", "files", "commits/h", "next")
_WORST = "✖▲?◌●"  # signs, the worst first
_NOBODY = "a screen sends nothing: trainwatch watch does, or trainwatch sync"


class State(NamedTuple):
    """How a route does: told by its sign, in a word, and by its colour."""

    sign: str
    said: str
    colour: str


class SyncPane(Rows):
    """A row for each route, then where it leads, and its last error."""

    empty = "nothing is sent away: add a [[sync]] table with name, root, what and to"

    def heading(self, width: int) -> Content | None:
        """The names of the columns."""
        names = _names(self.snapshot)
        return _line(_HEADING, State("", "", ""), _room_of(names), width) if names else None

    def made(self, width: int) -> list[Content]:
        """The worst first; see Rows."""
        snapshot = self.snapshot
        known = {route.route: route for route in snapshot.status.syncs}
        troubles, names = troubles_of(snapshot, "sync"), _names(snapshot)
        if not names:
            return []
        room, rows = _room_of(names), list[Content]()
        states = {
            name: state_of(known.get(name), troubles.get(name, ""), snapshot.taken_at)
            for name in names
        }
        for name in sorted(names, key=lambda name: _WORST.index(states[name].sign)):
            route, trouble, state = known.get(name), troubles.get(name, ""), states[name]
            texts = _texts(name, route, state, snapshot.taken_at)
            rows.append(_line(texts, state, room, width))
            rows += _notes(route, trouble, width)
        if snapshot.watching in ("here", "memory", "nobody"):
            rows.append(foreign(f" {_NOBODY}", width, "$quiet"))
        return rows


def _names(snapshot: Snapshot) -> list[str]:
    """Of the routes."""
    known = (route.route for route in snapshot.status.syncs)
    return list(
        dict.fromkeys((*known, *snapshot.configured.routes, *troubles_of(snapshot, "sync")))
    )


def _room_of(names: list[str]) -> int:
    return min(_ROUTE_MOST, max(len("route"), *map(len, names)))


def state_of(route: SyncStatus | None, trouble: str, now: float) -> State:
    """How it does now."""
    if route is None:
        return State("?", "failed", "$blind") if trouble else State("?", "not tried yet", "$quiet")
    if route.permanent and not route.ok:
        return State("✖", "needs you", "$bad")
    if not route.ok:
        since = now - (route.failing_since if route.failing_since is not None else route.at)
        return State("▲", f"fails {roughly(since)}", "$warn")
    if route.waiting_bytes:
        spent = route.most_commits and (route.commits or 0) >= route.most_commits
        return State("◌", "out of commits" if spent else "more to send", "$bar")
    return State("●", "all sent", "$good")


def _texts(name: str, route: SyncStatus | None, state: State, now: float) -> tuple[str, ...]:
    if route is None:
        return (name, state.said, *([words.DASH] * 6))
    behind = now - route.last_ok_at if route.last_ok_at is not None else None
    soon = None if route.next_at is None else route.next_at - now
    commits = words.DASH
    if route.commits is not None:
        commits = (
            f"{route.commits:,} of {route.most_commits:,}"
            if route.most_commits
            else f"{route.commits:,}"
        )
    return (
        name,
        state.said,
        words.DASH if behind is None else roughly(behind),
        words.DASH if route.waiting_bytes is None else _size(route.waiting_bytes),
        words.DASH if route.sent_bytes is None else _size(route.sent_bytes),
        words.DASH if route.sent_files is None else f"{route.sent_files:,}",
        commits,
        words.DASH if soon is None else f"in {roughly(soon)}" if soon > 0 else "now",
    )


def _line(texts: tuple[str, ...], state: State, room: int, width: int) -> Content:
    name, said, lag, waiting, sent, files, commits, then = texts
    style = "" if not state.sign else "bold"
    cells = [
        Cell(state.sign, 1, f"bold {state.colour}".strip()),
        Cell(name, room, style),
        Cell(said, _STATE, state.colour),
        Cell(lag, _LAG, right=True),
        Cell(waiting, _SIZE, right=True),
        Cell(sent, _SIZE, right=True),
    ]
    if width >= _ALL_FROM:
        cells.append(Cell(files, _FILES, right=True))
    cells.append(Cell(commits, _COMMITS, right=True))
    if width >= _ALL_FROM:
        cells.append(Cell(then, _NEXT, right=True))
    return cut(table_line([*cells, Cell("", 0)], width), width)


def _notes(route: SyncStatus | None, trouble: str, width: int) -> list[Content]:
    notes = list[Content]()
    if route is not None and route.to:
        asked = f"    to {route.to}"
        notes.append(foreign(asked, width, "$quiet"))
    why = trouble or (route.why if route is not None else "")
    if why:
        bad = route is None or not route.ok
        text = f"    last error: {why}" if bad else f"    {why}"
        notes.append(foreign(text, width, "$warn" if bad else "$quiet"))
    return notes


def _size(size: float) -> str:
    return words.short(size, "B") if size else "0 B"
