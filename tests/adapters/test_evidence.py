"""Evidence of a hang, collected by real processes: what stands for Slurm's commands is written by a test."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainwatch.adapters import evidence
from trainwatch.adapters.evidence import Evidence
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.ports import Scene

JOB = "4242"
SCONTROL = f"""
case "$*" in
  *oneliner*) echo "JobId={JOB} ArrayJobId=7 ArrayTaskId=1 JobName=x";;
  *"show job"*) echo "JobId={JOB}"; echo "   Comment=token=hf_abcdefghijklmnopqrstuvwxyz12";;
  *) echo "NodeName=n1";;
esac
"""
# Runs what it is given once for each of two nodes, labelled as srun does, and notes its options.
SRUN = f"""
printf '%s\\n' "$@" | head -n 16 > "$(dirname "$0")/asked"
while [ "$1" != sh ]; do shift; done
for node in 0 1; do
  SLURM_JOB_ID={JOB} SLURMD_NODENAME=n$node "$@" | sed "s/^/$node: /"
done
"""


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the only Slurm there is."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    for name, script in {"scontrol": SCONTROL, "srun": SRUN, "sstat": "echo JobID"}.items():
        write(folder / name, script)
    return folder


def write(command: Path, script: str) -> None:
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of the job that hangs."""
    code = "import time\ndef stuck():\n    time.sleep(600)\nstuck()"
    process = subprocess.Popen([sys.executable, "-c", code], env={"SLURM_JOB_ID": JOB})
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    log = tmp_path / "main_log.txt"
    log.write_text("".join(f"iteration {n}\n" for n in range(1000)) + "api_key=abcdef123456\n")
    (tmp_path / "ranks").mkdir()
    for rank in range(3):
        (tmp_path / "ranks" / f"rank{rank}.log").write_text(f"rank {rank} waits\n")
    folder = str(tmp_path / "state" / "evidence" / "20270115T080000Z-stall-7_1")
    return Scene("7_1", ("n1", "n2"), str(log), ("ranks/rank*.log",), folder, "tr11: it stalls")


def text(scene: Scene, name: str) -> str:
    return (Path(scene.folder) / name).read_text()


def test_all_of_it_in_one_folder(
    commands: Path, scene: Scene, hanging: "subprocess.Popen[bytes]"
) -> None:
    said = Evidence().collect(scene)
    assert said.startswith("5 of 5 things")
    index = text(scene, "README.txt")
    assert index.startswith("tr11: it stalls\njob 7_1 on 2 nodes\n")
    assert index.count("\nok ") == 5
    assert Path(scene.folder).stat().st_mode & 0o777 == 0o700
    stacks = text(scene, "stacks.txt")
    assert "0: == node n0" in stacks
    assert "1: == node n1" in stacks
    assert f"-- pid {hanging.pid}: " in stacks
    assert f"-- pid {os.getpid()}: " not in stacks  # ours, and not of the job
    assert f"thread {hanging.pid} " in stacks
    options = (commands / "asked").read_text().split()
    assert {f"--jobid={JOB}", "--overlap", "--nodes=2", "--ntasks-per-node=1"} <= set(options)


def test_the_ends_of_all_logs_without_secrets(commands: Path, scene: Scene) -> None:
    Evidence().collect(scene)
    written = sorted(path.name for path in (Path(scene.folder) / "logs").iterdir())
    assert written == ["0000-main_log.txt", *(f"000{n + 1}-rank{n}.log" for n in range(3))]
    main = text(scene, "logs/0000-main_log.txt")
    assert "iteration 999" in main
    assert "iteration 700\n" not in main
    assert "abcdef123456" not in main
    assert "api_key=***" in main
    assert "hf_abc" not in text(scene, "job.txt")


def test_py_spy_is_used_where_it_is(
    commands: Path, scene: Scene, hanging: "subprocess.Popen[bytes]"
) -> None:
    write(commands / "py-spy", 'echo "py-spy says: $*"')
    Evidence().collect(scene)
    assert f"py-spy says: dump --nonblocking --pid {hanging.pid}" in text(scene, "stacks.txt")
    assert f"thread {hanging.pid} " not in text(scene, "stacks.txt")


def test_py_spy_that_may_not_look_leaves_it_to_the_kernel(
    commands: Path, scene: Scene, hanging: "subprocess.Popen[bytes]"
) -> None:
    write(commands / "py-spy", "echo 'Permission denied'; exit 1")
    Evidence().collect(scene)
    assert f"thread {hanging.pid} " in text(scene, "stacks.txt")


def test_what_fails_stands_in_the_index(commands: Path, scene: Scene) -> None:
    write(commands / "srun", "echo 'srun: error: Unable to create step' >&2; exit 1")
    write(commands / "sstat", "exit 2")
    assert Evidence().collect(scene).startswith("3 of 5 things")
    index = text(scene, "README.txt")
    assert "NOT  stacks.txt   RuntimeError: srun exited with 1" in index
    assert "Unable to create step" in text(scene, "stacks.txt")


def test_what_is_not_installed_stands_in_the_index(
    commands: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    (commands / "sstat").unlink()
    monkeypatch.setenv("PATH", str(commands))
    Evidence().collect(scene)
    assert "NOT  steps.txt    FileNotFoundError" in text(scene, "README.txt")


def test_what_hangs_is_ended_and_the_rest_is_there(commands: Path, scene: Scene) -> None:
    write(commands / "srun", "echo begun; exec sleep 600")
    began = time.monotonic()
    assert Evidence(srun_s=0.5).collect(scene).startswith("4 of 5 things")
    assert time.monotonic() - began < 30
    assert "srun took longer than 0.5 s" in text(scene, "README.txt")
    assert text(scene, "stacks.txt").startswith("begun")


def test_a_flood_is_cut(commands: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "MOST_BYTES", 10_000)
    write(commands / "sstat", "yes 'a long line of output' | head -c 1000000")
    Evidence().collect(scene)
    assert len(text(scene, "steps.txt")) <= 10_001
    assert "NOT  steps.txt    RuntimeError: cut at 10,000 bytes" in text(scene, "README.txt")


def test_a_log_that_is_a_pipe_is_not_waited_for(commands: Path, scene: Scene) -> None:
    pipe = Path(scene.log).parent / "ranks" / "rank9.log"
    os.mkfifo(pipe)
    Evidence().collect(scene._replace(log=str(pipe), more_logs=("rank*.log",)))
    assert "ok   logs         3 logs; 1 not: " in text(scene, "README.txt")


def test_only_a_few_folders_are_kept_and_no_other_is_touched(commands: Path, scene: Scene) -> None:
    place = Path(scene.folder).parent
    old = [f"202701{day:02d}T080000Z-stall-7_1" for day in range(1, 9)]
    for name in [*old, "notes", "20270101-mine"]:
        (place / name).mkdir(parents=True)
    outside = place.parent / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (place / "20260101T080000Z-stall-1").symlink_to(outside)
    Evidence().collect(scene)
    left = sorted(path.name for path in place.iterdir())
    assert [name for name in left if name in old] == old[-4:]
    assert {"notes", "20270101-mine", "20260101T080000Z-stall-1"} <= set(left)
    assert (outside / "kept").exists()


def test_no_folder_is_an_error(commands: Path, scene: Scene) -> None:
    place = Path(scene.folder).parent
    place.parent.mkdir(parents=True)
    place.write_text("a file")
    with pytest.raises(StoreUnusable, match="cannot make"):
        Evidence().collect(scene)


def test_nothing_at_all_is_an_error(commands: Path, scene: Scene) -> None:
    for name in ("srun", "sstat", "scontrol"):
        write(commands / name, "exit 1")
    with pytest.raises(StoreUnusable, match="nothing could be collected"):
        Evidence().collect(scene._replace(log="/nowhere/log", more_logs=()))
