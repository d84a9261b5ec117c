"""Runs opened for a watch: what is known of each, and which could not be had.

The trap: a run that cannot be opened is no reason to leave the others alone.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from trainwatch.app.config import RunSettings
from trainwatch.app.logfile import there
from trainwatch.core.errors import LeaseHeld, StoreFull, StoreUnusable, TrainwatchError
from trainwatch.core.model.memory import Memory
from trainwatch.core.ports import Saved

if TYPE_CHECKING:
    from trainwatch.app.watched import Watched


class Opened(Protocol):
    """A store that was just opened."""

    lost: bool  # some of its history

    def load(self) -> Saved | None: ...
    def start_over(self) -> None: ...


def kept(store: Opened, path: Path) -> "tuple[Saved | None, Memory | None]":
    """What is known of a log. Where history was lost the log rebuilds it; what we did it cannot."""
    saved = store.load()
    memory = saved.memory if saved else None
    if saved is None or not store.lost or saved.mark.generation or not there(path):
        return saved, memory
    store.start_over()
    return None, Memory(deeds=memory.deeds) if memory else None


def each(
    open_run: "Callable[[RunSettings], Watched]", runs: Sequence[RunSettings]
) -> "tuple[list[Watched], list[TrainwatchError]]":
    """Those that could be opened, and why others were not. Raises where there are none."""
    watched, left = list["Watched"](), list[TrainwatchError]()
    for run in runs:
        try:
            watched.append(open_run(run))
        except (LeaseHeld, StoreFull, StoreUnusable) as error:
            left.append(error)
    if left and not watched:
        raise left[0]
    return watched, left
