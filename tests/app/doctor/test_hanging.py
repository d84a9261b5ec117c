"""What hangs is unknown, is ended where it can be, and holds up nothing else.

The trap: the deadline bounds all looks, and a busy machine is slow: it is long enough for those that answer.
"""

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.test_disks import program
from tests.app.doctor.saying import RUN, Found, configured
from trainwatch.adapters import folders
from trainwatch.core.doctor.folders import FolderSeen
from trainwatch.core.errors import ExitCode

SLOW = "/bin/sleep 30"


def test_a_configuration_that_hangs_is_unknown(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(here / "trainwatch.toml")
    found = Found(capsys, "--config", "trainwatch.toml", "--deadline", "0.2")
    assert (found.code, found.verdict) == (ExitCode.UNKNOWN, "unknown")
    assert "gave no answer in 0.2 s" in found["configuration/file"]["saw"]


def test_a_quota_command_that_hangs_is_unknown_and_is_ended(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = program(here, f"echo $$ > {here}/pid; {SLOW}")
    quota = f'quota = "own"\ncommand = ["{path}"]\npattern = "free (?P<bytes_free>[0-9]+)"'
    configured(here, RUN, f'[[disks]]\npath = "{here}"\nname = "work"\n{quota}')
    found = Found(capsys, "--deadline", "1.5")
    assert (found.code, found.amiss()) == (ExitCode.UNKNOWN, {"disks/work"})
    assert found["disks/work"]["saw"].endswith("gave no answer in 1.5 s")
    with pytest.raises(ProcessLookupError):
        os.kill(int((here / "pid").read_text()), 0)


def test_a_cluster_that_hangs_is_unknown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("sbatch", "squeue", "scancel", "scontrol", "sinfo", "sacct"):
        path = here / "bin" / name
        path.write_text("#!/bin/sh\nexec /bin/sleep 30\n")
        path.chmod(0o755)
    configured(here, RUN, '[runs.slurm]\njob_name = "tr11*"')
    found = Found(capsys, "--deadline", "1.5")
    assert found.code == ExitCode.UNKNOWN
    assert found.amiss() == {"slurm/squeue", "slurm/sinfo", "slurm/sacct"}
    assert found["slurm/squeue"]["saw"] == "squeue gave no answer in 1.5 s"


def test_a_path_that_hangs_is_unknown(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = threading.Event()

    def hang(name: str) -> None:
        stuck.wait(60.0)

    monkeypatch.setattr("shutil.which", hang)
    configured(here, RUN)
    found = Found(capsys, "--deadline", "1.5")
    stuck.set()
    assert (found.code, found.amiss()) == (ExitCode.UNKNOWN, {"slurm/commands"})


def test_a_mount_that_hangs_holds_up_nothing_else(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, seen = threading.Event(), folders.seen

    def hang(path: str, *rest: Any, **more: Any) -> FolderSeen:
        if path.startswith("/hangs"):
            stuck.wait(60.0)
        return seen(path, *rest, **more)

    monkeypatch.setattr(folders, "seen", hang)
    route = f'[[sync]]\nname = "{{}}"\nroot = "{here}"\nwhat = ["*.txt"]\nto = "{{}}"'
    configured(here, RUN, route.format("a", "/hangs/a"), route.format("b", here / "bin"))
    found = Found(capsys, "--deadline", "1.5")
    stuck.set()
    assert (found.code, found.amiss()) == (ExitCode.UNKNOWN, {"sync/a to"})
    assert found["sync/a to"]["saw"] == "it gave no answer in 1.5 s"
