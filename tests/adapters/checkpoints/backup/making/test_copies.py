"""What a backup holds when a checkpoint was touched, is written anew, is one file, or holds links."""

import os
from pathlib import Path

import pytest

from tests.adapters.checkpoints.backup.far import contents, make, order, unheard, vault
from tests.adapters.checkpoints.disk import NOW, SHARDS


def test_a_checkpoint_that_was_written_anew_has_a_backup_of_its_own(root: Path, far: Path) -> None:
    (root / "global_step20" / SHARDS[0]).write_bytes(b"y" * 100)
    os.utime(root / "global_step20" / SHARDS[0], (NOW, NOW))
    made = make(vault(far), order(root, "global_step20"))
    assert (made.head.label, made.copied) == ("global_step20.2", 200)
    for label in ("global_step20", "global_step20.2"):
        assert vault(far).verify(label, unheard) == ()


def test_one_that_was_only_touched_is_known_by_its_bytes(root: Path, far: Path) -> None:
    for path in (root / "global_step20").iterdir():
        os.utime(path, (NOW, NOW))
    made = make(vault(far), order(root, "global_step20"))
    assert (made.head.label, made.copied, len(made.head.origins)) == ("global_step20", 0, 2)
    assert vault(far).look().backups == (made.head,)


@pytest.mark.parametrize(
    "name", ["global_step10", "global_step10.tar", "global_step10.manifest.json"]
)
def test_what_somebody_else_put_there_is_left_alone(root: Path, far: Path, name: str) -> None:
    (far / "tr" / name).write_bytes(b"theirs")
    assert make(vault(far), order(root)).head.label == "global_step10.2"
    assert (far / "tr" / name).read_bytes() == b"theirs"


def test_a_checkpoint_that_is_one_file(root: Path, far: Path, tmp_path: Path) -> None:
    single = root / "epoch=0-step=5.ckpt"
    single.write_bytes(b"weights" * 1000)
    for format_, into in (("files", "a"), ("tar", "b")):
        place = vault(far, into)
        make(place, order(root, single.name, format_=format_))  # type: ignore[arg-type]
        place.restore(single.name, str(tmp_path / into), unheard)
        assert contents(tmp_path / into) == {single.name: single.read_bytes()}


def test_a_link_to_a_file_of_the_checkpoint_is_copied_as_that_file(root: Path, far: Path) -> None:
    (root / "global_step10" / "again.pt").symlink_to(SHARDS[0])
    make(vault(far), order(root))
    assert not (far / "tr" / "global_step10" / "again.pt").is_symlink()
    assert (far / "tr" / "global_step10" / "again.pt").read_bytes() == b"x" * 100
