"""What the directories of checkpoints are called: name -> layout and iteration.

Formats: the frameworks' own writers; docs/housekeeping.md lists them. The trap: by name, `10` comes before
`9`. Order is by number.
"""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from trainwatch.core.patterns import pattern

Kind = Literal["deepspeed", "universal", "megatron", "torchtitan", "nanotron", "hf", "lightning"]
LATEST_UNIVERSAL = "latest_universal"
UNFINISHED = "-unfinished"  # Lightning's and NeMo's: a file beside the checkpoint


class Layout(NamedTuple):
    """One framework's. `trackers` are the files beside the checkpoints that name the one to load.

    `closing`: any of these inside proves that the last step of writing was done. `bare`: its names say so
    little that they count only where its tracker is.
    """

    kind: Kind
    name: re.Pattern[str]
    trackers: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    bare: bool = False


LAYOUTS = (
    Layout("deepspeed", pattern(r"global_step([0-9]{1,12})"), ("latest",)),
    Layout("universal", pattern(r"global_step([0-9]{1,12})_universal"), (LATEST_UNIVERSAL,)),
    Layout(
        "megatron",
        pattern(r"iter_([0-9]{7,12})"),
        ("latest_checkpointed_iteration.txt",),
        (".metadata",),
    ),
    Layout(
        "torchtitan",
        pattern(r"step-([0-9]{1,12})"),
        closing=(".metadata", "model.safetensors.index.json"),
    ),
    Layout("nanotron", pattern(r"([0-9]{1,12})"), ("latest.txt",), bare=True),
    Layout("hf", pattern(r"checkpoint-([0-9]{1,12})"), closing=("trainer_state.json",)),
    Layout(
        "lightning",
        pattern(r"(?:[^\n]*[-_.])?step=([0-9]{1,12})(?:[-_.][^\n]*)?"),
    ),
)
TRACKERS = tuple(tracker for layout in LAYOUTS for tracker in layout.trackers)
_OF = {layout.kind: layout for layout in LAYOUTS}


class Named(NamedTuple):
    """A directory (of Lightning: or file) whose name is that of a checkpoint."""

    name: str
    kind: Kind
    iteration: int

    @property
    def layout(self) -> Layout:
        """How its framework writes."""
        return _OF[self.kind]


def named(name: str, beside: Iterable[str] = ()) -> Named | None:
    """What a name in a checkpoint folder says; None for any other. `beside`: the trackers there."""
    there = frozenset(beside)
    for layout in LAYOUTS:
        found = layout.name.fullmatch(name)
        if found is None or name.endswith(UNFINISHED):
            continue
        if layout.bare and not there.intersection(layout.trackers):
            continue
        return Named(name, layout.kind, int(found[1]))
    return None


def in_order(found: Iterable[Named]) -> list[Named]:
    """By iteration; the same iteration in two layouts by name."""
    return sorted(found, key=lambda one: (one.iteration, one.name))
