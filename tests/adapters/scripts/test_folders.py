"""What of a folder is run, what is left out and why, and which folders are not trusted."""

import os
from pathlib import Path

import pytest

from tests.adapters.scripts.starting import CLOSED, put
from trainwatch.adapters.scripts import Machine
from trainwatch.core.errors import UsageError


def test_what_is_run_and_what_is_not(folder: Path) -> None:
    for name in ("quota", "sweep.sh", "backup_2", "job.slurm"):
        put(folder, name)
    (folder / "job.slurm").chmod(0o644)  # submitted, not run
    for name in ("a~", "b.bak", "c.disabled", "d.off", ".hidden", "README", "README.md", "#e#"):
        put(folder, name)
    put(folder, "notes.txt", mode=0o644)
    (folder / "lib").mkdir()
    os.mkfifo(folder / "pipe")
    listing = Machine().listed(str(folder))
    assert listing.names == ("backup_2", "job.slurm", "quota", "sweep.sh")
    assert (listing.left_out, listing.trouble) == ((), "")


LEFT_OUT = {
    "not executable": ("forgotten", 0o644, "it is not executable"),
    "world-writable": ("open.sh", 0o777, "everybody may write to it (chmod o-w)"),
    "a blank in its name": ("my script", CLOSED, "its name holds other characters"),
    "a line end in its name": ("a\nb", CLOSED, "its name holds other characters"),
    "markup in its name": ("[red]x", CLOSED, "its name holds other characters"),
    "an escape in its name": ("x\x1b[2J", CLOSED, "its name holds other characters"),
    "an option as a name": ("-rf", CLOSED, "its name holds other characters"),
    "a line end behind a name": ("x\n", CLOSED, "its name holds other characters"),
}


@pytest.mark.parametrize(("name", "mode", "why"), LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_what_somebody_may_have_meant_is_said(folder: Path, name: str, mode: int, why: str) -> None:
    put(folder, name, mode=mode)
    listing = Machine().listed(str(folder))
    assert listing.names == ()
    assert [left for left, _ in listing.left_out] == [name]
    assert listing.left_out[0][1].startswith(why)


def test_a_name_that_is_no_text_is_said_as_text(folder: Path) -> None:
    path = os.fsencode(folder) + b"/\xff\xfe"
    Path(os.fsdecode(path)).write_text("#!/bin/sh\n")
    Path(os.fsdecode(path)).chmod(CLOSED)
    ((name, why),) = Machine().listed(str(folder)).left_out
    assert name == "��"
    assert why.startswith("its name")


def test_links(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir(mode=CLOSED)
    put(tmp_path / "bin", "tool")
    (folder / "good").symlink_to(tmp_path / "bin" / "tool")
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    (folder / "circle").symlink_to(folder / "circle")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    put(tmp_path / "open", "tool")
    (folder / "elsewhere").symlink_to(tmp_path / "open" / "tool")
    listing = Machine().listed(str(folder))
    assert listing.names == ("good",)
    assert dict(listing.left_out) == {
        "dangling": "it is a link that leads nowhere",
        "circle": "too many levels of symbolic links",
        "elsewhere": f"everybody may write to {tmp_path / 'open'} (chmod o-w)",
    }


def test_folders_that_others_may_write_to(folder: Path, tmp_path: Path) -> None:
    put(folder, "quota")
    folder.chmod(0o777)
    assert "everybody may write to it" in Machine().listed(str(folder)).trouble
    folder.chmod(0o1777)  # sticky, and yet anybody may put a script there
    assert "everybody may write to it" in Machine().listed(str(folder)).trouble
    folder.chmod(CLOSED)
    tmp_path.chmod(0o777)  # anybody may put another folder in its place
    assert f"everybody may write to {tmp_path}" in Machine().listed(str(folder)).trouble
    tmp_path.chmod(0o1777)
    assert Machine().listed(str(folder)).names == ("quota",)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_groups_and_owners(folder: Path) -> None:
    path = put(folder, "quota")
    os.chown(path, 12345, 23456)
    assert "belongs to 12345" in Machine().listed(str(folder)).left_out[0][1]
    os.chown(folder, 12345, 23456)  # a colleague's folder, which you named
    assert Machine().listed(str(folder)).names == ("quota",)
    path.chmod(0o775)
    assert "the group 23456 may write to it" in Machine().listed(str(folder)).left_out[0][1]
    assert Machine(group_may_write=True).listed(str(folder)).names == ("quota",)
    os.chown(path, 0, 0)  # root's own group
    assert Machine().listed(str(folder)).names == ("quota",)


def test_a_folder_that_is_not_there_or_is_none(tmp_path: Path) -> None:
    assert Machine().listed(str(tmp_path / "none")).trouble == "no such file or directory"
    (tmp_path / "file").write_text("")
    assert Machine().listed(str(tmp_path / "file")).trouble == "not a directory"
    (tmp_path / "empty").mkdir()
    listing = Machine().listed(str(tmp_path / "empty"))
    assert (listing.names, listing.left_out, listing.trouble) == ((), (), "")


def test_batch_scripts_are_read(folder: Path) -> None:
    path = put(folder, "job.slurm", "echo grüße\n")
    assert Machine().text(str(path)) == "#!/bin/sh\necho grüße\n"
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="UTF-8"):
        Machine().text(str(path))
    with pytest.raises(UsageError, match="No such file"):
        Machine().text(str(folder / "none"))
