"""The tour itself, once for all who walk it: what is pressed, and what must be on the screen then.

A key that is added to the tables without a step here fails a test (test_steps.py).
"""

import re
from typing import NamedTuple

from trainwatch.app.tui.keys import ANYWHERE, FLEET, FLEET_ANYWHERE
from trainwatch.app.tui.theme import NAMES


class Step(NamedTuple):
    """`keys`: names as Textual has them, or whole words to type. All of `shows` (patterns), none of `hides`.

    If `repaints`, what is painted is another picture than before; of a theme that is all there is to see.
    """

    keys: tuple[str, ...]
    shows: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    repaints: bool = False


def is_seen(step: Step, shown: str) -> bool:
    """Whether all that is to be seen is there, and nothing that is not."""
    there = all(re.search(pattern, shown) for pattern in step.shows)
    return there and not any(re.search(pattern, shown) for pattern in step.hides)


class Run(NamedTuple):
    """What is known of a run that is toured."""

    name: str
    target: str
    alerts: tuple[str, ...]  # in the pane of alerts
    sought: str  # in its log, far above the end
    found: str  # the line that it finds
    events: str


DEMO = Run(
    name="demo",
    target="107,597",
    alerts=("no alerts",),
    sought=r"iteration +3/",
    found=r"iteration +3/",
    events=r"validation +1\d\d |checkpoint saved +\d",
)
NAN = Run(
    name="main_log",
    target="115,311",
    alerts=(r"crit\w* +loss-nan", r"firing"),
    sought=r"iteration +31077/",
    found=r"iteration +31077/",
    events=r"critical loss-nan",
)
HOUSE = {
    "checkpoints": (r"last save ", r"plan .* would go|set keep_last"),
    "disks": (r"scratch +bytes .*[GTP]B|scratch +was not asked yet",),
    "sync": (r" logs ", r"route"),
}
# without a configuration: what is missing is said
NO_HOUSE = {
    "checkpoints": (r"last save ", r"set keep_last or path"),
    "disks": (r"no disk is watched: add",),
    "sync": (r"nothing is sent away: add",),
}


OPENED = (r"q quit",)
HELP = "this help"
PALETTE = r"Enter take it"
CHART_KEYS = r"←→ cursor"
LOG_KEYS = r": go to"


def panes(run: Run, house: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """What every pane shows."""
    return {
        "log": (LOG_KEYS,),
        "alerts": run.alerts,
        "queue": (r'not asked: "trainwatch watch" does',),
        **house,
        "hours": (r"where the time went", r"new tokens"),
        "cron": (r"no chain watches this state folder",),
        "events": (run.events,),
        "attempts": (r"# +began +ran +iterations",),
        "run": (r"framework +megatron-deepspeed",),
    }


_OFF = (Step(("escape",), OPENED, (HELP, "search the log: text")),)


def anywhere(run: Run, house: dict[str, tuple[str, ...]]) -> dict[str, tuple[Step, ...]]:
    """What there is to see of every key that is had anywhere on the screen of a run, by its action."""
    shown = panes(run, house)
    lower = {
        key.action: (Step((key.keys,), shown[key.action.partition("'")[2].rstrip("')")]),)
        for key in ANYWHERE
        if key.action.startswith("app.lower(")
    }
    log = Step(("l",), (LOG_KEYS,))
    return {
        **lower,
        "app.keys": (Step(("question_mark",), (HELP,)), *_OFF, Step(("f1",), (HELP,)), *_OFF),
        "app.focus_next": (log, Step(("tab",), (CHART_KEYS,), (LOG_KEYS,))),
        "app.focus_previous": (
            log,
            Step(("tab",), (CHART_KEYS,)),
            Step(("shift+tab",), (LOG_KEYS,)),
        ),
        "app.whole": (
            log,
            Step(("z",), (LOG_KEYS, run.target), (r"[┤│] *[⣀-⣿]|1 loss|── loss",)),
            Step(("z",), (LOG_KEYS, r"loss .*── |1 loss"), ()),
        ),
        "app.search": (
            # what was sought before stands there in the place of the hint
            Step(("slash",), (rf"search the log: text or a regul|{re.escape(run.sought)}",)),
            Step((run.sought, "enter"), (run.found,), ("search the log: text",)),
            Step(("n",), (r"below; N looks above",)),
            Step(("escape", "G"), (LOG_KEYS,), (r"looks above",)),
        ),
        "app.colours": tuple(Step(("t",), (run.target,), repaints=True) for _ in NAMES),
        "app.palette": (Step(("f2",), (PALETTE,)), Step(("escape",), OPENED, (PALETTE,))),
        "app.redraw": (Step(("ctrl+l",), (run.target,)),),
        "app.picture": (Step(("S",), (r"saved /",)), Step(("l",), (LOG_KEYS,))),
        "app.png": (Step(("P",), (r"saved /|needs|font",)), Step(("l",), (LOG_KEYS,))),
        "app.quit": (Step(("q",), (r"left with 0|This screen has ended",)),),
    }


def charts(run: Run) -> tuple[Step, ...]:
    """The charts: a cursor, closer and back, other things that are drawn, from there into the log."""
    del run
    return (
        Step(("l",), (LOG_KEYS,)),
        Step(("tab",), (CHART_KEYS,)),
        Step(("left", "left"), (r" at [\d,]+ [─━]",)),
        Step(("enter",), (LOG_KEYS,)),
        Step(("tab",), (CHART_KEYS,)),
        Step(("plus", "plus"), (CHART_KEYS,), repaints=True),
        Step(("0", "escape"), (CHART_KEYS,), (r" at [\d,]+ [─━]",)),
        Step(("c",), (r"TFLOPs",), repaints=True),
        Step(("x",), (r"loss",), repaints=True),
    )


def places() -> tuple[Step, ...]:
    """Going to a place in the log, and back to its end."""
    return (
        Step(("l",), (LOG_KEYS,)),
        Step(("colon",), (r"an iteration, a share as 50%",)),
        Step(("50%", "enter"), (LOG_KEYS,), ("an iteration, a share",)),
        Step(("G",), (LOG_KEYS,)),
    )


def evidence(run: Run) -> tuple[Step, ...]:
    """All of an alert, where one fires; what can be done about it."""
    if run is DEMO:
        return ()
    return (
        Step(("A",), run.alerts),
        Step(("enter",), (r"what to do", r"Esc close", r"CRITICAL +loss-nan")),
        Step(("escape",), run.alerts, (r"Esc close",)),
        Step(("a",), (r"asked: |acknowledged",)),
        Step(("u",), (r"asked: |nobody has muted",)),
    )


def of_run(run: Run, house: dict[str, tuple[str, ...]]) -> tuple[Step, ...]:
    """All that there is to see of a run, but its end."""
    known = anywhere(run, house)
    wanted = [known[key.action] for key in ANYWHERE if key.action != "app.quit"]
    every = tuple(step for steps in wanted for step in steps)
    return (*every, *charts(run), *places(), *evidence(run))


LEAVING = (Step(("q",), (r"left with 0|This screen has ended",)),)
ALL_RUNS = r" 2 runs"


def opened(run: Run, row: str) -> Step:
    """A run of all: its row is picked from the first one on, and opened."""
    return Step(("home", *(["down"] if row == "second" else []), "enter"), (rf"/ {run.target}",))


BACK = Step(("escape", "escape", "escape"), (ALL_RUNS,), (r"Esc all runs",))


def _fleet_anywhere() -> dict[str, tuple[Step, ...]]:
    """What is had there as on the screen of a run."""
    return {
        "app.keys": (
            Step(("question_mark",), (HELP, "open the run")),
            Step(("escape",), (), (HELP,)),
        ),
        "app.colours": tuple(Step(("t",), (ALL_RUNS,), repaints=True) for _ in NAMES),
        "app.palette": (Step(("f2",), (PALETTE,)), Step(("escape",), (ALL_RUNS,), (PALETTE,))),
        "app.redraw": (Step(("ctrl+l",), (ALL_RUNS,)),),
        "app.picture": (Step(("S",), (r"saved /",)), Step(("escape",), (ALL_RUNS,))),
        "app.png": (Step(("P",), (r"saved /|needs|font",)), Step(("escape",), (ALL_RUNS,))),
    }


def fleet() -> dict[str, tuple[Step, ...]]:
    """What there is to see of every key on the screen of all runs, by its action."""
    second = Step(("end",), (r"› *\S* *main_log|›.*main_log",))
    first = Step(("home",), (r"›.*demo",))
    asks = r"words of a name, project, user"
    return {
        "choose": (),
        "screen.sort": (
            Step(("s",), (r"sort by \(the same again",)),
            Step(
                ("home", "enter"), (ALL_RUNS,), (r"sort by \(", r"by name")
            ),  # else what was before
            Step(("s",), (r"sort by \(the same again",)),
            Step(("home", "down", "enter"), (r"sorted by name",), (r"reversed",)),
        ),
        "screen.turn": (
            Step(("r",), (r"sorted by name, reversed",)),
            Step(("r",), (), ("reversed",)),
        ),
        "screen.filter": (
            Step(("slash",), (asks,)),
            Step(("demo", "enter"), (r"only 'demo': 1 of 2 runs",), (asks,)),
        ),
        "screen.unfilter": (Step(("escape",), (ALL_RUNS,), (r"only 'demo'",)),),
        "screen.group": (
            Step(("g",), (r"by project", r"━━ P1")),
            Step(("g",), (r"by user",)),
            Step(("g",), (), (r"by user",)),
        ),
        "move(-1)": (second, Step(("up",), (r"›.*demo",))),
        "move(1)": (first, Step(("down",), (r"›.*main_log",))),
        "page(-1)": (second, Step(("pageup",), (r"›.*demo",))),
        "page(1)": (first, Step(("pagedown",), (r"›.*main_log",))),
        "edge(0)": (second, first),
        "edge(1)": (first, second),
        **_fleet_anywhere(),
        "app.quit": LEAVING,
    }


def of_all_runs() -> tuple[Step, ...]:
    """All that there is to see of all runs, but opening one and leaving."""
    known = fleet()
    wanted = [known[key.action] for key in (*FLEET, *FLEET_ANYWHERE) if key.action != "app.quit"]
    return tuple(step for steps in wanted for step in steps)
