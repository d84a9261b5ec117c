"""Which jobs of a queue are a run's: by globs on their name, user, account and comment.

The trap: a pattern that never matches looks like a run that is not queued. `unmatched` says what it may have
meant.
"""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

import msgspec

from trainwatch.core.model.observations import Job
from trainwatch.core.words import clean

_MOST_NAMED = 3


class Ours(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A glob for each, e.g. `tr11-176B*`; all that are given must match."""

    job_name: str | None = None
    user: str | None = None
    account: str | None = None
    comment: str | None = None

    def among(self, jobs: Iterable[Job]) -> tuple[Job, ...]:
        """The jobs of the run; none where nothing says which they are."""
        wanted = [
            (name, glob)
            for name in self.__struct_fields__
            if (glob := getattr(self, name)) is not None
        ]
        return tuple(
            job
            for job in jobs
            if wanted and all(fnmatchcase(_value(job, name), glob) for name, glob in wanted)
        )

    def in_words(self) -> str:
        """As it stands in the configuration."""
        return ", ".join(
            f"{name} = '{glob}'"
            for name in self.__struct_fields__
            if (glob := getattr(self, name)) is not None
        )


def unmatched(ours: Ours, jobs: Sequence[Job]) -> str:
    """What to say of a pattern that has never matched a job, with the nearest names that the queue has."""
    told = f"no job has matched {ours.in_words()}"
    names = sorted({clean(job.name, 60) for job in jobs if job.name})
    if not names or not ours.job_name:
        return told
    from difflib import get_close_matches  # rarely needed, and slow to load

    wanted = ours.job_name.strip("*")
    near = [*get_close_matches(wanted, names, _MOST_NAMED, 0.5), *names][:_MOST_NAMED]
    return f"{told}; the queue has {', '.join(dict.fromkeys(near))}"


def _value(job: Job, name: str) -> str:
    return job.name if name == "job_name" else str(getattr(job, name))
