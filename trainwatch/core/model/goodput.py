"""An account of a run's hours: how much trained new tokens, and where the rest went."""

import msgspec

# part -> what it is, in the order of a report
PARTS = {
    "train": "new iterations",
    "retrain": "iterations that were trained before, and lost",
    "startup": "nodes held before the first iteration",
    "evaluate": "evaluation",
    "save": "saving checkpoints",
    "stall": "no iteration for long",
    "overhead": "between iterations",
    "after": "nodes held after the last iteration",
    "waiting": "no nodes: in the queue, or not submitted",
}


class Goodput(msgspec.Struct, kw_only=True):
    """Seconds, and GPU-seconds, by part; and of failed attempts what they cost, by how they ended.

    A failure costs what was trained again after it, and the nodes held after its last iteration.
    """

    begin: float
    end: float
    seconds: dict[str, float] = msgspec.field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    gpu_seconds: dict[str, float] = msgspec.field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    lost_gpu_s: dict[str, float] = {}
    attempts: int = 0
    failures: int = 0

    @property
    def held_s(self) -> float:
        """How long nodes were held."""
        return sum(s for part, s in self.seconds.items() if part != "waiting")

    @property
    def goodput(self) -> float | None:
        """The share of the held time that trained new iterations, 0 to 1."""
        return self.seconds["train"] / self.held_s if self.held_s else None

    @property
    def mtbf_s(self) -> float | None:
        """Held time for each failure; None without any."""
        return self.held_s / self.failures if self.failures else None

    def spend(self, part: str, seconds: float, gpus: int) -> None:
        """Charge a part."""
        self.seconds[part] += seconds
        self.gpu_seconds[part] += seconds * gpus


class Hours(msgspec.Struct, frozen=True, kw_only=True):
    """The account of a run, as views show it. `told` is None where `why` says why there is none."""

    told: Goodput | None = None
    gpus: int | None = None
    by_scheduler: bool = False  # which says when nodes were held; else nobody knows but the log
    why: str = ""
