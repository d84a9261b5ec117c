"""Checkpoints as a line of signs over the iterations. Pure.

The trap: of some hundred saves several share a column. The one that matters more is seen; where there is
room for two lines, what would go has its own.
"""

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content

from trainwatch.core.model.housekeeping import Mark, Tick

# what it is -> sign, what people call it, its colour: told apart by their signs, too
MARKS: dict[Mark, tuple[str, str, str]] = {
    "kept": ("●", "kept", "$good"),
    "goes": ("○", "to go", "$quiet"),
    "at-risk": ("▲", "at risk", "$warn"),
    "writing": ("◐", "writing", "$bar"),
    "partial": ("?", "partial", "$blind"),
}
_FIRST: tuple[Mark, ...] = ("writing", "partial", "at-risk", "kept", "goes")
_UNSAVED, _NOW = "░", "▸"


class Reach(NamedTuple):
    """The iteration that is reached, and the last that the log calls saved: a listing may be older."""

    iteration: int | None = None
    saved: int | None = None


def drawn(
    ticks: Sequence[Tick],
    reach: Reach,
    width: int,
    marks: frozenset[Mark] = frozenset(_FIRST),
) -> Content:
    """The line of these marks, `width` columns from the first checkpoint to the iteration that is reached.

    What was trained beyond the last complete one is shaded, in the line of what is kept: it would be lost.
    """
    if not ticks or width < 1:
        return Content("")
    ends, reached = ends_of(ticks, reach), reach.iteration
    cells: list[tuple[str, str]] = [("─", "$faint")] * width
    safe = [tick.last for tick in ticks if _safe(tick)]
    saved = max([*safe, reach.saved or 0])
    if "kept" in marks and reached is not None and reached > saved:
        begin = column(saved, ends, width) + 1
        cells[begin:] = [(_UNSAVED, "$warn")] * (width - begin)
        cells[-1] = (_NOW, "bold")
    held: dict[int, Mark] = {}
    for tick in ticks:
        at = column(tick.last, ends, width)
        known = {*tick.marks, *({held[at]} if at in held else ())} & marks
        if known:
            held[at] = min(known, key=_FIRST.index)
    for at, mark in held.items():
        cells[at] = MARKS[mark][0], MARKS[mark][2]
    return Content.assemble(*cells)


def ends_of(ticks: Sequence[Tick], reach: Reach) -> tuple[int, int]:
    """The first and the last iteration of the line."""
    return ticks[0].first, max(ticks[-1].last, reach.iteration or 0)


def column(iteration: int, ends: tuple[int, int], width: int) -> int:
    """Where an iteration is."""
    first, last = ends
    share = (iteration - first) / (last - first) if last > first else 0.0
    return round(max(0.0, min(1.0, share)) * (width - 1))


def legend(ticks: Sequence[Tick]) -> list[Content]:
    """What the signs mean, and how many there are of each."""
    counts = {mark: sum(tick.marks.get(mark, 0) for tick in ticks) for mark in MARKS}
    return [
        Content.assemble((f"{sign} ", f"bold {colour}"), f"{counts[mark]:,} {called}")
        for mark, (sign, called, colour) in MARKS.items()
        if counts[mark]
    ]


def _safe(tick: Tick) -> bool:
    return bool({"kept", "goes", "at-risk"} & {*tick.marks})
