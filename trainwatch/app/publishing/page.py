"""A run as one page of HTML that needs nothing else: no script, no font, no picture from anywhere.

It is made of a public status and curves only, so what outsiders may not know cannot come into it. Times are
UTC, as nobody knows where they are read. Everything is escaped by the template.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trainwatch.app import words
from trainwatch.app.publishing.curves import Drawn
from trainwatch.app.publishing.drawing import Axis, Chart, by_attempt, chart, has_times
from trainwatch.core.model.goodput import PARTS
from trainwatch.core.model.public import PublicAlert, PublicAttempt, PublicHours, PublicStatus
from trainwatch.core.thinning import Bin

if TYPE_CHECKING:
    from jinja2 import Template

_TEMPLATE = Path(__file__).with_name("page.html")
_MOST_ATTEMPTS, _MOST_ALERTS = 50, 20
_HOUR_S = 3600.0
_LEAST_SHARE = 0.0005  # of the hours, that is worth a row


class Tile(NamedTuple):
    """A number to be seen at once."""

    name: str
    value: str
    more: str = ""


class Part(NamedTuple):
    """A part of the hours."""

    key: str
    meant: str
    hours: str
    share: str
    percent: float | None  # of the bar; None for what was not held


def page(status: PublicStatus, drawn: Drawn, gpus_by_attempt: dict[int, int]) -> str:
    """The page. `gpus_by_attempt`: of attempts (from 0) that had other GPUs than now."""
    attempts = status.last_attempts[::-1][:_MOST_ATTEMPTS]
    more = (status.attempts or 0) - len(attempts)
    return _template().render(
        run=status,
        charts=charts(status, drawn, gpus_by_attempt),
        tiles=_tiles(status),
        facts=_facts(status),
        hours=status.hours,
        parts=_parts(status.hours) if status.hours else (),
        attempts=[_attempt(one, status.health) for one in attempts],
        more_attempts=more if attempts else 0,
        alerts=[_alert(one) for one in status.alerts[:_MOST_ALERTS]],
        past_alerts=[_alert(one) for one in status.past_alerts[::-1][:_MOST_ALERTS]],
        utc=_utc,
        words=words,
    )


def charts(status: PublicStatus, drawn: Drawn, gpus: dict[int, int]) -> Sequence[Chart]:
    """Loss by iteration; tokens a second (or what is nearest to that) and TFLOPs by time, if it is known."""
    batch, step_s = status.global_batch_size, status.step_time_s
    per_sample_rate = step_s / batch if batch and step_s else None
    found: list[Chart | None] = []
    if status.loss_is_nan is not None:  # what is not shown is None
        found.append(chart("Loss", "by iteration", drawn.loss, "iteration"))
    if status.tokens_per_s and per_sample_rate and drawn.rate:
        factor = status.tokens_per_s * per_sample_rate
        found.append(_speed("Throughput", "tokens/s", drawn.rate, factor))
    elif drawn.logged_tokens:
        found.append(_speed("Throughput", "tokens/s", drawn.logged_tokens))
    elif drawn.rate:
        found.append(_speed("Throughput", "samples/s", drawn.rate))
    else:
        found.append(_speed("Throughput", "iterations/s", drawn.pace))
    if status.tflops and drawn.logged_tflops and not (per_sample_rate and drawn.rate):
        found.append(_speed("TFLOPs", "per GPU", drawn.logged_tflops))
    elif status.tflops and per_sample_rate:
        factor, now = status.tflops * per_sample_rate, status.gpus or 0
        ratios = {index: now / had for index, had in gpus.items() if had and now}
        found.append(_speed("TFLOPs", "per GPU", drawn.rate, factor, ratios))
    told = [one for one in found if one is not None]
    return told if status.attempts is not None else [one._replace(restarts="") for one in told]


def _speed(
    title: str,
    unit: str,
    bins: Sequence[Bin],
    factor: float = 1.0,
    ratios: dict[int, float] | None = None,
) -> Chart | None:
    axis: Axis = "time" if has_times(bins) else "iteration"
    scale = by_attempt(ratios or {}, factor)
    return chart(title, unit, bins, axis, scale=scale, from_zero=True)


def _tiles(status: PublicStatus) -> list[Tile]:
    done = f"{words.percent(status.progress)} done" if status.progress is not None else ""
    tokens = status.consumed_tokens
    speed = words.step_time(status.step_time_s) if status.step_time_s is not None else ""
    hours = status.hours
    tiles = [
        Tile("iteration", words.number(status.iteration), done) if status.iteration is not None else None,
        Tile("tokens", words.short(tokens), "trained so far") if tokens is not None else None,
        Tile("loss", words.number(status.loss), _validation(status)) if status.loss is not None else None,
        Tile("loss", "NaN") if status.loss_is_nan and status.loss is None else None,
        Tile("tokens/s", words.short(status.tokens_per_s), speed) if status.tokens_per_s else None,
        Tile("TFLOPs a GPU", words.number(status.tflops, 3), _mfu(status)) if status.tflops else None,
        Tile("goodput", words.percent(hours.goodput), "of node time")
        if hours and hours.goodput is not None
        else None,
    ]  # fmt: skip
    return [tile for tile in tiles if tile is not None]


def _validation(status: PublicStatus) -> str:
    found = status.validation_loss
    return f"validation {words.number(found)}" if found is not None else ""


def _mfu(status: PublicStatus) -> str:
    return f"MFU {words.percent(status.mfu)}" if status.mfu is not None else ""


def _facts(status: PublicStatus) -> list[str]:
    """What does not change, in a line."""
    size = words.short(status.parameters).replace("G", "B") if status.parameters else ""
    gpus = f"{status.gpus:,} {status.gpu_type or 'GPUs'}" if status.gpus else ""
    split = [
        f"{name} {value}"
        for name, value in (
            ("TP", status.tensor_parallel),
            ("PP", status.pipeline_parallel),
            ("DP", status.data_parallel),
        )
        if value is not None
    ]
    seq = f"sequence length {status.seq_length:,}" if status.seq_length else ""
    batch = f"batch {words.number(status.global_batch_size)}" if status.global_batch_size else ""
    named = [f"{size} parameters" if size else "", gpus, " ".join(split), batch, seq]
    named += [status.precision or "", status.framework or ""]
    return [each for each in named if each]


def _parts(hours: PublicHours) -> list[Part]:
    """The parts that took any time, as a bar shows them."""
    found = []
    for key, meant in PARTS.items():
        spent_s = hours.seconds[key]
        share = spent_s / hours.held_s if hours.held_s and key != "waiting" else None
        if spent_s > max(0.0, _LEAST_SHARE * hours.held_s):
            told = words.percent(share) if share is not None else ""
            percent = None if share is None else round(share * 100, 3)
            found.append(Part(key, meant, f"{spent_s / _HOUR_S:,.1f}", told, percent))
    return found


def _attempt(one: PublicAttempt, health: str) -> list[str]:
    """The cells of a row. That one runs can be said only while anything is known."""
    span = ""
    if one.first_iteration is not None and one.last_iteration is not None:
        span = f"{one.first_iteration:,} – {one.last_iteration:,}"
    ran = one.ended_at - one.began_at if one.ended_at and one.began_at else None
    return [
        f"{one.number:,}",
        _utc(one.began_at),
        words.duration(ran) if ran is not None else "",
        span or "none",
        f"{one.lost:,}" if one.lost else "",
        one.end or ("unknown" if health == "unknown" else "running"),
    ]


def _alert(one: PublicAlert) -> dict[str, str]:
    lasted = one.until - one.since if one.until is not None and one.since is not None else None
    return {
        "rule": one.rule,
        "severity": one.severity,
        "since": _utc(one.since),
        "lasted": words.duration(lasted) if lasted is not None else "",
    }


def _utc(at: float | None) -> str:
    """`2026-05-28 13:01`; a dash for a time that no calendar has."""
    if at is None:
        return words.DASH
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return words.DASH


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined  # 10 MB that only a page needs

    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return made.from_string(_TEMPLATE.read_text(encoding="utf-8"))
