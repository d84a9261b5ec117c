"""Many runs as their screen is handed them, all by hand: the same on every machine and at every time."""

import math
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from tests.app.tui.histories import NOW
from tests.app.tui.hostile import HOSTILE
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource, log_text
from trainwatch.app.tui.fleetapp import FleetApp
from trainwatch.core.model.fleet import Firing, Fleet, FleetRow, Turn
from trainwatch.core.model.snapshot import Snapshot

STALL = Firing(severity="critical", rule="stall")
SLOW = Firing(severity="warning", rule="slow-node", muted="acknowledged")
ALONE = Firing(severity="warning", rule="no-successor")
_H = 3600.0

TRAINS = FleetRow(
    key="tr11-176B-ml-6ed7724e",
    run="tr11-176B-ml",
    log="/gpfs/tr11/main_log.txt",
    project="BigScience",
    user="stas",
    health="ok",
    why="training",
    phase="train",
    iteration=95_000,
    target_iteration=115_311,
    progress=0.8238,
    step_time_s=104.9,
    tflops=149.02,
    loss=1.912,
    eta_s=24.6 * 24 * _H,
    last_progress_at=NOW - 42,
    gpus=384,
    queue=Turn(word="runs", at=NOW + 11.2 * _H, job_id="1809577"),
    successor=Turn(word="waits", at=NOW + 11.3 * _H, job_id="1809578"),
    saved_iteration=94_800,
    saved_at=NOW - 5.8 * _H,
    hours_at_risk=5.83,
    gpu_hours_at_risk=5.83 * 384,
    heartbeat_at=NOW - 5,
)
ROWS = (
    TRAINS,
    replace(
        TRAINS,
        key="b",
        run="tr8b-104B-cl",
        health="critical",
        why="no iteration for 43 min while evaluating; 25 min would be usual",
        phase="evaluate",
        iteration=11_400,
        progress=0.0911,
        loss=None,
        loss_is_nan=True,
        eta_s=None,
        last_progress_at=NOW - 43 * 60,
        alerts=(STALL, SLOW),
        successor=Turn(word="none"),
        hours_at_risk=30.2,
        gpu_hours_at_risk=30.2 * 384,
    ),
    replace(
        TRAINS,
        key="c",
        run="tr13f-6B3-ml-t0",
        user="victor",
        health="warning",
        why="not running: attempt 3 ended (time-limit)",
        phase="exit",
        gpus=64,
        step_time_s=3.21,
        tflops=None,
        queue=Turn(word="held", job_id="77"),
        successor=Turn(word="none"),
        alerts=(ALONE,),
    ),
    replace(
        TRAINS,
        key="d",
        run="llama-8B",
        project="Llamas",
        user="ada",
        health="unknown",
        why="watcher silent for 2 h 3 min (it said: ok)",
        iteration=1_204,
        progress=None,
        eta_s=None,
        step_time_s=0.0454,
        tflops=412.7,
        gpus=512,
        last_progress_at=NOW - 2.1 * _H,
        queue=Turn(word="unknown"),
        successor=Turn(word="unknown"),
        saved_iteration=None,
        hours_at_risk=None,
        gpu_hours_at_risk=None,
    ),
    replace(
        TRAINS,
        key="e",
        run="llama-70B-lr3e-5-a-name-that-is-longer-than-any-column",
        project="Llamas",
        user="ada",
        queue=Turn(word="waits", at=NOW + 2 * _H, job_id="9"),
        successor=Turn(word="none"),
        gpus=1024,
    ),
    replace(
        TRAINS,
        key="f",
        run="tr1-13B",
        why="training is complete",
        phase="exit",
        done=True,
        iteration=115_311,
        progress=1.0,
        eta_s=0.0,
        queue=None,
        successor=None,
        hours_at_risk=0.0,
        gpu_hours_at_risk=0.0,
        last_progress_at=NOW - 40 * 24 * _H,
    ),
    FleetRow(key="g", run="new-run", why="nobody has watched it yet", log="/gpfs/new/main_log.txt"),
    FleetRow(key="h", run="torn", user="eve", why="/state/runs/torn/status.json is damaged"),
)


def wave(n: int, count: int = 12) -> tuple[float, ...]:
    """Speeds: a slow stretch in the middle, and one of which nothing is known."""
    steady = [100 + math.sin(n + at) for at in range(count)]
    steady[6], steady[7] = 84.0, 91.0
    steady[2] = math.nan
    return tuple(steady)


def fleet(rows: Sequence[FleetRow] = ROWS, **other: object) -> Fleet:
    """Runs that were all read, with how fast those were that have a step time."""
    speeds = {row.key: wave(n) if row.step_time_s else () for n, row in enumerate(rows)}
    return replace(Fleet(at=NOW, rows=tuple(rows), speeds=speeds), **other)


def many(count: int = 500) -> Fleet:
    """As many runs as one likes, of a few projects and users."""
    made = [
        replace(
            ROWS[(n * 7) % 6],
            key=f"key-{n}",
            run=f"run-{n}",
            project=f"project {n % 12}",
            user=f"user{n % 30}",
            iteration=100_000 - n,
        )
        for n in range(count)
    ]
    return fleet(made)


def hostile(text: str) -> Fleet:
    """Runs all of whose words are somebody else's."""
    firing = Firing(severity=text, rule=text, muted=text)
    words = dict.fromkeys(("run", "project", "user", "log", "why", "phase"), text)
    rows = [
        replace(row, **words, alerts=(firing,), queue=Turn(word="runs", job_id=text))
        for row in ROWS
    ]
    return fleet(rows, trouble=text)


class FixedFleet:
    """Says the same until it is given something else."""

    def __init__(self, seen: Fleet) -> None:
        self.seen = seen
        self.asked: list[tuple[str, ...]] = []

    def read(self, in_view: Sequence[str] = ()) -> Fleet:
        self.asked.append(tuple(in_view))
        return self.seen


class FixedRun(FixedSource):
    """The screen's source of one run, and whether it was closed."""

    def __init__(self, snapshot: Snapshot = HEALTHY) -> None:
        super().__init__(snapshot, log_text())
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def app_of(
    seen: Fleet | None = None,
    open_run: Callable[[FleetRow], FixedRun] = lambda _: FixedRun(),
    colours: str = "dark",
    **options: object,
) -> FleetApp:
    """The screen of some runs."""
    source = FixedFleet(seen or fleet())
    return FleetApp(source, open_run, colours=colours, **options)  # type: ignore[arg-type]


__all__ = ["HOSTILE", "NOW", "ROWS", "FixedFleet", "FixedRun", "app_of", "fleet", "hostile", "many"]
