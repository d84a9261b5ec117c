"""Which nodes the next job had better not have: those of the allocation that an error or an alert names.

The trap: a log names nodes as it likes, and may name all of them. Only a few, surely of this allocation, are
worth losing.
"""

from collections.abc import Iterable

from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.state import Attempt
from trainwatch.core.patterns import pattern
from trainwatch.core.rules.sight import Sight
from trainwatch.core.slurm import hosts

_WORDS = pattern(r"[A-Za-z0-9][\w.-]*")
_MOST_SHARE = 0.25  # of the allocation: what more nodes share is no fault of theirs


def suspects(sight: Sight, allocation: Allocation, rules: Iterable[str]) -> str:
    """A list for `--exclude`; empty when nothing is named, or too much."""
    its = _names(allocation.nodes)
    if not its:
        return ""
    by_name = {name.partition(".")[0]: name for name in its}
    named = (word.partition(".")[0] for word in _said(sight, set(rules)))
    found = hosts.in_order(by_name[word] for word in named if word in by_name)
    if len(found) > max(1.0, _MOST_SHARE * len(its)) or len(found) == len(its):
        return ""
    return hosts.fold(found)


def merged(*lists: str) -> str:
    """One list of all of them; what is no list of nodes is left out."""
    return hosts.fold(hosts.in_order(name for each in lists for name in _names(each)))


def _said(sight: Sight, rules: set[str]) -> list[str]:
    """Every word that may be the name of a node."""
    texts = list[str]()
    for alarm in sight.memory.book.alarms:
        if alarm.finding.rule in rules and alarm.fired_at is not None:
            texts += [alarm.finding.labels.get("node", ""), *alarm.finding.evidence]
    if sight.attempt is not None:
        texts += _of_faults(sight.attempt)
    return [word for text in texts for word in _WORDS.findall(text)]


def _of_faults(attempt: Attempt) -> list[str]:
    return [each.node for each in (attempt.fault, attempt.cascade) if each is not None]


def _names(folded: str) -> tuple[str, ...]:
    try:
        return hosts.expand(folded)
    except ValueError:
        return ()
