"""Checkpoints as the log tells of them: begun, complete, how long it took.

The trap: two layers announce one save (DeepSpeed inside Megatron), and asynchronous saves are complete
long after training has gone on.
"""

from msgspec.structs import replace

from trainwatch.core.draft import Draft
from trainwatch.core.model.records import SaveDone, SaveStarted, SaveTime
from trainwatch.core.model.state import Time


def on_save_started(draft: Draft, record: SaveStarted) -> None:
    """A checkpoint begins to be written."""
    time = draft.tell_time(record) or draft.now()
    save = draft.state.save
    iteration = record.iteration if record.iteration is not None else _current(draft)
    if iteration is None or iteration == save.started_iteration or _is_done(draft, iteration):
        return
    draft.set(save=replace(save, started_iteration=iteration, started_at=time, path=record.path))
    draft.note("save-started", iteration=iteration, text=record.path, time=time)
    draft.phase("save")


def on_save_done(draft: Draft, record: SaveDone) -> None:
    """A checkpoint is complete."""
    time = draft.tell_time(record) or draft.now()
    save = draft.state.save
    iteration = record.iteration if record.iteration is not None else save.started_iteration
    if iteration is None or _is_done(draft, iteration):
        return
    duration_s = record.duration_s
    if duration_s is None and iteration == save.started_iteration:
        duration_s = _between(save.started_at, time)
    is_writing = save.started_iteration not in (None, iteration)  # the next one, already
    save = replace(
        save,
        iteration=iteration,
        attempt=draft.attempt.index,
        at=time,
        duration_s=None,
        path=record.path or save.path,
        count=save.count + 1,
        started_iteration=save.started_iteration if is_writing else None,
        started_at=save.started_at if is_writing else None,
    )
    draft.set(save=save)
    if duration_s is not None:
        _timed(draft, duration_s)
    draft.note("saved", iteration=iteration, text=record.path, time=time)
    if draft.state.phase == "save" and not is_writing:
        draft.phase("train")


def on_save_time(draft: Draft, record: SaveTime) -> None:
    """How long the last save took: a measured time replaces the one from stamps."""
    save = draft.state.save
    if save.duration_s is not None and save.timed:
        undone = save.duration_sum_s - save.duration_s
        draft.set(save=replace(save, timed=save.timed - 1, duration_sum_s=undone))
    _timed(draft, record.duration_s)


def _timed(draft: Draft, duration_s: float) -> None:
    save = draft.state.save
    draft.set(
        save=replace(
            save,
            duration_s=duration_s,
            timed=save.timed + 1,
            duration_sum_s=save.duration_sum_s + duration_s,
            duration_max_s=max(save.duration_max_s, duration_s),
        )
    )


def _is_done(draft: Draft, iteration: int) -> bool:
    """Whether this attempt has saved it: a second layer speaks, or another rank."""
    save = draft.state.save
    return iteration == save.iteration and save.attempt == draft.attempt.index


def _current(draft: Draft) -> int | None:
    return draft.state.open.iteration if draft.state.open else None


def _between(began: Time | None, ended: Time | None) -> float | None:
    """Seconds between two stamps; arrival times are too coarse to measure a save with."""
    if began is None or ended is None or not began.source == ended.source == "stamp":
        return None
    return max(0.0, ended.at - began.at)
