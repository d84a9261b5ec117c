"""Whether a backup is what its manifest says: by sizes, or by reading all of it."""

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from trainwatch.adapters.checkpoints.backup import shelf
from trainwatch.adapters.checkpoints.backup.far import Far
from trainwatch.adapters.checkpoints.backup.sums import Meter, Sum
from trainwatch.core.model.backups import Manifest
from trainwatch.core.words import clean


def sizes(far: Far, label: str) -> Iterator[str]:
    """What is not there, or has another size; a folder is listed once. Raises NotRead, FarTrouble."""
    found = shelf.manifest(far, label)
    listed = dict[str, dict[str, int]]()
    for path, item in shelf.parts(found):
        at = PurePosixPath(path)
        folder = "" if str(at.parent) == "." else str(at.parent)
        if folder not in listed:
            listed[folder] = {name: there.bytes for name, there in far.listed(folder).items()}
        size = listed[folder].get(at.name)
        if size is None:
            yield f"{clean(path, 160)} is gone"
        elif size != item.bytes:
            yield f"{clean(path, 160)} has {size:,} bytes, and its manifest says {item.bytes:,}"


def bytes_(far: Far, label: str, meter: Meter, say: Callable[[str], None]) -> Iterator[str]:
    """What does not have the checksum that it should. Raises NotRead, FarTrouble."""
    found: Manifest = shelf.manifest(far, label)
    each = shelf.parts(found)
    for place, (path, item) in enumerate(each, 1):
        say(f"{label}: file {place:,} of {len(each):,}")
        try:
            with far.reading(path) as source:
                passed = Sum(meter, source).drain()
        except FileNotFoundError:
            yield f"{clean(path, 160)} is gone"
            continue
        if passed.bytes != item.bytes:
            yield f"{clean(path, 160)} has {passed.bytes:,} bytes, and its manifest says {item.bytes:,}"
        elif passed.sha256 != item.sha256:
            yield f"{clean(path, 160)} is damaged: its checksum is not that of its manifest"
