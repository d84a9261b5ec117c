"""Backups of checkpoints: what is wished for, the manifest that proves one, and what is still to be made."""

from typing import Literal

import msgspec

from trainwatch.core.model.policies import Policy

Content = Literal["whole", "weights"]
Format = Literal["files", "tar"]
VERSION = 1  # of a manifest; one of a newer trainwatch is not taken for a backup


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What a checkpoint was when it was copied: another of the same name has other sizes, or times."""

    files: int
    bytes: int
    shape: str  # core/checkpoints/contents.py
    written_at: float | None = None


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A file by its path inside the checkpoint; or the archive that holds them all."""

    name: str
    bytes: int
    sha256: str


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """A backup but for the list of its files. `label` is its name at the other side.

    `origins`: the checkpoints that were proven to be this very one, byte by byte.
    """

    label: str
    checkpoint: str
    iteration: int
    run: str
    content: Content
    format: Format
    made_at: float
    trainwatch: str
    origins: tuple[Origin, ...]
    bytes: int
    single: bool = False  # the checkpoint is a file, not a folder


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Written last: its being there says that all else is, and was read back."""

    schema_version: int = VERSION
    head: Head
    files: tuple[Item, ...]
    archive: Item | None = None


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """Stands at the other side from before the first byte until the manifest is there.

    `files`: the names that are ours to write, and to remove where the checkpoint has changed since.
    """

    schema_version: int = VERSION
    label: str
    checkpoint: str
    content: Content
    format: Format
    origin: Origin
    files: tuple[str, ...]


class Shelf(msgspec.Struct, frozen=True, kw_only=True):
    """What is at one place. `begun`: labels that are not finished; `odd`: what is no manifest, and why."""

    backups: tuple[Head, ...] = ()
    begun: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where backups go: a folder `into` below `to`, which has to exist unless `create`."""

    to: str
    into: str = ""
    create: bool = False
    bytes_per_s: float | None = None

    @property
    def name(self) -> str:
        """As people are told of it."""
        return f"{self.to.rstrip('/')}/{self.into}" if self.into else self.to


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """One backup that is to be made. `origin`: as the checkpoint was seen when that was decided."""

    root: str
    checkpoint: str
    iteration: int
    run: str
    content: Content
    format: Format
    origin: Origin
    at: float
    trainwatch: str
    stats_per_s: float = 200.0


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. `copied`: bytes that were written; none where all of it was there already."""

    head: Head
    copied: int = 0


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Of which checkpoints a backup is wanted at a place, and which of them are there.

    `unknown`: why nobody can say what is there; then nothing is.
    """

    place: str
    policy: Policy
    content: Content = "whole"
    format: Format = "files"
    there: tuple[Head, ...] = ()
    unknown: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint that is wanted at a place. `place` counts the wishes. `bytes`: what is to be copied."""

    name: str
    iteration: int
    bytes: int
    place: int
    to: str
    content: Content
    why: tuple[str, ...]
    label: str = ""  # of its backup; empty: it is due
    purged_in_s: float | None = None  # where the site removes what nobody reads


class BackupPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted, by iteration; `due`: what is still to be made, the most urgent first."""

    schema_version: int = 1
    root: str
    rows: tuple[Row, ...] = ()
    due: tuple[Row, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def due_bytes(self) -> int:
        """What is to be copied."""
        return sum(row.bytes for row in self.due)
