"""Which tasks of an array a row of the queue stands for.

The trap: what waits is one row (`7_[2-10%1]`), and a long list of tasks is cut (`7_[1,3,5,...]`): then nobody
knows which are in it.
"""

from typing import NamedTuple

from trainwatch.core.patterns import pattern

_SHOWN = pattern(r"(\d+)(?:_(?:(\d+)|\[([\d,\-:.]*)(?:%\d+)?\]))?")
_RANGE = pattern(r"(\d+)(?:-(\d+)(?::(\d+))?)?")


class Tasks(NamedTuple):
    """Tasks of an array, or a whole job. `ranges` None: any task may be among them."""

    array: str
    ranges: tuple[range, ...] | None

    def may_hold(self, task: int) -> bool:
        """Whether the task is, or may be, one of them."""
        return self.ranges is None or any(task in part for part in self.ranges)


def tasks_of(shown: str) -> Tasks:
    """The tasks that an id as squeue shows it stands for. A job that is no array may be any."""
    found = _SHOWN.fullmatch(shown)
    if found is None:
        return Tasks(shown.partition("_")[0], None)
    array, one, listed = found.groups()
    if one is not None:
        return Tasks(array, (range(int(one), int(one) + 1),))
    return Tasks(array, None if listed is None else _ranges(listed))


def _ranges(listed: str) -> tuple[range, ...] | None:
    parts = []
    for piece in listed.split(","):
        found = _RANGE.fullmatch(piece)
        if found is None:
            return None
        first = int(found[1])
        parts.append(range(first, int(found[2] or first) + 1, int(found[3] or 1)))
    return tuple(parts)
