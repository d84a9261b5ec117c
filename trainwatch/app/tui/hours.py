"""The hours pane: of the time that nodes were held, how much trained new tokens, and where the rest went."""

from typing import NamedTuple

from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.text import foreign
from trainwatch.app.words import when
from trainwatch.core.model.goodput import PARTS, Goodput, Hours
from trainwatch.core.model.snapshot import Snapshot

_HOUR_S = 3600.0
_CALLED = {
    "train": "new tokens",
    "retrain": "trained again",
    "startup": "starting up",
    "evaluate": "evaluation",
    "save": "saving",
    "stall": "stalls",
    "overhead": "between iterations",
    "after": "dead or shutting down",
    "waiting": "waiting for nodes",
}
_ADDING = "adding up where the hours went ..."
_BY_LOG = "by the log alone: nodes held before its first and after its last line are unknown"
_HEADING = ("where the time went", "hours", "share", "GPU-hours")
_NAME, _HOURS, _SHARE, _GPU_HOURS = 22, 9, 8, 12  # columns
_BAR, _MEANT_FROM = 40, 130  # the longest bar; columns from which there is room for what is meant
_EIGHTHS = " ▏▎▍▌▋▊▉"


class Spent(NamedTuple):
    """A part of the time; its share of the held time, None for what was not held."""

    part: str
    seconds: float
    share: float | None
    gpu_s: float


Entry = Spent | str | None  # a text is a sentence; None: the names of the columns


class HoursPane(Listing):
    """A sentence, a row for each part, and what failures cost."""

    context = "queue"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._entries: list[Entry] = [_ADDING]
        self._hours: Hours | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        hours = self._hours = snapshot.hours
        self._entries = [_ADDING] if hours is None else entries(hours, snapshot.taken_at)
        super().show(snapshot)

    def count(self) -> int:
        """Rows there are."""
        return len(self._entries)

    def row(self, index: int, width: int) -> Content:
        """One of them."""
        entry = self._entries[index]
        if isinstance(entry, str):
            return foreign(f" {entry}", width, "bold" if not index else "$quiet")
        has_gpus = self._hours is not None and bool(self._hours.gpus)
        if entry is None:
            return _line(_HEADING, has_gpus).stylize("$quiet")
        share = words.percent(entry.share) if entry.share is not None else ""
        gpu_h = f"{entry.gpu_s / _HOUR_S:,.0f}" if entry.share is not None else ""
        texts = (_CALLED[entry.part], f"{entry.seconds / _HOUR_S:,.1f}", share, gpu_h)
        row = _line(texts, has_gpus) + "  "
        has_room = width >= _MEANT_FROM
        if entry.share is None:
            row = row.pad_right(_BAR + 2) if has_room else row
            return row + foreign(self._waited(), max(1, width - row.cell_length), "$quiet")
        room = _BAR if has_room else min(_BAR, width - row.cell_length - 1)
        row += Content.styled(
            _bar(entry.share, room), "$good" if entry.part == "train" else "$warn"
        )
        if not has_room:
            return row
        row = row.pad_right(max(0, _row_width(has_gpus) + _BAR - row.cell_length))
        return row + Content.styled(f"  {PARTS[entry.part]}", "$quiet")

    def _waited(self) -> str:
        known = self._hours is not None and self._hours.by_scheduler
        return "queue, or not submitted" if known else "queue: unknown, no Slurm"


def entries(hours: Hours, now: float) -> list[Entry]:
    """The sentence, then the parts, the longest first; last what there was none of."""
    told = hours.told
    if told is None:
        return [hours.why or "unknown"]
    spent = [
        Spent(part, told.seconds[part], _share(told, part), told.gpu_seconds[part])
        for part in PARTS
        if told.seconds[part] > 0
    ]
    spent.sort(key=lambda one: (one.share is None, one.part != "train", -one.seconds))
    none = [_CALLED[part] for part in PARTS if not told.seconds[part] > 0]
    return [
        _sentence(told),
        None,
        *spent,
        *([_lost(told)] if told.lost_gpu_s and hours.gpus else []),
        *([] if hours.by_scheduler else [_BY_LOG]),
        _period(hours, told, now),
        *([f"nothing went to: {', '.join(none)}"] if none else []),
    ]


def _share(told: Goodput, part: str) -> float | None:
    return told.seconds[part] / told.held_s if told.held_s and part != "waiting" else None


def _sentence(told: Goodput) -> str:
    """What counts, in a line."""
    failed = "no attempt failed"
    if told.failures:
        mtbf = f", one in {words.duration(told.mtbf_s)}" if told.mtbf_s else ""
        failed = f"{told.failures:,} of {told.attempts:,} attempts failed{mtbf}"
    return f"{words.percent(told.goodput)} trained new tokens; {failed}"


def _lost(told: Goodput) -> str:
    costly = sorted(told.lost_gpu_s.items(), key=lambda item: -item[1])
    causes = ", ".join(f"{end.replace('-', ' ')} {gpu_s / _HOUR_S:,.0f}" for end, gpu_s in costly)
    return f"GPU-hours lost to failures: {causes}"


def _period(hours: Hours, told: Goodput, now: float) -> str:
    gpus = f", on {hours.gpus:,} GPUs" if hours.gpus else ""
    held = f"nodes held for {words.duration(told.held_s)}{gpus}"
    return f"from {when(told.begin, now)} to {when(told.end, now)}: {held}"


def _bar(share: float, width: int) -> str:
    """As long as the share, to an eighth of a column; the least there is for what is not nothing."""
    if width < 1:
        return ""
    eighths = max(1, round(min(1.0, max(0.0, share)) * width * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _line(texts: tuple[str, str, str, str], has_gpus: bool) -> Content:
    name, *numbers = texts
    cells = "".join(
        f"{text:>{room}}" for text, room in zip(numbers, _rooms(has_gpus), strict=False)
    )
    return Content(f" {name:<{_NAME}}{cells}")


def _rooms(has_gpus: bool) -> tuple[int, ...]:
    return (_HOURS, _SHARE, _GPU_HOURS) if has_gpus else (_HOURS, _SHARE)


def _row_width(has_gpus: bool) -> int:
    """Up to where a bar begins."""
    return 1 + _NAME + sum(_rooms(has_gpus)) + 2
