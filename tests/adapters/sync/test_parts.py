"""The look at a folder, the ledger, and the child process: what may go wrong without any client."""

import errno
import os
import signal
import subprocess
import threading
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from tests.adapters.sync import sending
from trainwatch.adapters.store.files import replace_file
from trainwatch.adapters.sync import Courier, LedgerFile, look
from trainwatch.adapters.sync.archive import Archive
from trainwatch.core.errors import StoreFull, StoreUnusable
from trainwatch.core.model.syncing import Answer, Ledger, Order, Sent


def test_a_look_stays_below_the_root(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "id_rsa"
    secret.write_text("secret")
    (root / "in").mkdir()
    (root / "in" / "a.txt").write_text("a")
    (root / "out.txt").symlink_to(secret)
    (root / "way.txt").symlink_to("../id_rsa")
    (root / "inside.txt").symlink_to("in/a.txt")
    (root / "gone.txt").symlink_to("nowhere.txt")
    (root / "round").symlink_to(".")
    (root / ".git").mkdir()
    (root / ".git" / "a.txt").write_text("a")
    (root / "half.txt.tmp").write_text("a")
    found = look(str(root), ["**", "**/*.txt", ".git/*"], {})
    assert [one.name for one in found.files] == ["in/a.txt", "inside.txt"]
    out = "it is a link that leads out of the root"
    assert dict(found.left_out) == {
        "out.txt": out,
        "way.txt": out,
        "gone.txt": "no such file or directory",
        "round": "it is a link to a folder",
    }


def test_a_root_that_is_not_there_is_no_empty_one(root: Path) -> None:
    found = look(str(root / "gone"), ["**"], {})
    assert (found.files, found.trouble) == ((), f"{root}/gone: no such file or directory")


def test_a_link_that_turns_out_of_the_root_after_the_look_is_not_followed(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text('{"secret": 1}')
    (tmp_path / "archive").mkdir()
    (root / "a.json").write_text('{"secret": 0}')
    chosen = sending.pieces(root)
    (root / "a.json").unlink()
    (root / "a.json").symlink_to(tmp_path / "secret")
    got = sending.send(str(tmp_path / "archive"), root, *chosen)
    assert got.taken[0].why == "it leads out of the root"
    assert list((tmp_path / "archive").iterdir()) == []


def ledger_file(folder: Path) -> LedgerFile:
    replaced = partial(replace_file, sync=True)
    return LedgerFile(folder, "logs", replaced, lambda path: nullcontext(lambda: None))


def test_a_ledger_is_kept(tmp_path: Path) -> None:
    kept = Sent(bytes=1, size=2, mtime_ns=3, at=4.0, part_bytes=5)
    ledger = Ledger(to="hf://models/a/b", sent={"a": kept}, commits=(1.0,), look_at=9.0)
    assert ledger_file(tmp_path).read() is None
    ledger_file(tmp_path).write(ledger)
    assert ledger_file(tmp_path).read() == ledger


def test_a_damaged_ledger_is_set_aside_and_one_of_a_newer_version_is_left(tmp_path: Path) -> None:
    path = tmp_path / "logs.json"
    path.write_bytes(b'{"version": 1, "sent": {"a"')
    file = ledger_file(tmp_path)
    assert file.read() is None
    assert "is damaged" in file.warning
    file.write(Ledger(to="x"))
    assert (tmp_path / "logs.json.damaged").exists()
    assert file.read() == Ledger(to="x")
    path.write_bytes(b'{"version": 99}')
    with pytest.raises(StoreUnusable, match="newer trainwatch"):
        file.read()


def test_a_full_disk_keeps_the_ledger_as_it_was(tmp_path: Path) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    file = LedgerFile(tmp_path, "logs", full, lambda path: nullcontext(lambda: None))
    with pytest.raises(StoreFull, match="No space left"):
        file.write(Ledger())


def of_archive(to: str) -> Archive:
    return Archive(Order(ask="send", route="r", to=to, into="", root="", spool="", token="t"))


@pytest.mark.parametrize(
    ("error", "result", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "again", "no room left at /a"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "again", "no room left at /a"),
        (PermissionError(errno.EACCES, "Permission denied"), "never", "may not be written"),
        (OSError(errno.EROFS, "Read-only file system"), "never", "may not be written"),
        (FileNotFoundError(errno.ENOENT, "bucket"), "never", "create = true"),
        (ImportError("Install s3fs to access S3"), "never", "Install s3fs"),
        (OSError(errno.EIO, "Input/output error"), "again", "Input/output error"),
    ],
)
def test_what_an_error_of_a_place_means(error: OSError, result: str, words: str) -> None:
    got = of_archive("/a").meaning(error)
    assert got.result == result
    assert words in got.why


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A filesystem of 64 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small filesystem can only be mounted by root")
    return folder


def test_a_place_without_room_is_tried_again_and_holds_no_half_files(
    root: Path, small_disk: Path
) -> None:
    try:
        (root / "a.json").write_text("{}")
        (root / "b.json").write_bytes(b"b" * 100_000)
        got = sending.send(str(small_disk), root).outcome
        assert (got.result, got.done) == ("again", 1)
        assert "no room left" in got.why
        assert sorted(path.name for path in small_disk.iterdir()) == ["a.json"]
    finally:
        subprocess.run(["umount", str(small_disk)], check=True)


def test_a_turn_that_takes_too_long_is_ended_and_may_have_arrived(
    root: Path, tmp_path: Path
) -> None:
    (root / "a.json").write_text("{}")
    fifo = tmp_path / "archive"
    fifo.mkdir()
    os.mkfifo(fifo / ".a.json.trainwatch.tmp")  # whoever opens it waits for ever
    passed = [0.0]
    courier = Courier(lambda: time.monotonic() + passed[0])

    def begun() -> None:
        passed[0] = 299.0  # of the five minutes that it has

    got = sending.send(str(fifo), root, deadline_s=300.0, begun=begun, courier=courier).outcome
    assert got.result == "lost"
    assert "longer than 5 min" in got.why


def test_what_may_not_be_read_is_left(root: Path, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (root / "closed").mkdir(mode=0)
    for name in ("a.json", "b.json"):
        (root / name).write_text("{}")
    chosen = sending.pieces(root)
    (root / "a.json").chmod(0)
    if os.access(root / "a.json", os.R_OK):
        pytest.skip("root may read everything (but for its capabilities)")
    got = sending.send(str(tmp_path / "archive"), root, *chosen)
    assert [one.why for one in got.taken] == ["permission denied", ""]
    assert got.outcome.result == "sent"
    assert look(str(root), ["**/*"], {}).left_out == (("closed", "permission denied"),)


def test_a_child_whose_parent_is_killed_sends_nothing(root: Path, tmp_path: Path) -> None:
    (root / "a.json").write_text("{}")
    courier, archive = Courier(), tmp_path / "archive"
    archive.mkdir()

    def killed() -> None:
        assert courier._child is not None
        assert courier._child.stdin is not None
        courier._child.stdin.close()  # as the kernel does for who is gone
        courier._child.wait(10)

    with pytest.raises(ValueError, match="closed file"):
        sending.send(str(archive), root, begun=killed, courier=courier)
    assert list(archive.iterdir()) == []


def test_a_child_that_dies_and_one_that_is_closed_say_so(root: Path, tmp_path: Path) -> None:
    (root / "a.json").write_text("{}")
    courier = Courier()
    (tmp_path / "archive").mkdir()

    def die() -> None:
        assert courier._child is not None
        os.kill(courier._child.pid, signal.SIGKILL)

    got = sending.send(str(tmp_path / "archive"), root, begun=die, courier=courier).outcome
    assert (got.result, got.why) == ("lost", "the process that sends ended without a word")
    closing = threading.Timer(0.05, courier.close)
    closing.start()
    began = time.monotonic()
    order = Order(ask="arrived", route="r", to=str(tmp_path), into="", root="", spool="", token="t")
    answer = courier.arrived(order, 60.0)
    assert isinstance(answer, Answer) or answer.why == "trainwatch ended meanwhile"
    assert time.monotonic() - began < 30
    closing.join()
    assert not isinstance(courier.arrived(order, 60.0), Answer), "none is begun any more"
