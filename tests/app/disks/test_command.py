"""trainwatch disks: real disks, real commands, and what watchers said of them."""

import json
import os
from pathlib import Path

import msgspec
import pytest

from tests.adapters.test_disks import program
from tests.core.logs.making import iteration
from trainwatch.app import clock, config
from trainwatch.app.cli import run
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.status import DiskStatus, Status

PATTERN = (
    r"'used (?P<bytes_used>\d+)(?P<bytes_used_unit>\w) "
    r"of (?P<bytes_total>\d+)(?P<bytes_total_unit>\w)'"
)
RUN = '[[runs]]\nname = "tr11"\nlog = "main_log.txt"\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    (tmp_path / "main_log.txt").touch()
    return tmp_path


def configured(folder: Path, *tables: str, more: str = "") -> Site:
    text = (
        f'state_dir = "{folder / "state"}"\n' + "".join(f"[[disks]]\n{t}\n" for t in tables) + more
    )
    (folder / "trainwatch.toml").write_text(text)
    return Site(config.parse(text))


def own(folder: Path, script: str, name: str = "work", more: str = "") -> str:
    (folder / name).mkdir()
    path = program(folder / name, script)
    return (
        f'path = "{folder / name}"\nname = "{name}"\nquota = "own"\ncommand = ["{path}"]\n'
        f"pattern = {PATTERN}\n{more}"
    )


def published(site: Site, *disks: DiskStatus) -> None:
    """As a watcher does."""
    folder = site.folder(site.runs()[0])
    folder.mkdir(parents=True)
    status = Status(run="tr11", health="ok", heartbeat_at=clock.now(), disks=disks)
    (folder / "status.json").write_bytes(msgspec.json.encode(status))


def test_a_disk_with_room(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configured(here, own(here, "echo used 1K of 4K"))
    assert run(["disks"]) == ExitCode.OK
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["disk", "used", "of", "inodes", "quota", "full", "in"]
    assert row.startswith(f"work ({here / 'work'})  1.02 kB of 4.1 kB  25.0 %")
    assert row.endswith("own    –")


def test_as_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configured(here, own(here, "echo used 1K of 4K"))
    assert run(["disks", "--json"]) == ExitCode.OK
    (said,) = json.loads(capsys.readouterr().out)
    assert (said["schema_version"], said["disk"], said["quota"], said["health"]) == (
        *(1, "work"),
        *("own", "ok"),
    )
    assert (said["bytes_total"], said["bytes_free"], said["runway_s"]) == (4096, 3072, None)
    inodes = os.statvfs(here).f_files
    assert (said["inodes_total"] or 0) <= inodes


def test_what_cannot_be_asked_has_a_row(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    well = own(here, "echo used 1K of 4K")
    slow = own(here, "sleep 300", "slow", "deadline_s = 0.2")
    gone = f'path = "{here / "gone"}"'
    configured(here, well, slow, gone)
    assert run(["disks"]) == ExitCode.UNKNOWN
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 4
    assert "unknown" not in said[1]
    assert said[2].endswith(f"unknown: {here / 'slow' / 'myquota'} gave no answer in 0.2 s")
    assert said[3].endswith(f"unknown: {here / 'gone'}: No such file or directory")


def test_a_full_disk(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configured(here, own(here, "echo used 4K of 4K"), f'path = "{here / "gone"}"')
    assert run(["disks"]) == ExitCode.UNHEALTHY
    assert capsys.readouterr().out.splitlines()[1].endswith("full")


def test_how_long_it_lasts_a_watcher_knows(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = configured(here, own(here, "echo used 1K of 4K"), more=RUN)
    strays = ("23 GB /x/core.7\x1b[2J: core file",)
    published(
        site,
        DiskStatus(
            disk="work",
            folder="/x",
            at=clock.now() - 600,
            runway_s=100_000.0,
            runs_out="bytes",
            strays=strays,
        ),
        DiskStatus(disk="other", folder="/y", at=clock.now(), runway_s=1.0),
    )
    assert run(["disks"]) == ExitCode.UNHEALTHY
    said = capsys.readouterr().out.splitlines()
    assert said[1].endswith("own    1 d 3 h (bytes)  soon full")
    assert said[2] == "work: 23 GB /x/core.7 [2J: core file"


def test_what_a_watcher_said_long_ago_is_not_repeated(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = configured(here, own(here, "echo used 1K of 4K"), more=RUN)
    published(site, DiskStatus(disk="work", folder="/x", at=clock.now() - 20_000, runway_s=9.0))
    assert run(["disks"]) == ExitCode.OK


def test_without_a_disk(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configured(here, more=RUN)
    assert run(["disks"]) == ExitCode.USAGE
    assert "no disk is configured; add a [[disks]] table" in capsys.readouterr().err


def test_a_watch_tells_the_status_and_the_command(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configured(here, own(here, "echo used 1K of 4K"), more=RUN)
    (here / "main_log.txt").write_text("".join(f"{iteration(n)}\n" for n in (1, 2, 3)))
    run(["watch", "--once"])
    capsys.readouterr()
    run(["status", "--json"])
    (status,) = json.loads(capsys.readouterr().out)
    assert [(one["disk"], one["bytes_free"]) for one in status["disks"]] == [("work", 3072)]
