"""Hands on the jobs of a real Slurm: a stalled job, an array that dies again and again, a chain that ran out.

The clock passes faster than the wall's, so that a budget of silence is over in seconds.
"""

import time
from collections.abc import Callable
from pathlib import Path

from tests.cluster.slurm import Cluster
from trainwatch.adapters import slurm
from trainwatch.adapters.evidence import Evidence
from trainwatch.app import clock, config
from trainwatch.app.daemon import Daemon
from trainwatch.app.hands import Chosen, Hands
from trainwatch.app.queueing import Queues
from trainwatch.app.wire import Site
from trainwatch.core.hands.settings import HandSettings
from trainwatch.core.ours import Ours
from trainwatch.core.rules.settings import AfterMinutes, AlertSettings, Stall

LINE = """
say() {{
  echo " [$(date -u '+%Y-%m-%d %H:%M:%S')] iteration $1/ 500000 | consumed samples: $((16 * $1)) |" \\
    "elapsed time per iteration (ms): 200.0 | learning rate: 1.0E-04 | global batch size: 16 |" \\
    "lm loss: 2.500000E+00 | loss scale: 1.0 | grad norm: 1.000 |" \\
    "number of skipped iterations: 0 | number of nan iterations: 0 |" >> {log}
}}
echo "using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1" >> {log}
"""
HANGS = (
    LINE
    + "for n in $(seq 30); do say $n; sleep 0.2; done; exec python3 -c 'import time; time.sleep(600)'"
)
DIES = LINE + "sleep 1; echo 'RuntimeError: CUDA error: an illegal memory access' >> {log}; exit 1"
ENDS = LINE + "for n in $(seq 30); do say $n; sleep 0.2; done"
RATE = 4.0
SOON = AlertSettings(
    stall=Stall(train_min=0.05, startup_min=1, train_iterations=1),
    not_queued=AfterMinutes(after_min=0.1),
)


class Watching:
    """A daemon with hands over the log and the queue, ticked by hand; Slurm is asked each second."""

    def __init__(self, log: Path, state_dir: Path, settings: HandSettings) -> None:
        site = Site(config.Settings(log_utc_offset_h=0, alerts=SOON), state_dir)
        run = site.run_of(str(log))
        self.run, self.folder = site.watched(run), site.folder(run)
        ours = Ours(job_name="tr11-*")
        queues = Queues(slurm.Slurm(), {self.run.name: ours}, 1.0, patience_s=10.0)
        chosen = {self.run.name: Chosen(settings, ours, self.folder / "evidence")}
        hands = Hands(
            slurm.Slurm(), slurm.Hands(), Evidence(), chosen, interval_s=20.0, look_every_s=20.0
        )
        self.now = clock.Passing(RATE)
        self.daemon = Daemon([self.run], heartbeat_s=1.0, queues=queues, hands=hands)

    def until(self, holds: Callable[[], bool], what: str, patience_s: float = 100.0) -> None:
        """Tick until it is so."""
        deadline = time.monotonic() + patience_s
        while not holds():
            self.daemon.tick(self.now())
            assert time.monotonic() < deadline, f"no {what}: {self.journal()}\n{self.why()}"
            time.sleep(0.3)

    def go_on(self, seconds: float) -> None:
        """Tick for so long."""
        until = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > until, "end of time")

    def journal(self) -> list[str]:
        """What the hands did."""
        deeds = self.run.sight(self.now()).memory.deeds.done
        return [f"{deed.hand} {deed.outcome} {deed.detail}".strip() for deed in deeds]

    def why(self) -> object:
        """What they would do, or why not."""
        return [(row.hand, row.state, row.why) for row in self.run.status(self.now()).hands]


def states(cluster: Cluster, job_id: str) -> list[str]:
    return cluster.run("squeue", "-h", "-o", "%i %T %r", "-j", job_id, check=False).splitlines()


def test_a_stalled_job_is_cancelled_once_with_its_evidence(
    commands: Cluster, tmp_path: Path
) -> None:
    log = tmp_path / "main_log.txt"
    options = ("--array=1-3%1", "--nodes=1", "--job-name=tr11-176B", "--output=/dev/null")
    log.touch()  # one that was not there at first is not believed for five minutes
    array = commands.submit(HANGS.format(log=log), *options)
    settings = HandSettings(apply=True, evidence=True, cancel_stalled_after_min=1)
    watching = Watching(log, tmp_path / "state", settings)
    watching.until(
        lambda: any(s.startswith("cancel done") for s in watching.journal()), "cancel", 200
    )
    watching.until(lambda: f"{array}_2 RUNNING None" in states(commands, array), "next task")
    evidence, cancel = watching.journal()
    assert evidence.startswith("evidence done 5 of 5 things")
    assert cancel == "cancel done"
    (folder,) = (watching.folder / "evidence").iterdir()
    assert folder.name.endswith(f"Z-stall-{array}_1")
    stacks = (folder / "stacks.txt").read_text()
    assert "time.sleep(600)" in stacks
    assert "0: thread " in stacks
    assert f"ArrayJobId={array} ArrayTaskId=1" in (folder / "job.txt").read_text()
    commands.run("scancel", array)
    watching.daemon.close()


def test_an_array_that_dies_again_and_again_is_held_once(commands: Cluster, tmp_path: Path) -> None:
    log = tmp_path / "main_log.txt"
    options = ("--array=1-40%1", "--nodes=1", "--job-name=tr11-176B", "--output=/dev/null")
    watching = Watching(log, tmp_path / "state", HandSettings(apply=True, hold_crash_loop=True))
    log.touch()
    watching.go_on(1)
    array = commands.submit(DIES.format(log=log), *options)
    watching.until(lambda: [said[:9] for said in watching.journal()] == ["hold done"], "hold")
    watching.until(
        lambda: any("JobHeld" in state for state in states(commands, array)), "held array"
    )
    commands.run("scontrol", "release", array, check=False)  # a person knows better
    watching.go_on(8)
    assert [said[:9] for said in watching.journal()] == ["hold done"]
    assert not any("JobHeld" in state for state in states(commands, array))
    commands.run("scancel", array)
    watching.daemon.close()


def test_the_next_job_is_submitted_once_when_none_is_left(
    commands: Cluster, tmp_path: Path
) -> None:
    log, script = tmp_path / "main_log.txt", tmp_path / "train.slurm"
    header = "#!/bin/bash\n#SBATCH --job-name=tr11-176B --nodes=1\n#SBATCH --output=/dev/null\n"
    script.write_text(header + "exec sleep 600\n")
    log.touch()
    settings = HandSettings(apply=True, resubmit=str(script), resubmit_options=("--time=20",))
    watching = Watching(log, tmp_path / "state", settings)
    watching.go_on(1)
    first = commands.submit(ENDS.format(log=log), "--job-name=tr11-176B", "--output=/dev/null")
    watching.until(lambda: any("submit" in s for s in watching.journal()), "resubmit")
    watching.until(lambda: watching.journal()[-1].startswith("resubmit done job "), "its end")
    job_id = watching.journal()[-1].split()[-1]
    assert int(job_id) > int(first)
    watching.until(lambda: f"{job_id} RUNNING None" in states(commands, job_id), "next job")
    shown = commands.run("scontrol", "show", "job", job_id)
    assert "JobName=tr11-176B" in shown
    assert f"WorkDir={tmp_path}" in shown
    assert "TimeLimit=00:20:00" in shown
    assert "Comment=trainwatch-" in shown
    watching.go_on(3)
    assert len(watching.journal()) == 1
    commands.run("scancel", job_id)
    watching.daemon.close()
