"""The chain survives what clusters do to it: each fault on a real Slurm.

Whatever happens, never two of its jobs run and never two wait, and at most one place of the grid is missed.
Faults of one chain do not disturb others: they are tried side by side, as most of it is waiting.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.cluster.crons import World, alive, cron_table
from tests.cluster.slurm import Cluster

_GRID_S, _BEGINS_S = 12.0, 30.0  # what starting a job and its Python takes on a busy machine
_DOWN_S = float(os.environ.get("TRAINWATCH_CONTROLLER_DOWN_S", "45"))
_SHORT_H = "0.0167"  # a minute


def world_in(
    folder: Path, cluster: Cluster, state: Path | None = None, *, hours: str = "1", node: str = ""
) -> World:
    """A chain whose jobs live for an hour."""
    log = folder / "main_log.txt"
    log.write_text("using world size: 8, data-parallel-size: 8\n")
    run = f'[[runs]]\nlog = "{log}"\nname = "tr11"\n[runs.slurm]\njob_name = "tr11*"'
    more = {"options": f'["--nodelist={node}"]'} if node else {}
    return World(cluster, folder, f"{run}\n{cron_table(time_limit_h=hours, **more)}", state)


@contextmanager
def watched(world: World) -> Iterator[str]:
    """A job of the chain runs, and its successor waits; its id. At the end nothing is left or was doubled."""
    world.start()
    yield world.until_follows("")
    world.until(world.was_looked_at, "looks at the queue while it ran", 60)
    world.stop()
    assert world.rows() == []
    world.until(lambda: alive(str(world.state)) == [], "the end of its processes", 30)
    assert max(world.most_at_once()) == 1


def waiting(world: World) -> list[str]:
    return [row.job_id for row in world.rows() if row.state == "PENDING"]


def ours(world: World) -> list[int]:
    """The chain's own processes."""
    return alive(f"trainwatch cron job --config {world.config}")


def killed(cluster: Cluster, folder: Path) -> None:
    """The daemon, from one moment to the next."""
    world = world_in(folder, cluster)
    with watched(world) as first:
        began = time.time()
        (process,) = ours(world)
        os.kill(process, signal.SIGKILL)
        world.until_follows(first)
        assert time.time() - began < 2 * _GRID_S + _BEGINS_S


def cancelled(cluster: Cluster, folder: Path) -> None:
    """Its job, and then the successor of the next."""
    world = world_in(folder, cluster)
    with watched(world) as first:
        cluster.run("scancel", first)
        second = world.until_follows(first)
        (successor,) = waiting(world)
        cluster.run("scancel", successor)
        world.until(lambda: waiting(world) not in ([], [successor]), "another successor", 180)
        assert world.running() == second


def started_often(cluster: Cluster, folder: Path) -> None:
    """Three times at once where there is none, and four where there is one."""
    world = world_in(folder, cluster)
    at_once(lambda: world.command("cron", "start"), 3)
    with watched(world):
        before = [row.job_id for row in world.rows()]
        at_once(lambda: world.command("cron", "start"), 4)
        assert [row.job_id for row in world.rows()] == before


def at_once(call: Callable[[], object], times: int) -> None:
    """The same from several processes. Raises what one of them raised."""
    with ThreadPoolExecutor(times) as pool:
        for future in [pool.submit(call) for _ in range(times)]:
            future.result()


SBATCH = """#!/bin/bash
# An sbatch that fails as the file `mode` says: before it submits, or after.
mode=$(cat {folder}/mode)
[ $mode = before ] || {sbatch} "$@" > {folder}/answer || exit
[ $mode = works ] && exec cat {folder}/answer
echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2
exit 1
"""


def sbatch_fails_before(cluster: Cluster, folder: Path) -> None:
    """It times out, and did nothing."""
    _sbatch_fails("before", cluster, folder)


def sbatch_fails_after(cluster: Cluster, folder: Path) -> None:
    """It times out after it submitted."""
    _sbatch_fails("after", cluster, folder)


def _sbatch_fails(mode: str, cluster: Cluster, folder: Path) -> None:
    world = world_in(folder, cluster)
    sbatch, answers = folder / "bin" / "sbatch", folder / "mode"
    sbatch.parent.mkdir()
    answers.write_text("works")
    real = cluster.run("which", "sbatch").strip()
    sbatch.write_text(SBATCH.format(folder=folder, sbatch=real))
    sbatch.chmod(0o755)
    world.env["PATH"] = f"{sbatch.parent}:{world.env['PATH']}"
    with watched(world) as first:
        (successor,) = waiting(world)
        answers.write_text(mode)
        cluster.run("scancel", successor)
        if mode == "before":
            world.until(lambda: "Socket timed out" in str(world.status()), "a word on it", 200)
            assert waiting(world) == []
            answers.write_text("works")
        world.until(lambda: len(waiting(world)) == 1, "a successor after all", 300)
        answers.write_text("works")
        assert world.running() == first


def fill(path: Path) -> None:
    """To the last block."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


UNABLE = """import os, pathlib
if "SLURM_JOB_ID" in os.environ and pathlib.Path({flag!r}).exists():
    os._exit(13)
"""


def cannot_start(cluster: Cluster, folder: Path) -> None:
    """A configuration with a typo; then not even Python starts."""
    world = world_in(folder, cluster)
    flag, broken = folder / "flag", folder / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(UNABLE.format(flag=str(flag)))
    world.env["PYTHONPATH"] = f"{broken}:{world.env.get('PYTHONPATH', '')}"
    with watched(world) as first:
        text = world.config.read_text()
        world.config.write_text(f"{text}\nnonsense = 1\n")
        cluster.run("scancel", first)
        world.until(lambda: "nonsense" in str(world.status()), "a word on the typo", 180)
        world.config.write_text(text)
        second = world.until_follows(first, 180)
        flag.touch()
        cluster.run("scancel", second)
        world.until(lambda: "ended with 13" in world.told(), "a job that cannot start", 180)
        flag.unlink()
        world.until_follows(second, 180)


def full_disk(cluster: Cluster, folder: Path) -> None:
    """It hands over while nothing can be written, and writes again when there is room."""
    small = folder / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)]
    subprocess.run(mount, check=True, capture_output=True)
    try:
        world, ballast = (
            world_in(folder, cluster, small / "state", hours=_SHORT_H),
            small / "ballast",
        )
        with watched(world) as first:
            fill(ballast)
            world.until(lambda: world.running() not in ("", first), "a hand-over", 180)
            second = world.running()
            world.until(lambda: len(waiting(world)) == 1, "its successor", 90)
            ballast.unlink()
            world.until_follows(second, 180)
    finally:
        subprocess.run(["umount", "-l", str(small)], check=False)


SIDE_BY_SIDE = (
    killed,
    cancelled,
    started_often,
    sbatch_fails_before,
    sbatch_fails_after,
    cannot_start,
    full_disk,
)


def test_faults_of_one_chain(commands: Cluster, tmp_path: Path) -> None:
    """Side by side; each that fails is said by its name."""
    failed = list[Exception]()
    with ThreadPoolExecutor(len(SIDE_BY_SIDE)) as pool:
        running = {}
        for fault in SIDE_BY_SIDE:
            folder = tmp_path / fault.__name__
            folder.mkdir()
            running[fault.__name__] = pool.submit(fault, commands, folder)
        for name, future in running.items():
            error = future.exception()
            if error is not None:
                error.add_note(f"the fault: {name}")
                failed.append(error if isinstance(error, Exception) else RuntimeError(str(error)))
    if failed:
        raise ExceptionGroup("faults that the chain did not survive", failed)


def test_its_node_is_down(commands: Cluster, tmp_path: Path) -> None:
    """The node's daemon is gone, ours goes on there, and is a ghost: Slurm starts the next one elsewhere."""
    world = world_in(tmp_path, commands)
    with watched(world) as first:
        node = commands.run("squeue", "-h", "-j", first, "-o", "%N").strip()
        commands.kill(node)
        try:
            second = world.until_follows(first, 180)
            world.until(lambda: len(ours(world)) == 1, "the end of the ghost", 180)
        finally:
            commands.start_node(node)
        assert world.running() == second


def test_slurmctld_is_away(commands: Cluster, tmp_path: Path) -> None:
    """For 45 s, or TRAINWATCH_CONTROLLER_DOWN_S=600. It watches on, and hands over after."""
    world = world_in(tmp_path, commands)
    with watched(world) as first:
        commands.kill("slurmctld")
        beats, down_until = set[float | None](), time.time() + _DOWN_S
        try:
            while time.time() < down_until:
                status = world.run_status("tr11")
                beats.add(status.heartbeat_at if status is not None else None)
                time.sleep(0.5)
        finally:
            commands.start_controller()
        assert len(beats) > _DOWN_S / 10
        world.until(lambda: world.running() == first, "the same job", 90)
        commands.run("scancel", first)
        world.until_follows(first, 180)
