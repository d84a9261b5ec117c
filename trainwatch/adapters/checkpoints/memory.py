"""What a lister saw, for the next process: it walks no million files again, and forgets no proof.

The trap: it is a cache. A file that is damaged or gone costs a walk, and nothing else.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from trainwatch.adapters.checkpoints.listing import Seen

FILE = "checkpoints.json"


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    version: int = 1
    root: str  # another folder's checkpoints have other contents under the same names
    known: dict[str, Seen] = {}


_decode = msgspec.json.Decoder(_Kept).decode


def load(path: Path, root: Path) -> dict[str, Seen]:
    """What was seen of this root; nothing where nobody knows. Raises nothing."""
    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        kept = _decode(path.read_bytes())
        if kept.version == _Kept(root="").version and kept.root == str(root):
            return dict(kept.known)
    return {}


def save(path: Path, root: Path, known: Mapping[str, Seen]) -> None:
    """Replace it at once. Raises nothing: a full disk is told by others."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(msgspec.json.encode(_Kept(root=str(root), known=dict(known))))
        beside.replace(path)
    except (OSError, UnicodeError, msgspec.MsgspecError):
        with suppress(OSError):
            beside.unlink()
