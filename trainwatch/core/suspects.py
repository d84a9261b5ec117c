"""Which nodes the attempts that failed have in common, and those that did well have not.

The trap: a job that gets the same nodes each time has all of them in common, which says nothing of any one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from trainwatch.core.slurm import hosts

FEW = 3  # nodes that may be left out of the next submission without a second thought
_FOR_MOST = 4  # failures from which on one may be another's fault
_FOR_ONE = 3  # failures that make the only node in all of them suspect, though it did well before


class Suspects(NamedTuple):
    """Nodes that were in `times` of `of` failures each."""

    nodes: tuple[str, ...]
    times: int
    of: int

    @property
    def folded(self) -> str:
        """As Slurm writes a list of nodes: r7i[5-6]n2."""
        return hosts.fold(self.nodes)

    @property
    def said(self) -> str:
        """`r7i6n2 was in all 4 of them`."""
        were = "was" if len(self.nodes) == 1 else "were"
        share = f"all {self.of}" if self.times == self.of else f"{self.times}"
        rest = "of them" if self.times == self.of else f"of {self.of}"
        return f"{self.folded} {were} in {share} {rest}"


def suspects(
    failed: Sequence[Collection[str]], well: Iterable[Collection[str]] = ()
) -> Suspects | None:
    """The few nodes in all failures, or in all but one; None if there are none, or no telling.

    `failed` and `well`: the nodes of each attempt that failed, and of those that did well, where known.
    """
    failed = [{*filter(hosts.is_name, places)} for places in failed]
    failed = [places for places in failed if places]
    if len(failed) < 2:
        return None
    counts = Counter(node for places in failed for node in places)
    spared = set[str]().union(*well)
    everywhere = spared.union(counts)
    for times in (len(failed), len(failed) - 1) if len(failed) >= _FOR_MOST else (len(failed),):
        found = {node for node, count in counts.items() if count >= times}
        chosen = found - spared
        if not chosen and len(found) == 1 and times >= _FOR_ONE:
            chosen = found
        if len(chosen) > FEW:
            return None
        if chosen and everywhere > chosen:
            return Suspects(tuple(hosts.in_order(chosen)), times, len(failed))
    return None
