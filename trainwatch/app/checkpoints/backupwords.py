"""Backups of checkpoints as plain text: what is due, what is where, and what came of it."""

from collections.abc import Mapping, Sequence

from trainwatch.app.checkpoints.words import size, table
from trainwatch.core.model.backups import BackupPlan, Head, Row, Shelf
from trainwatch.core.words import clean, duration

_SHOWN = 20  # of what is damaged


def plan(made: BackupPlan) -> str:
    """What is wanted and why, in the order in which it is made; and what is there already."""
    rows = [
        (f"{place}.", row.name, size(row.bytes), row.content, f"to {row.to}: {_why(row)}")
        for place, row in enumerate(made.due, 1)
    ]
    there = [row for row in made.rows if row.label]
    rows += [
        ("there", row.name, size(row.bytes), row.content, f"at {row.to}, as {row.label}")
        for row in there
    ]
    refused = [f"  refused: {clean(why, 300)}" for why in made.refused]
    head = f"{clean(made.root, 200)}: {len(there)} backed up, {len(made.due)} due"
    total = f"{head}, {size(made.due_bytes)} to copy" if made.due else head
    return "\n".join([total, *table(rows), *refused])


def where(made: BackupPlan) -> Mapping[str, str]:
    """Of each checkpoint that is wanted anywhere: where it is, and where not yet."""
    found = dict[str, list[str]]()
    for row in made.rows:
        said = f"backed up at {row.to}" if row.label else f"not backed up yet at {row.to}"
        found.setdefault(row.name, []).append(said)
    return {name: ", ".join(each) for name, each in found.items()}


def shelf(place: str, there: Shelf, now: float) -> str:
    """A line for each backup at a place."""
    rows = [
        (
            head.label,
            size(head.bytes),
            head.content,
            head.format,
            f"{duration(max(0.0, now - head.made_at))} ago",
            f"iteration {head.iteration:,} of {head.run}",
        )
        for head in sorted(there.backups, key=lambda head: (head.iteration, head.label))
    ]
    begun = [f"  {clean(label, 100)} was begun and is not finished" for label in there.begun]
    odd = [f"  no backup: {clean(why, 300)}" for why in there.odd]
    total = sum(head.bytes for head in there.backups)
    head = f"{clean(place, 200)}: {len(there.backups)} backups, {size(total)}"
    return "\n".join([head, *table(rows), *begun, *odd])


def verified(place: str, label: str, wrong: Sequence[str]) -> str:
    """What came of reading a backup through."""
    at = f"{clean(place, 200)}/{clean(label, 100)}"
    if not wrong:
        return f"{at}: every byte is as its manifest says"
    shown = [f"  {why}" for why in wrong[:_SHOWN]]
    more = [f"  and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
    what = f"{at}: {len(wrong)} of its files are not as its manifest says; move it away and back up again"
    return "\n".join([what, *shown, *more])


def back(place: str, head: Head, target: str, others: Sequence[tuple[str, Head]]) -> str:
    """What restoring means."""
    what = f"{clean(place, 200)}/{clean(head.label, 100)} -> {clean(target, 300)}"
    lines = [f"{what}: {size(head.bytes)}, {head.content}, iteration {head.iteration:,}"]
    if head.content == "weights":
        lines.append("  without states of the optimizer: training cannot go on from it as it was")
    lines += [
        f"  there is also {clean(place, 200)}/{clean(head.label, 100)} ({head.content})"
        for place, head in others
    ]
    return "\n".join(lines)


def _why(row: Row) -> str:
    said = list(row.why)
    if row.purged_in_s is not None:
        said.insert(0, f"the site purges it in {duration(max(0.0, row.purged_in_s))}")
    return "; ".join(said)
