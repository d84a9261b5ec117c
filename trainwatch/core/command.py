"""A command and its processes -> run state: an attempt begins with their start, and ends with their end.

The trap: somebody may have read the log before the processes were looked at: then its attempt is theirs.
"""

from trainwatch.core import timeline
from trainwatch.core.draft import Draft
from trainwatch.core.model.observations import ProcessReading
from trainwatch.core.model.state import COMMAND, RunState, Time
from trainwatch.core.processes import end_of


def on_processes(draft: Draft, seen: ProcessReading) -> None:
    """Take a reading: a new command is a new attempt, and one that is over ends it."""
    before = draft.state.processes
    if seen.began_at is not None and seen.began_at != draft.state.command_at:
        if not _is_begun(draft.state, seen):
            timeline.begin(draft, COMMAND)
        draft.set_attempt(began_at=Time(seen.began_at, "arrival"))
        draft.set(command_at=seen.began_at)
        before = None
    draft.has_place = False
    draft.set(processes=seen, seen_at=seen.at)
    if seen.alive is False and draft.attempt.died is None:
        died = end_of(seen, before, is_done=_is_done(draft.state))
        draft.set_attempt(died=died)
        draft.phase("exit")
        draft.note("ended", text=died.said)


def _is_begun(state: RunState, seen: ProcessReading) -> bool:
    """Whether the last attempt in the log is the command's: somebody may have read it before we looked."""
    if not state.attempts or seen.began_at is None:
        return False
    began = state.attempts[-1].began_at
    if began is not None and began.source != "added-up" and began.at >= seen.began_at:
        return True
    is_first = seen.offset == 0 and state.generation == 0 and state.command_at is None
    return is_first and not state.attempts[-1].died  # there was nothing in it before


def _is_done(state: RunState) -> bool:
    row, bar, target = state.open, state.bar, state.target_iteration
    if row is not None and target:
        return row.iteration >= target
    return bar is not None and bool(bar.total) and bar.done >= (bar.total or 0)
