"""Reports on the speed of ranks -> the last few of them; and which nodes are slow in all of those.

The trap: a report lists the slowest and the fastest ranks only, so the median is one of what is listed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.core.draft import Draft
from trainwatch.core.model.records import RankSpeed, RankSpeeds
from trainwatch.core.model.state import RankReport

MOST = 6  # reports that are kept
_MOST_RANKS = 256  # of a report


class Slow(NamedTuple):
    """A node, or a rank of which no node is known, that is slow in each of the last reports."""

    node: str
    ranks: tuple[int, ...]
    slower: float  # 0..1, than the median: the least of the reports
    gain: float  # 0..1, by which the slowest of all others is faster, in the last report


def on_rank_speeds(draft: Draft, record: RankSpeeds) -> None:
    """A line of a report."""
    reports = draft.state.rank_reports
    time = draft.tell_time(record) if record.stamp is not None else draft.now()
    attempt = draft.attempt.index
    if record.report:
        new = RankReport(kind=record.report, attempt=attempt, time=time, speeds=record.speeds)
        if new.kind == "other":
            return draft.set(rank_reports=(*_named(reports), new))
        return draft.set(rank_reports=(*_named(reports), new)[-MOST - 1 :])
    if not reports or reports[-1].attempt != attempt or reports[-1].kind == "other":
        return None
    known = {speed.rank: speed for speed in (*reports[-1].speeds, *record.speeds)}
    last = replace(reports[-1], speeds=tuple(known.values())[:_MOST_RANKS])
    return draft.set(rank_reports=(*reports[:-1], last))


def _named(reports: tuple[RankReport, ...]) -> tuple[RankReport, ...]:
    """Without the one whose scores say nothing: it only kept its rows from being taken for others."""
    return reports[:-1] if reports and reports[-1].kind == "other" else reports


def slow_in_all(reports: Sequence[RankReport], least: float) -> list[Slow]:
    """What is slower than the median by `least` (0..1) in each report, the slowest first."""
    each = [_slow(report.speeds, least) for report in reports]
    if not each:
        return []
    always = set(each[0]).intersection(*each[1:])
    by_node = dict[str, list[tuple[int, str]]]()
    for rank, node in sorted(always):
        by_node.setdefault(node or f"rank {rank}", []).append((rank, node))
    found = []
    for keys in by_node.values():
        slower = max(min(shares[key] for shares in each) for key in keys)
        ranks = tuple(rank for rank, _ in keys)
        found.append(Slow(keys[0][1], ranks, slower, _gain(reports[-1].speeds, keys)))
    return sorted(found, key=lambda slow: (-slow.slower, slow.ranks))


def _slow(speeds: Sequence[RankSpeed], least: float) -> dict[tuple[int, str], float]:
    """(rank, node) -> by how much it is slower than the median, where that is `least` or more."""
    values = sorted(speed.speed for speed in speeds)
    usual = values[len(values) // 2] if len(values) > 1 else 0.0  # the upper one, of two
    if usual <= 0:
        return {}
    shares = {(s.rank, s.node): 1 - s.speed / usual for s in speeds}
    return {key: share for key, share in shares.items() if share >= least}


def _gain(speeds: Sequence[RankSpeed], keys: Sequence[tuple[int, str]]) -> float:
    """How much faster the run may be without them: all wait for the slowest."""
    nodes, ranks = {node for _, node in keys if node}, {rank for rank, _ in keys}
    others = [s.speed for s in speeds if s.rank not in ranks and s.node not in nodes]
    slowest = min((s.speed for s in speeds), default=0.0)
    return max(0.0, min(others) / slowest - 1) if others and slowest > 0 else 0.0
