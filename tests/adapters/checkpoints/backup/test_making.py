"""Backups of real folders: killed at every step, and what is refused. Nothing there is harmed by it."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.adapters.checkpoints.backup.far import contents, make, order, unheard, vault
from tests.adapters.checkpoints.disk import NOW, SHARDS, save, track
from tests.dying import dies_at
from trainwatch.adapters.checkpoints.backup.errors import FarTrouble, NotCopied
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.backups import Format


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "checkpoints"
    for n in (10, 20):
        save(root, n)
    track(root, 20)
    return root


@pytest.fixture
def far(tmp_path: Path) -> Path:
    """With a finished backup of 20, which nothing may harm."""
    far = tmp_path / "far"
    far.mkdir()
    make(vault(far), order(tmp_path / "checkpoints", "global_step20"))
    return far


@pytest.fixture(autouse=True)
def _root_is_there_first(root: Path) -> None:
    """`far` copies from it."""


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


def test_a_link_to_a_file_of_the_checkpoint_is_copied_as_that_file(root: Path, far: Path) -> None:
    (root / "global_step10" / "again.pt").symlink_to(SHARDS[0])
    make(vault(far), order(root))
    assert not (far / "tr" / "global_step10" / "again.pt").is_symlink()
    assert (far / "tr" / "global_step10" / "again.pt").read_bytes() == b"x" * 100


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
