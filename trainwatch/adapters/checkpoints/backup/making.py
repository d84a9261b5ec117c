"""Makes one backup: what was begun is written down first, each file is read back, the manifest comes last.

Killed at any moment, what is at the other side is no backup, and the next run goes on: a file that is there
with the right bytes is not sent again. Nothing there is ever removed but what our own list of what was begun
names.
"""

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from trainwatch.adapters.checkpoints.backup import shelf
from trainwatch.adapters.checkpoints.backup.errors import NotCopied, NotRead
from trainwatch.adapters.checkpoints.backup.far import Far
from trainwatch.adapters.checkpoints.backup.near import Near, Piece
from trainwatch.adapters.checkpoints.backup.sums import Meter, Sum
from trainwatch.adapters.checkpoints.pace import Pace
from trainwatch.core import backups
from trainwatch.core.backups import BEGUN, MANIFEST
from trainwatch.core.model.backups import Begun, Copy, Head, Item, Made, Manifest, Origin
from trainwatch.core.words import clean, short

_ROOM = 1.02  # a tar adds to what it holds


class Making:
    """One backup that is made. Raises NotCopied, NotRead, FarTrouble."""

    def __init__(
        self, far: Far, order: Copy, stats: Pace, meter: Meter, say: Callable[[str], None]
    ) -> None:
        """`say` hears what is done now."""
        self._far, self._order, self._meter, self._say = far, order, meter, say
        self._near = Near(Path(order.root), order.checkpoint, order.iteration, stats)
        self._copied = 0

    def make(self) -> Made:
        """All of it; or nothing but a new line in the manifest of one that is the same byte by byte."""
        self._check_place()
        pieces, origin = self._listed()
        known = shelf.look(self._far)
        chosen = self._chosen(pieces)
        if made := self._there_already(known.backups, chosen, origin):
            return Made(head=made)
        begun = self._begin([head.label for head in known.backups], chosen)
        self._check_room(begun, chosen)
        manifest = (self._tar if self._order.format == "tar" else self._files)(begun, chosen)
        if self._near.listed() != (pieces, origin):
            raise NotCopied(f"{self._shown} changed while it was copied: it is done again later")
        shelf.write(self._far, f"{begun.label}{MANIFEST}", manifest)
        self._far.remove(f"{begun.label}{BEGUN}")
        return Made(head=manifest.head, copied=self._copied)

    @property
    def _shown(self) -> str:
        return clean(self._order.checkpoint, 80)

    def _check_place(self) -> None:
        """A copy inside the folder of checkpoints is lost with it."""
        folder, root = self._far.folder, Path(self._order.root).resolve()
        if folder is not None and folder.resolve().is_relative_to(root):
            raise NotCopied(f"{folder} lies in the folder of the checkpoints itself: name another")

    def _listed(self) -> tuple[list[Piece], Origin]:
        pieces, origin = self._near.listed()
        if origin != self._order.origin:
            raise NotCopied(
                f"{self._shown} changed since it was looked at: it may be being written"
            )
        return pieces, origin

    def _chosen(self, pieces: list[Piece]) -> list[Piece]:
        names = set(backups.chosen((piece.name for piece in pieces), self._order.content))
        found = [piece for piece in pieces if piece.name in names]
        if not found:
            raise NotCopied(f"{self._shown} holds nothing but states of the optimizer")
        return found

    def _there_already(
        self, known: tuple[Head, ...], chosen: list[Piece], origin: Origin
    ) -> Head | None:
        """One that holds the same bytes, though the times are others: it was restored, or touched."""
        sizes = {piece.name: piece.bytes for piece in chosen}
        for head in known:
            if (head.checkpoint, head.content) != (self._order.checkpoint, self._order.content):
                continue
            if origin in head.origins:
                return head
            manifest = shelf.manifest(self._far, head.label)
            if {item.name: item.bytes for item in manifest.files} != sizes:
                continue
            self._say("comparing with what is there")
            if not all(self._is(piece, item) for piece, item in _paired(chosen, manifest)):
                continue
            same = msgspec.structs.replace(head, origins=(*head.origins, origin))
            manifest = msgspec.structs.replace(manifest, head=same)
            shelf.write(self._far, f"{head.label}{MANIFEST}", manifest)
            return same
        return None

    def _is(self, piece: Piece, item: Item) -> bool:
        return self._of(piece).sha256 == item.sha256

    def _begin(self, labels: list[str], chosen: list[Piece]) -> Begun:
        """Go on with what was begun, or write down what is. A name that somebody else uses is left alone."""
        there = self._far.listed()
        order = self._order
        taken = set(labels)
        while True:
            label = backups.label(order.checkpoint, order.content, taken)
            begun = Begun(
                label=label,
                checkpoint=order.checkpoint,
                content=order.content,
                format=order.format,
                origin=order.origin,
                files=tuple(piece.name for piece in chosen),
            )
            if f"{label}{BEGUN}" in there:
                before = shelf.begun(self._far, label)
                if before is not None and before != begun:
                    self._discard(before)
                if before == begun:
                    return begun
            elif {label, f"{label}{backups.ARCHIVE}", f"{label}{MANIFEST}"} & set(there):
                taken.add(label)  # it is none of ours
                continue
            shelf.write(self._far, f"{label}{BEGUN}", begun)
            return begun

    def _discard(self, before: Begun) -> None:
        """What was begun of a checkpoint that is another by now: our own unfinished parts."""
        self._say("removing what was begun before the checkpoint changed")
        if before.format == "tar":
            self._far.remove(shelf.path_of(before.label, "", archive=True))
            return
        for name in before.files:
            self._far.remove(shelf.path_of(before.label, name, archive=False))

    def _check_room(self, begun: Begun, chosen: list[Piece]) -> None:
        free = self._far.free_bytes()
        there = self._sizes(begun.label, chosen) if begun.format == "files" else {}
        needed = sum(piece.bytes for piece in chosen if there.get(piece.name) != piece.bytes)
        if free is not None and needed * _ROOM > free:
            raise NotCopied(
                f"{self._far.place.name} has room for {short(free, 'B')}, and {self._shown} takes "
                f"{short(needed, 'B')} more"
            )

    def _sizes(self, label: str, chosen: list[Piece]) -> dict[str, int]:
        """Of what is there, folder by folder."""
        found = dict[str, int]()
        for below in sorted({piece.name.rpartition("/")[0] for piece in chosen}):
            folder = f"{label}/{below}" if below else label
            for name, there in self._far.listed(folder).items():
                found[f"{below}/{name}" if below else name] = there.bytes
        return found

    def _files(self, begun: Begun, chosen: list[Piece]) -> Manifest:
        sizes = self._sizes(begun.label, chosen)
        items = []
        for place, piece in enumerate(chosen, 1):
            self._say(f"file {place:,} of {len(chosen):,}")
            path = shelf.path_of(begun.label, piece.name, archive=False)
            item = self._kept(piece, path) if sizes.get(piece.name) == piece.bytes else None
            items.append(item or self._sent(piece, path))
        return Manifest(head=self._head(begun, items), files=tuple(items))

    def _kept(self, piece: Piece, path: str) -> Item | None:
        """A file that an earlier run has sent; None where it is another."""
        far = self._far_sum(path)
        own = self._of(piece)
        return own if far == (own.bytes, own.sha256) else None

    def _sent(self, piece: Piece, path: str) -> Item:
        with self._far.writing(path, piece.bytes) as sink, self._near.opened(piece) as source:
            passed = Sum(self._meter, source).drain(sink)
        self._copied += passed.bytes
        self._proven(path, passed)
        return Item(name=piece.name, bytes=passed.bytes, sha256=passed.sha256)

    def _tar(self, begun: Begun, chosen: list[Piece]) -> Manifest:
        """One stream, begun anew where it was cut short: nothing goes on in the middle of an object."""
        path, items = shelf.path_of(begun.label, "", archive=True), list[Item]()
        total = sum(piece.bytes for piece in chosen)
        with self._far.writing(path, int(total * _ROOM)) as sink:
            packed = Sum(self._meter, sink=sink)
            with _tar_stream(packed) as archive:
                for place, piece in enumerate(chosen, 1):
                    self._say(f"file {place:,} of {len(chosen):,}")
                    items.append(self._packed(archive, piece))
        self._copied += packed.bytes
        self._say("reading it back")
        self._proven(path, packed)
        whole = Item(name=path, bytes=packed.bytes, sha256=packed.sha256)
        return Manifest(head=self._head(begun, items), files=tuple(items), archive=whole)

    def _packed(self, archive: tarfile.TarFile, piece: Piece) -> Item:
        order = self._order
        inside = piece.name if self._near.single else f"{order.checkpoint}/{piece.name}"
        info = tarfile.TarInfo(inside)
        info.size, info.mtime = piece.bytes, int(order.at)
        with self._near.opened(piece) as source:
            passed = Sum(Meter(None, lambda _: None), source)
            try:
                archive.addfile(info, passed)
            except OSError as error:
                if passed.bytes < piece.bytes and error.errno is None:  # tarfile's "unexpected end"
                    raise NotCopied(f"{clean(inside, 160)} became shorter") from error
                raise
        return Item(name=piece.name, bytes=passed.bytes, sha256=passed.sha256)

    def _proven(self, path: str, sent: Sum) -> None:
        """Read it back. It stays where it is when it differs: the next run writes it anew."""
        if self._far_sum(path) != (sent.bytes, sent.sha256):
            raise NotRead(
                f"{self._far.place.name}/{clean(path, 160)} reads back otherwise than it was written: "
                "nothing there counts as a backup"
            )

    def _far_sum(self, path: str) -> tuple[int, str] | None:
        try:
            with self._far.reading(path) as source:
                passed = Sum(self._meter, source).drain()
        except FileNotFoundError:
            return None
        return passed.bytes, passed.sha256

    def _of(self, piece: Piece) -> Item:
        with self._near.opened(piece) as source:
            passed = Sum(self._meter, source).drain()
        return Item(name=piece.name, bytes=passed.bytes, sha256=passed.sha256)

    def _head(self, begun: Begun, items: list[Item]) -> Head:
        order = self._order
        return Head(
            label=begun.label,
            checkpoint=order.checkpoint,
            iteration=order.iteration,
            run=order.run,
            content=order.content,
            format=order.format,
            made_at=order.at,
            trainwatch=order.trainwatch,
            origins=(order.origin,),
            bytes=sum(item.bytes for item in items),
            single=self._near.single,
        )


def _tar_stream(sink: Any) -> tarfile.TarFile:
    """One that never goes back, and moves large pieces at once."""
    made = tarfile.open(  # noqa: SIM115 - whoever asks closes it
        fileobj=sink, mode="w|", format=tarfile.PAX_FORMAT, bufsize=shelf.CHUNK_BYTES
    )
    setattr(made, "copybufsize", shelf.CHUNK_BYTES)  # noqa: B010 - typeshed does not know it
    return made


def _paired(chosen: list[Piece], manifest: Manifest) -> list[tuple[Piece, Item]]:
    items = {item.name: item for item in manifest.files}
    return [(piece, items[piece.name]) for piece in chosen]
