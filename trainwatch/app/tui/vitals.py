"""How much, how fast, how well it learns, and what a crash now would cost: four groups of a few words."""

import math
from typing import NamedTuple

from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui.layout import WIDE
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.text import age, cut, filled, lines, listed, roughly
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.model.status import CheckpointStatus, Status

_HEIGHT = 4  # lines of a group
_NOTABLE = 0.03  # of the step time: ±1 % is noise
_OVERDUE = 1.5  # save intervals without a save
_LABEL = 10


class Group(NamedTuple):
    """A heading and its parts, the most important first."""

    heading: str
    parts: list[Content]


class Vitals(Panel):
    """The groups: as columns where there is room, else a line each."""

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """Five lines of columns, or four lines."""
        groups = groups_of(snapshot.status, snapshot.taken_at)
        return _columns(groups, width) if width >= WIDE else _rows(groups, width)


def groups_of(status: Status, now: float) -> list[Group]:
    """What is known, in words."""
    return [
        Group("so far", _so_far(status, now)),
        Group("speed", _speed(status)),
        Group("learning", _learning(status)),
        Group("lost" if _is_over(status) else "at risk", _at_risk(status, now)),
    ]


def _rows(groups: list[Group], width: int) -> Content:
    rows = []
    for heading, parts in groups:
        label = Content.styled(f" {heading:<{_LABEL}}", "$quiet")
        room = max(0, width - label.cell_length)
        rows.append(cut(label + listed(parts or [_unknown()], room), width))
    return lines(rows)


def _columns(groups: list[Group], width: int) -> Content:
    each = width // len(groups)
    rows = [Content.styled("".join(f" {g.heading:<{each - 1}}" for g in groups), "$quiet")]
    for number in range(_HEIGHT):
        cells = [_part(group, number) for group in groups]
        rows.append(Content("").join(filled(Content(" ") + cell, each - 1) + " " for cell in cells))
    return lines(rows)


def _part(group: Group, number: int) -> Content:
    if not group.parts and number == 0:
        return _unknown()
    return group.parts[number] if number < len(group.parts) else Content("")


def _unknown() -> Content:
    return Content.styled(words.DASH, "$quiet")


def _value(value: str, unit: str = "", style: str = "bold") -> Content:
    return Content.assemble((f"{value} " if unit else value, style), (unit, "$quiet"))


def _named(name: str, value: str, note: str = "", style: str = "bold") -> Content:
    return Content.assemble((f"{name} ", "$quiet"), _value(value, note, style))


def _so_far(status: Status, now: float) -> list[Content]:
    parts = []
    if status.consumed_tokens is not None:
        parts.append(_value(words.short(status.consumed_tokens).replace("G", "B"), "tokens"))
    if status.consumed_samples is not None:
        parts.append(_value(words.short(status.consumed_samples), "samples"))
    if status.global_batch_size is not None:
        parts.append(_named("batch", words.number(status.global_batch_size), "samples"))
    if status.attempts:
        began = status.attempts[-1].began_at
        known = began is not None and now >= began and not _is_over(status)
        since = f"for {age(now - (began or now))}" if known else ""
        parts.append(_named("attempt", f"{len(status.attempts):,}", since))
    return parts


def _speed(status: Status) -> list[Content]:
    parts = []
    if status.step_time_s is not None:
        value, _, unit = words.step_time(status.step_time_s).partition(" ")
        parts.append(_value(value, unit))
    usual = _against_usual(status)
    if usual is not None:
        parts.append(usual)
    if status.tflops is not None:
        mfu = f", MFU {words.percent(status.mfu)}" if status.mfu is not None else ""
        parts.append(_value(words.number(status.tflops), f"TFLOPs/GPU{mfu}"))
    if status.tokens_per_s is not None:
        parts.append(_value(words.short(status.tokens_per_s), "tokens/s"))
    elif status.samples_per_s is not None:
        parts.append(_value(words.short(status.samples_per_s), "samples/s"))
    return parts


def _against_usual(status: Status) -> Content | None:
    """The speed now against that of the run's own recent past."""
    usual, now = status.usual_step_time_s, status.step_time_s
    if not usual or now is None or not math.isfinite(now / usual):
        return None
    slower = now / usual - 1
    if abs(slower) < _NOTABLE:
        return Content.styled("as usual", "$good")
    word = "slower" if slower > 0 else "faster"
    sign = "▼" if slower > 0 else "▲"
    text = f"{sign} {words.percent(abs(slower))} {word} than usual"
    return Content.styled(text, "bold $warn" if slower > 0 else "$good")


def _learning(status: Status) -> list[Content]:
    parts = []
    if status.loss_is_nan:
        parts.append(_named("loss", "NaN", style="bold $bad"))
    elif status.loss is not None:
        parts.append(_named("loss", words.number(status.loss)))
    if status.grad_norm is not None:
        parts.append(_named("grad norm", words.number(status.grad_norm)))
    if status.learning_rate is not None:
        parts.append(_named("lr", f"{status.learning_rate:.3e}"))
    if status.validation_loss is not None:
        at = status.validation_iteration
        note = f"at {at:,}" if at is not None else ""
        parts.append(_named("validation", words.number(status.validation_loss), note))
    return parts


def _at_risk(status: Status, now: float) -> list[Content]:
    """What is lost if it crashes now."""
    parts = []
    lost, saved = status.iterations_at_risk, status.checkpoint
    at = saved.iteration if saved else None
    colour = "bold $warn" if _is_overdue(status) else "bold"
    if lost == 0:
        parts.append(Content.styled("nothing", "bold $good"))
    if status.hours_at_risk:
        parts.append(_value(words.duration(status.hours_at_risk * 3600), "of work", colour))
    if lost is not None:
        unit = "iterations" if at is not None else "iterations, none saved"
        parts.append(_value(f"{lost:,}", unit))
    if at is not None:
        parts.append(Content.styled(f"checkpoint {at:,}{_saved_ago(saved, now)}", "$quiet"))
    if status.gpu_hours_at_risk:
        parts.append(_value(words.number(status.gpu_hours_at_risk, 3), "GPU-hours", colour))
    return parts


def _saved_ago(saved: CheckpointStatus | None, now: float) -> str:
    if saved is None or saved.at is None or not 0 <= now - saved.at < math.inf:
        return ""
    return f", {roughly(now - saved.at)} ago"


def _is_over(status: Status) -> bool:
    """Whether the last attempt ended before its target."""
    end = status.attempts[-1].end if status.attempts else None
    return end is not None and end != "completed"


def _is_overdue(status: Status) -> bool:
    interval, lost = status.save_interval, status.iterations_at_risk
    return bool(interval) and lost is not None and lost > _OVERDUE * (interval or 0)
