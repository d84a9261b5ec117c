"""Where in a log something is: an iteration, a share of it, or a time. Pure."""

import re

from trainwatch.core.logs.moments import moment_of
from trainwatch.core.model.snapshot import Search, Snapshot


def place_of(text: str, snapshot: Snapshot) -> int | Search | None:
    """An offset (bytes) for `50%`, a search for an iteration (`95,000`) or a time (`14:30`), else None."""
    moment = moment_of(text)
    if moment is not None:
        return Search(moment=moment)
    text = text.strip().replace(",", "")
    if text.endswith("%"):
        share = _number(text[:-1])
        return None if share is None else round(min(100.0, share) / 100 * snapshot.page.size)
    if not text.isascii() or not text.isdigit():
        return None
    iteration = int(text[:15])
    return Search(text=pattern_of(iteration), place=_start(iteration, snapshot))


def called(text: str, place: int | Search) -> str:
    """What people call it."""
    timed = isinstance(place, Search) and place.moment is not None
    return text.strip() if timed else f"iteration {text}"


def pattern_of(iteration: int) -> str:
    """A pattern that finds the record of an iteration in logs of most formats."""
    return rf"(?:iteration|step|batch)\W{{0,24}}0*{iteration}(?:\.0)?\b"


def _start(iteration: int, snapshot: Snapshot) -> int:
    """Behind the last checkpoint before it: a place from where a search is short."""
    saved, offsets = snapshot.marks.saved, snapshot.marks.saved_offset
    for index in range(len(saved) - 1, -1, -1):
        if saved[index] < iteration:
            return int(offsets[index])
    return 0


def _number(text: str) -> float | None:
    found = re.fullmatch(r"\d{1,3}(?:\.\d*)?", text.strip())
    return None if found is None else float(found.group())
