"""The cluster: its partitions (`sinfo`) and its reservations (`scontrol show reservation`), as values.

The trap: `sinfo` gives a row per partition, state and kind of node; a partition is all of its rows.
"""

import msgspec

from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.model.observations import Reservation
from trainwatch.core.patterns import pattern
from trainwatch.core.slurm import answers, hosts, values
from trainwatch.core.slurm.asking import layout
from trainwatch.core.words import clean

RESERVATIONS = ("scontrol", "show", "reservation", "-o")

_CODES = ("%P", "%a", "%l", "%D", "%T", "%G")
_MARKS = "*~#!%$@^-+"  # what sinfo hangs on the state of a node
_DRAINED = frozenset({"drained", "draining", "drain"})
_WORKING = frozenset({"allocated", "completing", "idle", "mixed", "planned", "reserved"})
_PAIR = pattern(r"(\w+)=(\S*)")
_NONE = "No reservations in the system"
_MOST_LISTED = 10_000
_LONGEST = 100_000  # characters of a list of nodes


class Partition(msgspec.Struct, frozen=True, kw_only=True):
    """A partition and the nodes in it."""

    name: str
    default: bool = False
    up: bool = True  # jobs may start in it
    max_time_s: float | None = None  # None: no limit, or unknown
    nodes_up: int = 0
    nodes_drained: int = 0  # by hand, to be repaired
    nodes_down: int = 0  # and every other state in which nothing runs
    gpus: bool = False  # some of its nodes have GPUs


def argv(separator: str) -> list[str]:
    """The command for the partitions that the user may see. Run it with `asking.ENVIRONMENT`.

    Raises ValueError for a separator that is not a token, see `asking.field_end`.
    """
    return ["sinfo", "-h", "-o", layout(_CODES, separator)]


def parse(data: bytes, separator: str) -> tuple[Partition, ...]:
    """The partitions, in the order of the answer.

    Raises AnswerUnreadable if the answer is empty, cut off, or is something else.
    """
    rows = answers.table(data, separator, len(_CODES), lambda row: row if row[0].strip() else None)
    if not rows.found:
        raise AnswerUnreadable("an answer of sinfo without partitions")
    found: dict[str, Partition] = {}
    for row in rows.found:
        name = row[0].removesuffix("*")
        found[name] = _more(found.get(name), name, row)
    return tuple(found.values())


def _more(so_far: Partition | None, name: str, row: list[str]) -> Partition:
    """The partition with the nodes of one row more."""
    title, up, limit, nodes, state, gres = row
    if so_far is None:
        so_far = Partition(
            name=name, default=title.endswith("*"), up=up == "up", max_time_s=values.seconds(limit)
        )
    kind = f"nodes_{_kind(state)}"
    return msgspec.structs.replace(
        so_far,
        gpus=so_far.gpus or "gpu" in gres.lower(),
        **{kind: getattr(so_far, kind) + (values.count(nodes) or 0)},
    )


def _kind(state: str) -> str:
    """`up`, `drained` or `down`."""
    bare = state.lower().rstrip(_MARKS)
    if state.endswith("*"):  # it does not respond
        return "down"
    if bare in _DRAINED:
        return "drained"
    return "up" if bare in _WORKING else "down"


def parse_reservations(data: bytes, utc_offset_s: float | None = None) -> tuple[Reservation, ...]:
    """The reservations that are, or are to come; `utc_offset_s` is for stamps without a zone.

    Raises AnswerUnreadable if the answer is empty or is something else.
    """
    text = data.decode("utf-8", "replace")
    if text.strip() == _NONE:
        return ()
    rows = [dict(_PAIR.findall(line)) for line in text.splitlines()[:_MOST_LISTED]]
    found = tuple(
        Reservation(
            name=row["ReservationName"],
            start=values.moment(row.get("StartTime", ""), utc_offset_s),
            end=values.moment(row.get("EndTime", ""), utc_offset_s),
            nodes=_nodes(row.get("Nodes")),
            node_count=values.count(row.get("NodeCnt")),
            partition=values.word(row.get("PartitionName")),
            flags=tuple(flag for flag in values.word(row.get("Flags")).split(",") if flag),
        )
        for row in rows
        if row.get("ReservationName")
    )
    if not found:
        raise AnswerUnreadable(f"not an answer of scontrol: {clean(text.strip(), 80)}")
    return found


def _nodes(text: str | None) -> str:
    """A list as it is, if it can be read; empty for none."""
    told = values.word(text)
    try:
        return told if len(told) <= _LONGEST and hosts.expand(told) else ""
    except ValueError:
        return ""
