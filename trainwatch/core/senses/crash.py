"""The line that may have ended the last attempt that trained: kept until an iteration follows.

The trap: another attempt that begins is no progress yet, and it says nothing of why the last one ended.
"""

import msgspec

from trainwatch.core.ending import End, end_of
from trainwatch.core.model.state import Attempt, RunState
from trainwatch.core.redact import redact

_GRIM: frozenset[End | None] = frozenset(
    {"crashed", "out-of-memory", "node-failure", "killed", "failed", "unknown"}
)


class CrashSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Since when, in what words, and where; `at` None: nothing ended badly."""

    at: float | None = None  # s since the epoch
    attempt: int = -1
    end: str = ""
    text: str = ""
    node: str = ""
    follow: int = 0  # errors that follow from it
    sure: bool = False  # its processes were seen to be gone: nothing can follow
    said: str = ""  # how they ended

    def take(self, state: RunState, at: float, *, moved: bool) -> bool:
        """Look at the last attempt; True if it ended badly just now."""
        attempt = state.attempts[-1] if state.attempts else None
        if attempt is None:
            return False
        end = end_of(attempt, moved=moved)
        if end not in _GRIM or not _is_bad(attempt) or _is_planned(state):
            if self.attempt == attempt.index:
                self.at = None  # it went on: there was nothing
            return False
        is_new = self.at is None
        if is_new or self.attempt != attempt.index:
            self.at = at if is_new else self.at
            self.attempt = attempt.index
        cause = attempt.fault or attempt.cascade
        if cause is not None and is_new:
            self.text, self.node = redact(cause.text), cause.node
        elif is_new:
            self.text = self.node = ""
        self.end, self.follow = end or "", max(0, attempt.faults - 1)
        told, self.sure = self.sure, attempt.died is not None
        self.said = attempt.died.said if attempt.died is not None else ""
        return is_new or self.sure != told

    def progressed(self) -> None:
        """An iteration was completed."""
        self.at = None


def _is_bad(attempt: Attempt) -> bool:
    """Whether something says more than that it ended."""
    if attempt.died is not None:
        return attempt.died.how not in ("cancelled", "completed", "exited") or bool(attempt.fault)
    bad = attempt.fault or attempt.cascade or attempt.teardown or attempt.notice
    return bool(bad) and attempt.exit is None


def _is_planned(state: RunState) -> bool:
    """Whether Slurm or somebody ended it, before anything went wrong."""
    attempt = state.attempts[-1]
    notice = attempt.notice
    if notice is None or attempt.fault or attempt.cascade:
        return False
    return notice.why in ("cancelled", "time-limit", "preempted")
