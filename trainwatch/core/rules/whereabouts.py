"""Where attempts ran, as the scheduler tells it: for alerts that name nodes which no line of the log names.

The trap: the queue shows the next job before its first line is in the log. So an attempt is given an
allocation by its time and its job, not the one that was last seen.
"""

from collections.abc import Iterable

from trainwatch.core import allocations
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.state import Attempt, RunState
from trainwatch.core.rules.sight import Sight
from trainwatch.core.slurm import hosts
from trainwatch.core.suspects import Suspects, suspects
from trainwatch.core.words import clean

_LOOKED_AT = 20  # attempts before those that failed
_WIDTH = 60  # characters of a list of nodes in a sentence
_EVIDENCE = 190


def allocation_of(state: RunState, attempt: Attempt) -> Allocation | None:
    """The allocation that an attempt had; None if nobody knows."""
    if not state.allocations:
        return None
    began_at = attempt.began_at.at if attempt.began_at else None
    last_at = attempt.last_at.at if attempt.last_at else None
    return allocations.of_attempt(state.allocations, attempt.job_id, began_at, last_at)


def shortly(nodes: str) -> str:
    """A folded list for a sentence: as it is, or how many where that is too long."""
    if len(nodes) <= _WIDTH:
        return clean(nodes, _WIDTH)
    count = len(_expanded(nodes))
    return f"{count:,} nodes" if count else clean(nodes, _WIDTH)


def told_by_scheduler(given: Allocation) -> str:
    """What the scheduler knows of an allocation, as a line of evidence."""
    code = f", exit {given.exit_code}" if given.exit_code not in ("", "0:0") else ""
    state = f": {given.state}{code}" if given.state and given.end is not None else ""
    return clean(f"job {given.job_id} on {given.nodes or 'unknown nodes'}{state}", _EVIDENCE)


def suspects_of(sight: Sight, failing: Iterable[Attempt]) -> Suspects | None:
    """The nodes that only the failing attempts had."""
    state = sight.state
    failed = list(failing)
    indices = {attempt.index for attempt in failed}
    others = [a for a in state.attempts[-_LOOKED_AT:] if a.index not in indices and _is_well(a)]
    return suspects([_nodes(state, a) for a in failed], [_nodes(state, a) for a in others])


def suspects_unstarted(sight: Sight, places: Iterable[tuple[str, ...]]) -> Suspects | None:
    """The nodes that only submissions which failed at once had."""
    well = [_nodes(sight.state, a) for a in sight.state.attempts[-_LOOKED_AT:] if _is_well(a)]
    return suspects([*places], well)


def _is_well(attempt: Attempt) -> bool:
    """Whether it trained, and nothing went wrong in it."""
    notice = attempt.notice
    failed = attempt.exit is not None and attempt.exit.how == "failed"
    wrong = failed or bool(attempt.fault or attempt.cascade or attempt.teardown)
    lost = notice is not None and notice.why == "node-failure"
    return attempt.tally.records > attempt.tally.retrained and not wrong and not lost


def _nodes(state: RunState, attempt: Attempt) -> tuple[str, ...]:
    given = allocation_of(state, attempt)
    return _expanded(given.nodes) if given is not None else ()


def _expanded(nodes: str) -> tuple[str, ...]:
    try:
        return hosts.expand(nodes)
    except ValueError:
        return ()
