"""How attempts end: by themselves, by Slurm, by a fault, or so that nobody can say.

The first cause counts, its cascade does not. A fault after which training goes on was none, and errors
during a clean exit or after Slurm's notice cause nothing.
"""

from typing import Literal

from trainwatch.core.clocks import stamped
from trainwatch.core.draft import Draft
from trainwatch.core.model.records import Exit, Fault, Iteration, SlurmNotice
from trainwatch.core.model.state import Attempt

End = Literal[
    "completed",
    "exited",
    "time-limit",
    "cancelled",
    "preempted",
    "node-failure",
    "out-of-memory",
    "crashed",
    "killed",
    "failed",
    "running",
    "unknown",
]
_FAULT_ENDS: dict[str, End] = {
    "cuda-out-of-memory": "out-of-memory",
    "out-of-memory": "out-of-memory",
    "node-failure": "node-failure",
}
_AFTERGLOW_S = 120  # buffered output may still arrive this long after a definite end
_AFTERGLOW_ITERATIONS = 2


_WORSE = frozenset({"crashed", "killed", "out-of-memory"})  # than what a log says of a planned end
_BY_HAND = "KeyboardInterrupt"


def is_over(attempt: Attempt) -> bool:
    """Whether something says that it ended, or may have."""
    said = attempt.exit or attempt.notice or attempt.fault or attempt.cascade or attempt.teardown
    return bool(said) or attempt.died is not None


def on_exit(draft: Draft, record: Exit) -> None:
    """The job says that it ends."""
    time = draft.tell_time(record)
    if draft.attempt.exit is None:
        draft.set_attempt(exit=record, fault=None, cascade=None)
        draft.note("exit", text=record.why or record.how, iteration=record.iteration, time=time)
    draft.phase("exit")


def on_notice(draft: Draft, record: SlurmNotice) -> None:
    """Slurm says that it ended something: of several notices the first of the job itself counts."""
    if record.why == "out-of-memory":
        fault = Fault(
            format=record.format,
            kind="out-of-memory",
            role="cause",
            text="killed by Slurm: oom-kill",
        )
        on_fault(draft, fault)
        return
    before = draft.attempt.notice
    if before is None or (before.step and not record.step):
        time = draft.tell_time(record)
        draft.set_attempt(notice=record, job_id=record.job_id)
        if before is None:
            draft.note("slurm", text=f"{record.why}: job {record.job_id}", time=time)
    draft.phase("exit")


def on_fault(draft: Draft, record: Fault) -> None:
    """A line that names an error."""
    attempt = draft.attempt
    if record.role == "teardown":
        draft.set_attempt(teardown=True)
        return
    draft.set_attempt(faults=attempt.faults + 1)
    over = attempt.exit is not None or attempt.notice is not None or attempt.teardown
    if record.role == "cause" and attempt.fault is None and not over:
        draft.set_attempt(fault=record)
        draft.note("fault", text=f"{record.kind}: {record.text}", time=draft.tell_time(record))
    elif record.role == "cascade" and attempt.cascade is None and not over:
        draft.set_attempt(cascade=record)
        draft.note("fault", text=f"{record.kind}: {record.text}", time=draft.tell_time(record))


def began_again(draft: Draft, record: Iteration) -> bool:
    """Called for each new iteration: whether it shows that another attempt runs.

    After a definite end a few buffered lines may still come; more of them, or later ones, were printed
    by a new start of the job.
    """
    attempt = draft.attempt
    end = attempt.exit or attempt.notice
    if attempt.died is not None:
        return True  # what is gone writes nothing
    if end is None:
        survived(draft)
        return False
    draft.set_attempt(after_end=attempt.after_end + 1)
    if attempt.after_end >= _AFTERGLOW_ITERATIONS:
        return True
    if end.stamp is None or record.stamp is None:
        return False
    ended = stamped(end.stamp, draft.utc_offset_s, draft.seen_at).at
    return stamped(record.stamp, draft.utc_offset_s, draft.seen_at).at > ended + _AFTERGLOW_S


def survived(draft: Draft) -> None:
    """Training went on after a fault: it was none."""
    attempt = draft.attempt
    if attempt.fault or attempt.cascade or attempt.teardown:
        draft.set_attempt(fault=None, cascade=None, teardown=False)


def reached_nothing(attempt: Attempt, moved: bool) -> bool:
    """Whether the attempt completed no iteration. `moved`: one is open, or a bar counts."""
    return attempt.tally.records == 0 and not moved


def end_of(attempt: Attempt, *, moved: bool) -> End | None:
    """How an attempt ended, as far as the log says; None when it does not say."""
    end = _end(attempt)
    if end in (None, "completed") or (attempt.died is not None and attempt.died.how == end):
        return end  # an exit code says more than that nothing was reached
    return "failed" if reached_nothing(attempt, moved) else end


def _end(attempt: Attempt) -> End | None:
    died, fault = attempt.died, attempt.fault
    if died is not None and fault is None and died.how in _WORSE:
        return died.how
    if died is not None and died.how == "cancelled" and (fault is None or _BY_HAND in fault.text):
        return died.how
    return _logged_end(attempt) or (died.how if died is not None else None)


def _logged_end(attempt: Attempt) -> End | None:
    """As far as the log says."""
    if attempt.exit is not None:
        return "crashed" if attempt.exit.how == "failed" else attempt.exit.how
    if attempt.fault is not None:
        return _FAULT_ENDS.get(attempt.fault.kind, "crashed")
    if attempt.notice is not None:
        return attempt.notice.why
    if attempt.cascade is not None:
        return "crashed"
    return "killed" if attempt.teardown else None
