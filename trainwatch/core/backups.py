"""Which backups are wanted, which of them there are, and what comes next; whether a manifest may be trusted.

The trap: a name proves nothing. After a rollback another checkpoint stands under it: what was backed up is
known by sizes, names and times, and a file at the other side is foreign text that may lead anywhere.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from trainwatch.core import retention
from trainwatch.core.checkpoints.contents import Contents, is_optimizer
from trainwatch.core.checkpoints.survey import Found, Survey
from trainwatch.core.model.backups import (
    VERSION,
    BackupPlan,
    Content,
    Head,
    Manifest,
    Origin,
    Row,
    Wish,
)
from trainwatch.core.patterns import pattern
from trainwatch.core.words import clean

MANIFEST, BEGUN, ARCHIVE = ".manifest.json", ".unfinished.json", ".tar"
_DAY_S = 86_400.0
_SHA256 = pattern(r"[0-9a-f]{64}")
_WEIGHTS = "-weights"


class Purge(msgspec.Struct, frozen=True, kw_only=True):
    """The site removes what was not read for `after_days`; None: it removes nothing."""

    after_days: float | None = None
    warn_days: float = 7.0


def plan(
    root: str,
    seen: Survey,
    wishes: Sequence[Wish],
    purge: Purge | None = None,
    only: Collection[str] = (),
) -> BackupPlan:
    """What is wanted at each place. `only`: just these, by name, whatever the policies say."""
    refused = [
        f"it is not known what is backed up: {wish.unknown}" for wish in wishes if wish.unknown
    ]
    refused += [why for name in sorted(set(only)) if (why := _not_to_be_had(seen, name))]
    rows = [
        _row(one, number, wish, why, seen.at, purge or Purge())
        for number, wish in enumerate(wishes)
        for one, why in _wanted(seen, wish, only)
    ]
    rows.sort(key=lambda row: (row.iteration, row.name, row.place))
    # A refusal for one name leaves the others; what is not known at a place leaves the other places.
    unsure = {number for number, wish in enumerate(wishes) if wish.unknown}
    due = [row for row in rows if not row.label and row.place not in unsure]
    return BackupPlan(
        root=root,
        rows=tuple(rows),
        due=tuple(sorted(due, key=_urgency)),
        refused=tuple(refused),
    )


def origin(contents: Contents) -> Origin:
    """What a checkpoint is known by."""
    return Origin(
        files=contents.files,
        bytes=contents.bytes,
        shape=contents.shape,
        written_at=contents.written_at,
    )


def backup_of(one: Found, content: Content, there: Iterable[Head]) -> Head | None:
    """The backup of this very checkpoint, the newest of them. A whole one has the weights, too."""
    own = origin(one.contents)
    found = [
        head
        for head in there
        if head.checkpoint == one.name
        and head.content in ("whole", content)
        and own in head.origins
    ]
    return max(found, key=lambda head: (head.content == content, head.made_at), default=None)


def backed_up(seen: Survey, wish: Wish) -> frozenset[str]:
    """The checkpoints that are safe at a place."""
    return frozenset(one.name for one in seen.found if backup_of(one, wish.content, wish.there))


def chosen(names: Iterable[str], content: Content) -> list[str]:
    """The files that go into a backup, in order."""
    return sorted(name for name in names if content == "whole" or not is_optimizer(name))


def label(checkpoint: str, content: Content, taken: Collection[str]) -> str:
    """A name at the other side that is free: of a checkpoint that was written anew a further one."""
    base = checkpoint + (_WEIGHTS if content == "weights" else "")
    free, number = base, 1
    while free in taken:
        number += 1
        free = f"{base}.{number}"
    return free


def named(heads: Iterable[Head], name: str) -> list[Head]:
    """The backups that a person may mean: by label, else by checkpoint; whole and newest first."""
    there = list(heads)
    found = [head for head in there if head.label == name]
    found = found or [head for head in there if head.checkpoint == name]
    return sorted(found, key=lambda head: (head.content != "whole", -head.made_at))


def untrusted(manifest: Manifest, file_label: str) -> str:
    """Why a manifest is not believed; empty where it is whole and leads nowhere else."""
    head, names = manifest.head, [item.name for item in manifest.files]
    if manifest.schema_version > VERSION:
        return f"it is of a newer trainwatch (version {manifest.schema_version})"
    if head.label != file_label:
        return f"it speaks of {clean(head.label, 80)}"
    if not names or len(set(names)) != len(names):
        return "it names no file, or one twice"
    for name in (head.checkpoint, *names):
        if why := nameless(name):
            return f"the name {clean(repr(name), 80)} {why}"
    if "/" in head.checkpoint or (head.single and names != [head.checkpoint]):
        return "its checkpoint has no plain name"
    items = (*manifest.files, *((manifest.archive,) if manifest.archive else ()))
    if any(_SHA256.fullmatch(item.sha256) is None or item.bytes < 0 for item in items):
        return "a checksum or a size in it is none"
    if (head.format == "tar") != (manifest.archive is not None):
        return "it does not say how it is packed"
    return ""


def nameless(name: str) -> str:
    """Why no other place could be trusted with a name; empty where it could."""
    if not name or not name.isprintable():
        return "holds control characters, or is not UTF-8"
    if name.startswith("/") or any(part in ("", ".", "..") for part in name.split("/")):
        return "leads out of its folder"
    return ""


def _not_to_be_had(seen: Survey, name: str) -> str:
    for one in seen.found:
        if one.name == name:
            return "" if one.state == "complete" else f"{name} is {one.state}: {one.why}"
    return f"no checkpoint here is called {clean(name, 80)}"


def _wanted(
    seen: Survey, wish: Wish, only: Collection[str]
) -> Iterable[tuple[Found, tuple[str, ...]]]:
    reasons: Mapping[str, tuple[str, ...]] = retention.wanted(seen, wish.policy)
    for one in seen.found:
        if one.state != "complete" or (only and one.name not in only):
            continue
        why = reasons.get(one.name, ())
        if why or only:
            yield one, why or ("asked for by name",)


def _row(
    one: Found, number: int, wish: Wish, why: tuple[str, ...], now: float, purge: Purge
) -> Row:
    made = backup_of(one, wish.content, wish.there)
    contents = one.contents
    return Row(
        name=one.name,
        iteration=one.iteration,
        bytes=contents.weights_bytes if wish.content == "weights" else contents.bytes,
        place=number,
        to=wish.place,
        content=wish.content,
        why=why,
        label=made.label if made is not None else "",
        purged_in_s=_purged_in_s(one, now, purge),
    )


def _purged_in_s(one: Found, now: float, purge: Purge) -> float | None:
    """None where it is not near."""
    if purge.after_days is None or one.contents.read_at is None:
        return None
    left_s = one.contents.read_at + purge.after_days * _DAY_S - now
    return left_s if left_s <= purge.warn_days * _DAY_S else None


def _urgency(row: Row) -> tuple[float, int, int]:
    """What is about to be purged first, the soonest of it; then the newest: losing it costs the most."""
    soon = row.purged_in_s if row.purged_in_s is not None else float("inf")
    return (soon, -row.iteration, row.place)
