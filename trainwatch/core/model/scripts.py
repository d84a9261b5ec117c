"""Hourly and daily scripts: what lies in a folder, what became of a run of one, and the ledger of runs.

The ledger is what makes "once per period" true whatever happens: a run stands in it before it begins.
Times are s since the epoch.
"""

from typing import Literal

import msgspec

from trainwatch.core.periods import Period

Outcome = Literal["ok", "failed", "ended", "running", "submitted"]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that is configured. `label` names it to people, `suffix` marks its files of output."""

    period: Period
    folder: str
    label: str
    suffix: str = ""


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A script that may be run, or submitted."""

    place: Place
    name: str

    @property
    def key(self) -> str:
        """Its name in the ledger."""
        return f"{self.place.period}:{self.path}"

    @property
    def label(self) -> str:
        """Its name to people."""
        return f"{self.place.label}/{self.name}"

    @property
    def path(self) -> str:
        """Where it is."""
        return f"{self.place.folder.rstrip('/')}/{self.name}"

    @property
    def output(self) -> str:
        """The file of its output, below the folder of all output."""
        return f"{self.place.period}/{self.name}{self.place.suffix}.out"

    @property
    def is_job(self) -> bool:
        """Whether it is submitted rather than run."""
        return self.name.endswith(".slurm")


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What lies in a folder: names to run, names that are left out though somebody may have meant them, why.

    `trouble`: why the folder cannot be used. Then nothing is known of what is in it.
    """

    names: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    trouble: str = ""


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """A process, also after its number went to another: `birth` is of the machine's boot and its start."""

    host: str
    pid: int
    birth: str = ""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended. `how`: where it is no exit of its own, as a predicate: `was ended after 30 min`."""

    exit_code: int | None
    took_s: float | None = None
    how: str = ""
    tail: str = ""  # the end of what it wrote, as it wrote it


class Begun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The last run of a script."""

    began: float
    label: str
    outcome: Outcome = "running"
    watcher: Process | None = None  # who began it
    process: Process | None = None  # the script itself, which leads its group
    ends_by: float = 0.0  # its deadline, and time to die
    exit_code: int | None = None
    took_s: float | None = None
    why: str = ""
    bad: bool = False  # a reading says so, and nobody took it back
    comment: str = ""  # of a job that was submitted, perhaps
    job_id: str = ""
    followed: bool = False  # the job is in the queue, or nobody knows yet
    asked: int = 0  # times that the books were asked how it ended


class Ledger(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """By key: the last run of each. What is not in it counts as begun at `since`; None: as never run."""

    version: int = 1
    since: float | None = None  # a ledger before this one was lost
    scripts: dict[str, Begun] = {}
