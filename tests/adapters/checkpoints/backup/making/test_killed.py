"""Backups of real folders, killed at every step: the next run completes them and harms nothing."""

import shutil
from itertools import count
from pathlib import Path

import pytest

from tests.adapters.checkpoints.backup.far import contents, make, order, unheard, vault
from tests.adapters.checkpoints.disk import SHARDS
from tests.dying import dies_at
from trainwatch.adapters.checkpoints.backup.errors import NotCopied
from trainwatch.core.model.backups import Format


@pytest.mark.parametrize("format_", ["files", "tar"])
def test_killed_at_every_step_the_next_run_completes_it(
    root: Path, far: Path, format_: Format
) -> None:
    wanted, before = order(root, format_=format_), contents(far)
    original = contents(root)
    for step in count(1):
        died = dies_at(step, lambda: make(vault(far), wanted))
        assert contents(root) == original
        shelf = vault(far).look()
        assert shelf.odd == ()
        for head in shelf.backups:  # what counts as a backup is one
            assert vault(far).verify(head.label, unheard) == ()
        make(vault(far), wanted)
        assert {head.label for head in vault(far).look().backups} == {
            "global_step10",
            "global_step20",
        }
        assert vault(far).verify("global_step10", unheard) == ()
        for path in [each for each in (far / "tr").iterdir() if "step10" in each.name]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        assert contents(far) == before, "nothing else was left, or harmed"
        if not died:
            break
    assert step > 20


def test_killed_at_every_step_of_restoring_the_next_run_completes_it(
    root: Path, far: Path, tmp_path: Path
) -> None:
    back = tmp_path / "back"
    before = contents(far)
    for step in count(1):
        died = dies_at(step, lambda: vault(far).restore("global_step20", str(back), unheard))
        if (back / "global_step20").exists():  # under its name only when all of it is there
            assert contents(back / "global_step20") == contents(root / "global_step20")
        else:
            vault(far).restore("global_step20", str(back), unheard)
        assert contents(back) == {
            f"global_step20/{name}": data for name, data in contents(root / "global_step20").items()
        }
        shutil.rmtree(back)
        if not died:
            break
    assert step > 5
    assert contents(far) == before


def test_what_was_sent_is_not_sent_again(root: Path, far: Path) -> None:
    moved = 0

    def dies_late(doing: str, count_: int) -> None:
        nonlocal moved
        moved += count_
        if doing == "file 2 of 2" and count_:
            raise NotCopied("killed")

    with pytest.raises(NotCopied, match="killed"):
        make(vault(far), order(root), dies_late)
    assert vault(far).look().begun == ("global_step10",)
    assert make(vault(far), order(root)).copied == 100, "one file of two"
    assert vault(far).look().begun == ()


def test_what_was_begun_before_the_checkpoint_changed_goes_and_nothing_else(
    root: Path, far: Path
) -> None:
    def dies(doing: str, _: int) -> None:
        if doing == "file 2 of 3":
            raise NotCopied("killed")

    extra = root / "global_step10" / "extra.pt"
    extra.write_bytes(b"1")
    with pytest.raises(NotCopied):
        make(vault(far), order(root), dies)
    theirs = far / "tr" / "global_step10" / "theirs"
    theirs.write_bytes(b"kept")
    extra.unlink()
    make(vault(far), order(root))
    assert set(contents(far / "tr" / "global_step10")) == {*SHARDS, "theirs"}
    assert vault(far).verify("global_step10", unheard) == ()
