"""How long the run has been silent, and how long it may be: budgets of phases, learned from this run.

Progress is a completed iteration, or a step within a phase that its budget covers (a validation result, a
save that began or is complete). The trap: a launcher may hold output back for 20 minutes. The longest silence
that was followed by progress in the same attempt is a floor of the budget, and so is what a burst shows to
have been held.
"""

import msgspec

_CEILING_S = {
    "train": 3_600.0,
    "evaluate": 6 * 3_600.0,
    "save": 6 * 3_600.0,
    "startup": 12 * 3_600.0,
}
_LOOKS_S = 300.0  # between looks, as a rule


class PaceSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """When something was last completed, in which phase the run is since, and the longest of each phase."""

    phase: str = ""  # train, evaluate, save, startup, exit; empty before anything was read
    phase_at: float | None = None
    moved_at: float | None = None  # the last completed thing, or the attempt's begin
    iteration_at: float | None = None  # the last completed iteration
    iteration: int | None = None
    first: int | None = None  # iteration of this attempt
    longest_s: dict[str, float] = {}
    held_back_s: float = 0.0
    read_at: float | None = None  # when output last came
    guessed: bool = False  # `moved_at` is when it was read: nobody knows when it happened
    row_gap_s: float = 0.0  # seconds between iteration lines: the smaller of the last two gaps
    last_gap_s: float = 0.0

    def moved(self, at: float, seen_at: float) -> None:
        """Something was completed at `at`, which was known at `seen_at`."""
        if self.guessed:
            self.moved_at, self.guessed = at, False
            return
        if self.moved_at is not None and self.phase:
            silence_s = min(seen_at - self.moved_at, _CEILING_S.get(self.phase, 0.0))
            if silence_s > self.longest_s.get(self.phase, 0.0):
                self.longest_s[self.phase] = silence_s
        if self.moved_at is None or at > self.moved_at:
            self.moved_at = at

    def row(self, at: float, seen_at: float, iteration: int, *, evaluates: bool) -> bool:
        """An iteration was completed. The newest one is told twice, open and closed: True the first time."""
        before = self.iteration_at
        if iteration == self.iteration and before is not None:
            return False
        if before is not None and at > before and self.phase == "train":
            gap_s = at - before
            self.row_gap_s = min(gap_s, self.last_gap_s or gap_s)
            self.last_gap_s = gap_s
        if before is None:
            self.first = iteration
        self.moved(at, seen_at)
        self.iteration_at, self.iteration = at, iteration
        phase = "evaluate" if evaluates else "train"
        if phase != self.phase:
            self.phase, self.phase_at = phase, at
        return True

    def enter(self, phase: str, at: float) -> None:
        """A phase begins."""
        self.phase, self.phase_at = phase, at

    def begin(self, at: float) -> None:
        """Another attempt: the silence before it belongs to nobody."""
        self.enter("startup", at)
        self.moved_at, self.iteration_at, self.guessed = at, None, False
        self.first = None

    def guess(self, at: float) -> None:
        """What was read last happened at some time up to `at`."""
        if self.moved_at is not None:
            self.moved_at, self.guessed = at, True

    def distrust(self) -> None:
        """The clock was wrong: silences of hours may never have been."""
        kept = self.longest_s.items()
        self.longest_s = {phase: s for phase, s in kept if s < _CEILING_S.get(phase, 0.0)}

    def burst(self, seconds: float, at: float) -> None:
        """Iterations came at once that took so long: held back, for no longer than since the last output.

        What is not longer than our own look can be late says nothing.
        """
        if self.read_at is not None:
            seconds = min(seconds, at - self.read_at)
        if seconds > _LOOKS_S:
            self.held_back_s = max(self.held_back_s, min(seconds, _CEILING_S["train"]))
