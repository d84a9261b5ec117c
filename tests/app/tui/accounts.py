"""Accounts of hours as the screen is handed them."""

from msgspec.structs import replace

from tests.app.tui.histories import NOW
from tests.app.tui.runs import HEALTHY
from trainwatch.core.model.goodput import PARTS, Goodput, Hours
from trainwatch.core.model.snapshot import Snapshot

HOUR_S, GPUS = 3600.0, 384
SPENT_H = {
    "train": 412.7,
    "retrain": 21.4,
    "startup": 9.8,
    "save": 12.1,
    "overhead": 0.3,
    "stall": 4.2,
    "after": 17.5,
    "waiting": 61.0,
}
SECONDS = {part: SPENT_H.get(part, 0.0) * HOUR_S for part in PARTS}


def hours(seconds: dict[str, float] = SECONDS, gpus: int | None = GPUS) -> Hours:
    """An account of these seconds, as the scheduler tells them."""
    held = {part: 0.0 if part == "waiting" else s * (gpus or 0) for part, s in seconds.items()}
    told = Goodput(
        begin=NOW - sum(seconds.values()),
        end=NOW,
        seconds=dict(seconds),
        gpu_seconds=held,
        lost_gpu_s={"crashed": 9000 * HOUR_S, "node-failure": 5100 * HOUR_S},
        attempts=34,
        failures=9,
    )
    return Hours(told=told, gpus=gpus, by_scheduler=True)


BY_LOG = replace(hours(), by_scheduler=False)
NO_GPUS = replace(hours(gpus=None), by_scheduler=False)
NO_CLOCK = Hours(why="the log holds no time of day, so that no hour can be accounted for")


def accounted(told: Hours | None) -> Snapshot:
    """A healthy run of which this is known."""
    return replace(HEALTHY, hours=told)
