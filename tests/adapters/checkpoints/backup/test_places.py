"""One contract for all places and both formats: made, listed, read through, damaged, brought back."""

from pathlib import Path

import fsspec
import pytest

from tests.adapters.checkpoints.backup.far import contents, make, order, unheard, vault
from tests.adapters.checkpoints.disk import NOW, SHARDS, save, track
from trainwatch.adapters.checkpoints.backup.errors import FarTrouble, NotRead
from trainwatch.core.model.backups import Format

ODD = ("--delete", "100% é.pt", "'$(reboot)' #1.pt", "star*[q]?.pt")
DEEP = "rank_0/deep/part.pt"
LARGE = 5_000_000  # more than one chunk


@pytest.fixture(params=["folder", "s3", "memory"])
def to(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place that does not exist yet."""
    if request.param == "s3":
        request.getfixturevalue("s3")
        return f"s3://bucket-{abs(hash(tmp_path))}"
    return _here(request.param, tmp_path)


@pytest.fixture(params=["folder", "memory"])
def here(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """One that needs no server."""
    return _here(request.param, tmp_path)


def _here(kind: str, tmp_path: Path) -> str:
    return (
        str(tmp_path / "far")
        if kind == "folder"
        else f"memory://{tmp_path.name}-{abs(hash(tmp_path))}"
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "checkpoints"
    for n in (10, 20):
        folder = save(root, n, shards=(*SHARDS, *ODD))
        (folder / DEEP).parent.mkdir(parents=True)
        (folder / DEEP).write_bytes(bytes(range(256)) * (LARGE // 256))
        (folder / "empty.pt").touch()
    track(root, 20)
    return root


@pytest.mark.parametrize("format_", ["files", "tar"])
def test_the_life_of_a_backup(to: str, format_: Format, root: Path, tmp_path: Path) -> None:
    whole, light = order(root, format_=format_), order(root, content="weights", format_=format_)
    if not to.startswith("memory"):
        with pytest.raises(FarTrouble, match=r"does not exist|NoSuchBucket"):
            make(vault(to), whole)
    place = vault(to, create=True)
    moved = list[int]()
    made = make(place, whole, lambda _, count: moved.append(count))
    total = sum(map(len, contents(root / "global_step10").values()))
    assert made.head.bytes == total
    assert made.copied >= total
    assert sum(moved) >= 2 * total  # written and read back
    assert make(place, whole).copied == 0
    assert make(place, light).head.label == "global_step10-weights"

    shelf = place.look()
    assert sorted(head.label for head in shelf.backups) == [
        "global_step10",
        "global_step10-weights",
    ]
    assert (shelf.begun, shelf.odd) == ((), ())
    for head in shelf.backups:
        assert place.missing(head.label) == ()
        assert place.verify(head.label, unheard) == ()
    back = tmp_path / "back"
    assert place.restore("global_step10", str(back), unheard) == str(back / "global_step10")
    assert contents(back / "global_step10") == contents(root / "global_step10")
    place.restore("global_step10-weights", str(tmp_path / "light"), unheard)
    left_out = set(contents(back / "global_step10")) - set(
        contents(tmp_path / "light" / "global_step10")
    )
    assert left_out == {SHARDS[1]}
    assert [path.name for path in back.iterdir()] == ["global_step10"]
    assert [path.name for path in root.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("format_", ["files", "tar"])
def test_one_byte_that_changed_is_found(
    here: str, format_: Format, root: Path, tmp_path: Path
) -> None:
    place = vault(here, create=True)
    make(place, order(root, format_=format_))
    files, base = fsspec.url_to_fs(here, skip_instance_cache=True)
    path = f"{base}/tr/global_step10.tar" if format_ == "tar" else f"{base}/tr/global_step10/{DEEP}"
    data = bytearray(files.cat_file(path))
    data[len(data) // 2] ^= 1
    files.pipe_file(path, bytes(data))
    assert place.missing("global_step10") == ()
    (wrong,) = place.verify("global_step10", unheard)
    assert "damaged: its checksum is not that of its manifest" in wrong
    with pytest.raises(NotRead, match="damaged"):
        place.restore("global_step10", str(tmp_path / "back"), unheard)
    assert not (tmp_path / "back" / "global_step10").exists()

    files.pipe_file(path, bytes(data[:-1]))
    assert place.missing("global_step10") != ()
    files.rm_file(path)
    assert "is gone" in place.missing("global_step10")[0] if format_ == "files" else True
    with pytest.raises(NotRead, match="is gone"):
        place.restore("global_step10", str(tmp_path / "back"), unheard)


def test_what_is_no_manifest_is_no_backup(here: str, root: Path) -> None:
    place = vault(here, create=True)
    make(place, order(root))
    files, base = fsspec.url_to_fs(here, skip_instance_cache=True)
    good = files.cat_file(f"{base}/tr/global_step10.manifest.json")
    evil = good.replace(b'"name":"empty.pt"', b'"name":"../../x"')
    assert evil != good
    for name, data in {
        "a": b"",
        "b": b"{}",
        "c": b"\xff",
        "d": good,
        "global_step10": evil,
    }.items():
        files.pipe_file(f"{base}/tr/{name}.manifest.json", data)
    shelf = place.look()
    assert shelf.backups == ()
    said = "\n".join(shelf.odd)
    assert "a.manifest.json is damaged" in said
    assert "d.manifest.json is not believed: it speaks of global_step10" in said
    assert "global_step10.manifest.json is not believed: the name '../../x' leads out" in said
    files.pipe_file(f"{base}/tr/global_step10.manifest.json", good)
    assert len(place.look().backups) == 1
    files.rm(f"{base}/tr/global_step10", recursive=True)
    assert any("what it names is gone" in each for each in place.look().odd)


def test_it_goes_no_faster_than_allowed(root: Path, tmp_path: Path) -> None:
    from trainwatch.adapters.checkpoints.backup.vault import Vault
    from trainwatch.core.model.backups import Place

    passed = 0.0

    def pause(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    (tmp_path / "slow").mkdir()
    place = Place(to=str(tmp_path / "slow"), bytes_per_s=1e6)
    made = make(Vault(place, lambda: passed, pause), order(root))
    assert passed == pytest.approx(2 * made.copied / 1e6, rel=0.05)
    assert made.head.made_at == NOW
