"""Every key of the screen, in one table: bindings, hints and the help are made from it."""

from typing import NamedTuple

from textual.binding import Binding, BindingType


class Key(NamedTuple):
    """Keys as Textual names them (several with commas), what they do, and how people are told."""

    keys: str
    action: str
    shown: str
    says: str
    hint: str = ""  # a word for the last line of the screen; most keys have none
    writes: bool = False  # changes something outside the screen: nothing that read-only ones do


ANYWHERE = (
    Key("question_mark,f1", "app.keys", "?", "this help", "? help"),
    Key("ctrl+p,f2", "app.palette", "Ctrl P F2", "all that can be done, by words", "^p commands"),
    Key("q,ctrl+c", "app.quit", "q", "leave", "q quit"),
    Key("tab", "app.focus_next", "Tab", "the next panel", "Tab next"),
    Key("shift+tab", "app.focus_previous", "Shift Tab", "the panel before"),
    Key("z", "app.whole", "z", "this panel alone, and back", "z alone"),
    Key("l", "app.lower('log')", "l", "the log"),
    Key("A", "app.lower('alerts')", "A", "the alerts"),
    Key("Q", "app.lower('queue')", "Q", "the queue"),
    Key("p", "app.lower('checkpoints')", "p", "checkpoints, what would go"),
    Key("d", "app.lower('disks')", "d", "the disks"),
    Key("y", "app.lower('sync')", "y", "what is sent away"),
    Key("h", "app.lower('hours')", "h", "where the hours went"),
    Key("C", "app.lower('cron')", "C", "the cron job: chain, scripts"),
    Key("e", "app.lower('events')", "e", "what happened"),
    Key("T", "app.lower('attempts')", "T", "the attempts"),
    Key("r", "app.lower('run')", "r", "what the run is, and how we know"),
    Key("slash", "app.search", "/", "search the log", "/ search"),
    Key("t", "app.colours", "t", "other colours"),
    Key("ctrl+l", "app.redraw", "Ctrl L", "draw all of it anew"),
    Key("S", "app.picture", "S", "save a picture of the screen (SVG)", writes=True),
    Key("P", "app.png", "P", "the same as PNG", writes=True),
)

CHARTS = (
    Key("left", "cursor(-1)", "←", "the cursor to the left"),
    Key("right", "cursor(1)", "→", "the cursor to the right", "←→ cursor"),
    Key("plus,equals_sign,up", "zoom(2.0)", "+ ↑", "closer", "+ closer"),
    Key("minus,underscore,down", "zoom(0.5)", "- ↓", "further away"),
    Key("shift+left,left_square_bracket", "pan(-0.25)", "[ Shift ←", "earlier"),
    Key("shift+right,right_square_bracket", "pan(0.25)", "] Shift →", "later"),
    Key("home", "edge(0)", "Home", "to the first iteration"),
    Key("end", "edge(1)", "End", "to the newest, and stay there"),
    Key("0", "all", "0", "all iterations", "0 all"),
    Key("R", "range", "R", "from-to: 120k-130k, -5000, 50%-60%"),
    Key("1", "metric(1)", "1 … 9", "what is drawn (see the title)"),
    Key("c", "turn(1)", "c", "the next thing that can be drawn", "c more"),
    Key("x", "turn(-1)", "x", "the one before"),
    Key("X", "axis", "X", "against iterations, tokens, time"),
    Key("s", "scale", "s", "log scale, and back", "s log scale"),
    Key("m", "smooth", "m", "smoother: light, strong, off"),
    Key("o", "outliers", "o", "outlying values, too; and back"),
    Key("O", "split", "O", "each attempt a line; and back"),
    Key("v", "compare", "v", "compare with another run"),
    Key("w", "export", "w", "write the view to a table (CSV)", writes=True),
    Key("enter", "log", "Enter", "this iteration in the log", "Enter in log"),
    Key("escape", "no_cursor", "Esc", "no cursor"),
)

LISTS = (
    Key("up,k", "move(-1)", "↑ k", "the line above"),
    Key("down,j", "move(1)", "↓ j", "the line below"),
    Key("pageup,b", "page(-1)", "b PgUp", "a page up"),
    Key("pagedown,space,f", "page(1)", "Space PgDn", "a page down"),
    Key("home,g", "edge(0)", "g Home", "to the beginning"),
    Key("end,G", "edge(1)", "G End", "to the end, and follow the log"),
    Key("enter", "choose", "Enter", "in the log, or all of a cut row", "Enter show in log"),
)

LOG = (
    Key("n", "again(1)", "n", "the next match", "n next"),
    Key("N", "again(-1)", "N", "the match before", "N before"),
    Key("left", "aside(-16)", "←", "long lines: to the left"),
    Key("right", "aside(16)", "→", "long lines: to the right"),
    Key("colon", "go_to", ":", "to an iteration, 50%, 14:30, -2h", ": go to"),
    Key("o", "fold", "o", "noise and repeats folded, or not", "o fold"),
    Key("escape", "stop", "Esc", "stop searching, no marks"),
)

ALERTS = (
    Key("enter", "choose", "Enter", "all of an alert: evidence, advice", "Enter more"),
    Key("a", "acknowledge", "a", "acknowledge it: no repeats", "a ack", writes=True),
    Key("s", "silence", "s", "silence its rule for a time", "s silence", writes=True),
    Key("u", "unmute", "u", "take either back", "u unmute", writes=True),
)

FLEET = (
    Key("enter", "choose", "Enter", "open the run", "Enter open"),
    Key("s", "screen.sort", "s", "what the runs are sorted by", "s sort"),
    Key("r", "screen.turn", "r", "the other way round", "r reverse"),
    Key("slash", "screen.filter", "/", "only those with these words", "/ filter"),
    Key("g", "screen.group", "g", "by project, by user, ungrouped", "g group"),
    Key("escape", "screen.unfilter", "Esc", "all runs again"),
    Key("up,k", "move(-1)", "↑ k", "the run above"),
    Key("down,j", "move(1)", "↓ j", "the run below"),
    Key("pageup,b", "page(-1)", "b PgUp", "a page up"),
    Key("pagedown,space,f", "page(1)", "Space PgDn", "a page down"),
    Key("home", "edge(0)", "Home", "the first run"),
    Key("end,G", "edge(1)", "G End", "the last run"),
)

_OF_RUNS = ("keys", "palette", "quit", "colours", "redraw", "picture", "png")
FLEET_ANYWHERE = tuple(key for key in ANYWHERE if key.action.removeprefix("app.") in _OF_RUNS)

# on the screen of a run that was opened from all runs
BACK = (Key("escape", "app.leave_run", "Esc", "back to all runs", "Esc all runs"),)

FLEET_MOUSE = (
    ("click a column", "sort by it; again: reverse"),
    ("click a run, twice", "pick it; open it"),
    ("wheel", "up, down"),
    ("click a hint", "what its key does"),
)

MOUSE = (
    ("wheel on a chart", "closer, further away"),
    ("drag a chart", "earlier, later"),
    ("click a chart", "the cursor"),
    ("wheel on a list", "up, down"),
    ("click a folded row", "its lines"),
    ("click a tab, a hint", "what its key does"),
)

SECTIONS = (
    ("anywhere", ANYWHERE),
    ("charts", CHARTS),
    ("log and lists", LISTS),
    ("log", LOG),
    ("alerts", ALERTS),
)

# which keys work in which kind of panel, besides those that work anywhere
WHOLE = Key("enter", "choose", "Enter", "all of a row that is cut", "Enter all of it")
_MOVES = tuple(key for key in LISTS if key.action != "choose")
IN = {
    "chart": CHARTS,
    "log": (*LOG, *_MOVES),
    "alerts": (*ALERTS, *_MOVES),
    "list": LISTS,
    "queue": (WHOLE, *_MOVES),
    "fleet": FLEET,
}

# what is over a screen says its keys, too
CLOSE = Key("escape", "dismiss", "Esc", "close", "Esc close")
SCROLL = Key("down", "scroll_down", "↓ ↑", "further down, back", "↓↑ scroll")
PICK = Key("down", "cursor_down", "↓ ↑", "the next one", "↓↑ pick")
TAKE = Key("enter", "choose", "Enter", "this one", "Enter take it")

WRITES = frozenset(
    key.action.removeprefix("app.") for _, table in SECTIONS for key in table if key.writes
)


def allowed(table: tuple[Key, ...], *, read_only: bool) -> tuple[Key, ...]:
    """The keys of a table that do something here."""
    return tuple(key for key in table if not (read_only and key.writes))


def bindings(*tables: tuple[Key, ...]) -> list[BindingType]:
    """The bindings of tables of keys."""
    keys = [key for table in tables for key in table]
    made = [Binding(key.keys, key.action, key.says, show=False) for key in keys]
    if CHARTS in tables:
        made += [Binding(str(n), f"metric({n})", "", show=False) for n in range(2, 10)]
    return [*made]
