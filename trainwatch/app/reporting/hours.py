"""Where the hours of runs went: a page to share, or every value for other programs.

The trap: a log that ended last year has not been waiting since (`until_of`).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from trainwatch.app import clock, words
from trainwatch.app.config import RunSettings
from trainwatch.app.exporting.history import History, history
from trainwatch.app.wire import Site
from trainwatch.core import derived
from trainwatch.core.columns import Columns
from trainwatch.core.errors import LogUnknown, TrainwatchError
from trainwatch.core.goodput import account, until_of
from trainwatch.core.model.goodput import PARTS, Goodput

_HOUR_S = 3600.0
_BY_LOG = (
    "By the log alone: nodes that were held before its first and after its last line are not known."
)
_COLUMNS = ("at_s", "iteration", "step_time_s", "attempt")


class Hours(msgspec.Struct, frozen=True, kw_only=True):
    """The account of a run."""

    run: str
    gpus: int | None
    told: Goodput
    by_scheduler: bool  # which says when nodes were held; else nobody knows but the log


def hours_of(site: Site, run: RunSettings, now: float) -> Hours:
    """The account of a run, its log read up to its end. Raises as `history`, LogUnknown without a clock."""
    with history(site, run, now) as found:
        state = found.state
        gpus = derived.facts_of(state, run.facts()).gpus
        told = account(
            state.attempts,
            _rows(found),
            found.events(),
            state.allocations,
            gpus=gpus or 0,
            until=until_of(state, now),
        )
    if told is None:
        raise LogUnknown(f"{run.log} holds no time of day, so that no hour can be accounted for")
    return Hours(
        run=run.name or Path(run.log).stem,
        gpus=gpus,
        told=told,
        by_scheduler=bool(state.allocations),
    )


def each(site: Site, names: Iterable[str], now: float) -> Iterator[Hours | TrainwatchError]:
    """Of each log or run the account, or why there is none."""
    for name in names:
        try:
            yield hours_of(site, site.run_of(name), now)
        except TrainwatchError as error:  # of one of many
            yield error


def log_bytes(site: Site, name: str) -> int:
    """The size of a run's log, 0 where nobody can say."""
    with suppress(TrainwatchError, OSError):
        return Path(site.run_of(name).log).stat().st_size
    return 0


def markdown(all_hours: Sequence[Hours]) -> str:
    """A section for each run."""
    return "\n".join(_section(hours) for hours in all_hours)


def json(all_hours: Sequence[Hours]) -> str:
    """A list with an object for each run; times in s, GPU-seconds in s."""
    return (
        msgspec.json.format(msgspec.json.encode([_object(hours) for hours in all_hours])).decode()
        + "\n"
    )


def _object(hours: Hours) -> dict[str, Any]:
    told = hours.told
    shares = {"goodput": told.goodput, "held_s": told.held_s, "mtbf_s": told.mtbf_s}
    return {"run": hours.run, "gpus": hours.gpus, **shares, **msgspec.to_builtins(told)}


def _section(hours: Hours) -> str:
    told, has_gpus = hours.told, bool(hours.gpus)
    begin, end = (clock.local(at).strftime("%Y-%m-%d %H:%M") for at in (told.begin, told.end))
    gpus = f", {hours.gpus:,} GPUs" if has_gpus else ""
    length = words.duration(told.end - told.begin)
    failures = (
        f"{told.failures:,} of {told.attempts:,} attempts failed"
        if told.failures
        else "none failed"
    )
    between = f", one in {words.duration(told.mtbf_s)}" if told.mtbf_s else ""
    return "\n".join(
        [
            f"## Goodput of {words.clean(hours.run)}",
            "",
            f"{begin} to {end}: {length}{gpus}, {told.attempts:,} attempts.",
            f"**{words.percent(told.goodput)}** of the time in which nodes were held trained new iterations; "
            f"{failures}{between}.",
            "",
            *_table(told, has_gpus),
            *([] if hours.by_scheduler else ["", _BY_LOG]),
            *_lost(told, has_gpus),
            "",
        ]
    )


def _table(told: Goodput, has_gpus: bool) -> list[str]:
    rows = [("where the time went", "hours", "share", "GPU-hours"), ("---", "--:", "--:", "--:")]
    for part, called in PARTS.items():
        spent_s = told.seconds[part]
        share = words.percent(spent_s / told.held_s) if told.held_s and part != "waiting" else ""
        gpu_h = f"{told.gpu_seconds[part] / _HOUR_S:,.0f}" if part != "waiting" else ""
        rows.append((called, f"{spent_s / _HOUR_S:,.1f}", share, gpu_h))
    gpu_h = f"{sum(told.gpu_seconds.values()) / _HOUR_S:,.0f}"
    rows.append(("nodes held", f"{told.held_s / _HOUR_S:,.1f}", "100 %", gpu_h))
    columns = 4 if has_gpus else 3
    return [f"| {' | '.join(row[:columns])} |" for row in rows]


def _lost(told: Goodput, has_gpus: bool) -> list[str]:
    if not told.lost_gpu_s or not has_gpus:
        return []
    costly = sorted(told.lost_gpu_s.items(), key=lambda item: -item[1])
    rows = [f"| {end} | {gpu_s / _HOUR_S:,.0f} |" for end, gpu_s in costly]
    return ["", "| lost to attempts that ended by | GPU-hours |", "|---|--:|", *rows]


def _rows(found: History) -> Columns:
    """Of each iteration what an account needs."""
    rows = Columns()
    for chunk in found.chunks():
        data = {name: chunk.columns.column(name) for name in _COLUMNS}
        rows.extend(Columns(data, chunk.columns.rows))
    return rows
