"""What stands at a place: manifests, copies that were begun, and the names that are taken.

The trap: all of it is foreign text. A manifest that is damaged or leads elsewhere is no backup, and is said.
"""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from trainwatch.adapters.checkpoints.backup.errors import NotRead
from trainwatch.adapters.checkpoints.backup.far import Far, There
from trainwatch.core import backups
from trainwatch.core.backups import ARCHIVE, BEGUN, MANIFEST
from trainwatch.core.model.backups import Begun, Head, Item, Manifest, Shelf
from trainwatch.core.words import clean

T = TypeVar("T")
CHUNK_BYTES = 4 * 1024 * 1024
_MOST_BYTES = 512 * 1024 * 1024  # of a manifest: two million files


def look(far: Far) -> Shelf:
    """All backups that may be believed. Raises FarTrouble."""
    there = far.listed()
    heads, odd = list[Head](), list[str]()
    for name in sorted(there):
        if name.endswith(MANIFEST):
            try:
                heads.append(_head(far, name.removesuffix(MANIFEST), there))
            except NotRead as error:
                odd.append(str(error))
    begun = [each.removesuffix(BEGUN) for each in sorted(there) if each.endswith(BEGUN)]
    done = {head.label for head in heads}
    return Shelf(
        backups=tuple(heads),
        begun=tuple(each for each in begun if each not in done),
        odd=tuple(odd),
    )


def manifest(far: Far, label: str) -> Manifest:
    """Of one backup. Raises NotRead for one that is not there or not to be believed, FarTrouble."""
    if "/" in label or (why := backups.nameless(label)):
        raise NotRead(f"{clean(repr(label), 80)} is no name of a backup")
    name, where = f"{label}{MANIFEST}", far.place.name
    found = _read(far, name, Manifest)
    if found is None:
        raise NotRead(f"{where} has no {clean(name, 120)}: there is no backup of that name")
    if why := backups.untrusted(found, label):
        raise NotRead(f"{where}/{clean(name, 120)} is not believed: {why}")
    return found


def begun(far: Far, label: str) -> Begun | None:
    """What was begun under a label and not finished; None for nothing. Raises NotRead, FarTrouble."""
    found = _read(far, f"{label}{BEGUN}", Begun)
    if found is not None and any(backups.nameless(name) for name in found.files):
        raise NotRead(f"{far.place.name}/{clean(label, 80)}{BEGUN} holds names that lead elsewhere")
    return found


def write(far: Far, name: str, value: Manifest | Begun) -> None:
    """A small file of ours. Raises FarTrouble."""
    data = msgspec.json.encode(value) + b"\n"
    with far.writing(name, len(data)) as sink:
        sink.write(data)


def path_of(head_label: str, name: str, *, archive: bool) -> str:
    """Where a file of a backup stands at its place."""
    return f"{head_label}{ARCHIVE}" if archive else f"{head_label}/{name}"


def parts(found: Manifest) -> tuple[tuple[str, Item], ...]:
    """All that stands at the other side for it, by path."""
    label = found.head.label
    if found.archive is not None:
        return ((path_of(label, "", archive=True), found.archive),)
    return tuple((path_of(label, item.name, archive=False), item) for item in found.files)


def _head(far: Far, label: str, there: Mapping[str, There]) -> Head:
    """Of a backup whose bytes are there, as far as one listing can tell."""
    found = manifest(far, label)
    name = path_of(label, "", archive=True) if found.archive is not None else label
    at = there.get(name)
    if at is None or (found.archive is not None and at.bytes != found.archive.bytes):
        gone = "is gone" if at is None else "has another size"
        raise NotRead(
            f"{far.place.name}/{clean(label, 120)} has a manifest, and what it names {gone}"
        )
    return found.head


def _read(far: Far, name: str, kind: type[T]) -> T | None:
    try:
        with far.reading(name) as source:
            data = source.read(_MOST_BYTES)
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise NotRead(f"{far.place.name}/{clean(name, 120)} is a folder") from None
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotRead(
            f"{far.place.name}/{clean(name, 120)} is damaged ({clean(str(error), 120)}): move it away "
            "to go on"
        ) from error
