"""What a job waits for of other jobs: the text of `--dependency` as the scheduler prints it, and in words.

The trap: `7` may be a job or a whole array, `7_*` is an array, `7_3` a task.
"""

import re
from typing import NamedTuple

from trainwatch.core.patterns import pattern
from trainwatch.core.words import clean

_LONGEST = 10_000  # characters of a text that are looked at
_MOST = 50  # jobs that are waited for
_MOST_SAID = 2
_PART = pattern(r"(after[a-z]*|singleton|expand)((?::[0-9_*+\[\]%-]{1,60})*)", re.IGNORECASE)
_WORDS = {
    "after": "begins",
    "afterany": "ends",
    "afterok": "succeeds",
    "afternotok": "fails",
    "aftercorr": "succeeds, task by task",
    "afterburstbuffer": "has staged out its data",
}
_SINGLETON = "after all others of its name and user"


class Link(NamedTuple):
    """One thing that is waited for. `job` is empty for a singleton."""

    kind: str
    job: str = ""  # as printed: `7`, `7_3`, `7_*`

    @property
    def array(self) -> str:
        """The number before the task."""
        return self.job.partition("_")[0]


def links(dependency: str) -> tuple[Link, ...]:
    """All that is waited for, in order; none for a text that says nothing we know."""
    found = list[Link]()
    for match in _PART.finditer(dependency[:_LONGEST]):
        kind = match[1].lower()
        if kind == "singleton":
            found.append(Link(kind))
        found += [Link(kind, job.partition("+")[0]) for job in match[2].split(":") if job]
        if len(found) >= _MOST:
            break
    return tuple(found[:_MOST])


def in_words(dependency: str) -> str:
    """`starts after 682842_3 ends`; empty for a text that says nothing we know."""
    found = links(dependency)
    if not found:
        return ""
    between = " or " if "?" in dependency else " and "
    said = list(dict.fromkeys(_said(link) for link in found))
    more = f"{between}{len(said) - _MOST_SAID} more" if len(said) > _MOST_SAID else ""
    return clean(f"starts {between.join(said[:_MOST_SAID])}{more}")


def _said(link: Link) -> str:
    if not link.job:
        return _SINGLETON
    job = link.job.removesuffix("_*")
    return f"after {job} {_WORDS.get(link.kind, 'allows it')}"
