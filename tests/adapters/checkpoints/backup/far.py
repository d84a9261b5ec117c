"""Checkpoints and a place to copy them to, small and real."""

from collections.abc import Callable
from pathlib import Path

from tests.adapters.checkpoints.disk import NOW
from trainwatch.adapters.checkpoints.backup.vault import Vault
from trainwatch.adapters.checkpoints.listing import Lister
from trainwatch.core import backups
from trainwatch.core.model.backups import Content, Copy, Format, Made, Place


def vault(to: str | Path, into: str = "tr", *, create: bool = False) -> Vault:
    """Without a clock: nothing is held back."""
    return Vault(Place(to=str(to), into=into, create=create), lambda: 0.0, lambda _: None)


def order(
    root: Path,
    name: str = "global_step10",
    content: Content = "whole",
    format_: Format = "files",
    at: float = NOW,
) -> Copy:
    """For a checkpoint as it is now."""
    seen = Lister(root, 1e9, lambda: 0.0, lambda _: None).look(NOW)
    one = next(each for each in seen.found if each.name == name)
    return Copy(
        root=str(root),
        checkpoint=name,
        iteration=one.iteration,
        run="tr",
        content=content,
        format=format_,
        origin=backups.origin(one.contents),
        at=at,
        trainwatch="0",
    )


def unheard(_: str, __: int) -> None:
    """Nobody listens."""


def make(place: Vault, wanted: Copy, told: Callable[[str, int], None] = unheard) -> Made:
    """One backup."""
    return place.make(wanted, told)


def contents(folder: Path) -> dict[str, bytes]:
    """All files below, by path."""
    if folder.is_file():
        return {folder.name: folder.read_bytes()}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
