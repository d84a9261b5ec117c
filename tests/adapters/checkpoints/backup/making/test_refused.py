"""What is no backup: checkpoints that change meanwhile, hold what cannot be copied, or find no room."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.adapters.checkpoints.backup.far import make, order, unheard, vault
from tests.adapters.checkpoints.disk import NOW, SHARDS
from trainwatch.adapters.checkpoints.backup.errors import FarTrouble, NotCopied
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.backups import Format


def _grows(root: Path) -> None:
    with (root / "global_step10" / SHARDS[1]).open("ab") as file:
        file.write(b"more")


def _rewritten(root: Path) -> None:
    (root / "global_step10" / SHARDS[1]).write_bytes(b"z" * 100)
    os.utime(root / "global_step10" / SHARDS[1], (NOW, NOW))


def _gains(root: Path) -> None:
    (root / "global_step10" / "another.pt").write_bytes(b"1")


def _vanishes(root: Path) -> None:
    shutil.rmtree(root / "global_step10")


def _loses(root: Path) -> None:
    (root / "global_step10" / SHARDS[1]).unlink()


@pytest.mark.parametrize("format_", ["files", "tar"])
@pytest.mark.parametrize("does", [_grows, _rewritten, _gains, _vanishes, _loses])
@pytest.mark.parametrize("at", ["file 1 of 2", "before"])
def test_a_checkpoint_that_changes_while_we_look_is_no_backup(
    root: Path, far: Path, format_: Format, does: Callable[[Path], None], at: str
) -> None:
    wanted, left = order(root, format_=format_), [does]

    def changes(doing: str, _: int) -> None:
        if doing == at and left:
            left.pop()(root)

    if at == "before":
        left.pop()(root)
    with pytest.raises(NotCopied, match=r"changed|vanished|shorter|is gone"):
        make(vault(far), wanted, changes)
    assert [head.label for head in vault(far).look().backups] == ["global_step20"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda top: (top / "out").symlink_to("/etc/passwd"), "leads out of the checkpoint"),
        (lambda top: (top / "up").symlink_to("../global_step20"), "leads out of the checkpoint"),
        (lambda top: (top / "gone").symlink_to("nowhere"), "vanished"),
        (lambda top: (top / "here").symlink_to("."), "is no file"),
        (lambda top: os.mkfifo(top / "pipe"), "is no file"),
        (lambda top: (top / "a\nb").touch(), "holds control characters, or is not UTF-8"),
        (lambda top: (top / "\udcff").touch(), "holds control characters, or is not UTF-8"),
    ],
)
def test_what_cannot_be_copied_whole_is_refused(
    root: Path, far: Path, spoil: Callable[[Path], object], said: str
) -> None:
    spoil(root / "global_step10")
    with pytest.raises(NotCopied, match=said):
        make(vault(far), order(root))
    assert [head.label for head in vault(far).look().backups] == ["global_step20"]


def test_a_checkpoint_that_became_a_link_is_refused(root: Path, far: Path) -> None:
    wanted = order(root)
    (root / "global_step10").rename(root.parent / "away")
    (root / "global_step10").symlink_to(root.parent / "away")
    with pytest.raises(NotCopied, match="is a symbolic link"):
        make(vault(far), wanted)


def test_a_place_inside_the_checkpoints_themselves_is_refused(root: Path) -> None:
    (root / "kept").mkdir()
    with pytest.raises(NotCopied, match="lies in the folder of the checkpoints itself"):
        make(vault(root / "kept"), order(root))


@pytest.mark.skipif(os.geteuid() != 0, reason="changes its user to one without rights")
def test_what_may_not_be_read_or_written_says_so(root: Path, far: Path, tmp_path: Path) -> None:
    wanted = order(root)
    for parent in (tmp_path, *tmp_path.parents[:3]):
        parent.chmod(0o755)
    shard = root / "global_step10" / SHARDS[0]
    os.seteuid(65_534)
    try:
        with pytest.raises(FarTrouble, match="may not be written to: ask its owner"):
            make(vault(far), wanted)
    finally:
        os.seteuid(0)
    shard.chmod(0)
    for path in (far, *far.rglob("*")):
        path.chmod(0o777)
    os.seteuid(65_534)
    try:
        with pytest.raises(NotCopied, match=f"global_step10/{SHARDS[0]}: permission denied"):
            make(vault(far), wanted)
    finally:
        os.seteuid(0)


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Mounts things, and unmounts them."""
    there = list[Path]()

    def mount(at: Path, *arguments: str) -> None:
        if subprocess.run(["mount", *arguments, str(at)], capture_output=True).returncode:
            pytest.skip("this machine mounts nothing")
        there.append(at)

    yield mount
    for at in there:
        subprocess.run(["umount", str(at)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file that cannot be read")
def test_a_file_that_gives_an_input_output_error(
    root: Path, far: Path, mounted: Callable[..., None]
) -> None:
    broken = root / "global_step10" / SHARDS[0]
    mounted(broken, "--bind", f"/proc/{os.getpid()}/mem")
    with pytest.raises(NotCopied, match=f"global_step10/{SHARDS[0]}: input/output error"):
        make(vault(far), order(root))
    assert [head.label for head in vault(far).look().backups] == ["global_step20"]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small filesystem")
@pytest.mark.parametrize("format_", ["files", "tar"])
def test_a_disk_that_fills_up_in_the_middle(
    root: Path, tmp_path: Path, mounted: Callable[..., None], format_: Format
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted(small, "-t", "tmpfs", "-o", "size=2m", "tmpfs")
    for n in range(3):
        (root / "global_step10" / f"{n}.pt").write_bytes(os.urandom(300_000))

    def filled(doing: str, count_: int) -> None:
        if count_ and not (small / "fill").exists():
            with (small / "fill").open("wb", buffering=0) as file, suppress(OSError):
                while file.write(b"x" * 4096):
                    pass

    with pytest.raises(FarTrouble, match="there is no room left") as full:
        make(vault(small), order(root, format_=format_), filled)
    assert full.value.transient
    with pytest.raises(TrainwatchError, match=r"has room for|no room left"):
        make(vault(small), order(root, format_=format_))
    (small / "fill").unlink()
    make(vault(small), order(root, format_=format_))
    assert vault(small).verify("global_step10", unheard) == ()
