"""What the doctor looks with: all that touches the world (app/wiredoctor.py hands it over)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from trainwatch.core.doctor.folders import FolderSeen
from trainwatch.core.doctor.logs import Ends
from trainwatch.core.doctor.roots import RootSeen
from trainwatch.core.model.backups import Shelf
from trainwatch.core.model.lease import Holder
from trainwatch.core.model.observations import AttemptEnd, Job
from trainwatch.core.model.scripts import Listing
from trainwatch.core.model.syncing import Found
from trainwatch.core.slurm.associations import Association
from trainwatch.core.slurm.partitions import Partition


class Below(Protocol):
    """What a route would send: adapters/sync/folder.py."""

    @property
    def files(self) -> Sequence[Found]: ...

    @property
    def left_out(self) -> Sequence[tuple[str, str]]: ...

    @property
    def trouble(self) -> str: ...


class Cluster(Protocol):
    """A cluster that is asked. Each raises SchedulerUnknown."""

    def queue(self) -> tuple[Job, ...]: ...

    def ended(self, job_ids: Sequence[str]) -> tuple[AttemptEnd, ...]: ...

    def partitions(self) -> tuple[Partition, ...]: ...

    def associations(self) -> tuple[Association, ...]: ...


class Vault(Protocol):
    """A place for backups."""

    def look(self) -> Shelf:
        """What is there. Raises TrainwatchError."""
        ...

    def close(self) -> None:
        """End what is under way."""
        ...


class Eyes(NamedTuple):
    """Each may hang, and is called in a thread that can be given up on; none changes anything.

    But for `folder`, which may leave a file for a moment where it is to try (its second argument).
    """

    python: Callable[[], tuple[tuple[int, int, int], str]]
    versions: Callable[[Iterable[str]], Mapping[str, str | None]]
    client_trouble: Callable[[str], str]
    folder: Callable[[str, bool], FolderSeen]
    ends: Callable[[Path], Ends]
    glance: Callable[[Path], RootSeen]
    holder: Callable[[Path], Holder | None]
    scripts: Callable[[str, bool], Listing]
    below: Callable[[str, Sequence[str]], Below]
    token: Callable[[], str]
    endpoint: Callable[[], str]
    reach: Callable[[str, float], str]  # why nobody can be connected to
    unfit_url: Callable[[str], str]  # why apprise cannot use it
    commands: Callable[[Iterable[str]], Sequence[str]]  # those that are on the PATH
    cluster: Callable[[float], Cluster]  # by the deadline of each question
    scrontab: Callable[[float], str]  # why it gives no answer
