"""Three rounds of training on a real Slurm, each overshot and finished; the next goes on from its end."""

import sys
from pathlib import Path

import pytest

import tests
from tests.cluster.crons import World
from tests.cluster.slurm import Cluster

CONFIG = """
[[runs]]
name = "{name}"
log = "{folder}/main_log.txt"
[runs.slurm]
job_name = "tr-rounds"
[runs.checkpoints]
path = "{folder}/checkpoints"
stats_per_s = 10000
rounds = [
  {{ target = 100, save_interval = 10 }},
  {{ target = 1000, save_interval = 18 }},
  {{ target = 4500, save_interval = 1500 }},
]
"""
LOADED = "successfully loaded checkpoint"
PROJECT = Path(tests.__file__).parent.parent


class Training:
    """A folder in which jobs train one after the other."""

    def __init__(self, cluster: Cluster, folder: Path, name: str = "tr") -> None:
        self.cluster, self.folder, self.root = cluster, folder, folder / "checkpoints"
        self.world = World(cluster, folder, CONFIG.format(folder=folder, name=name))

    def train(self, interval: int, last: int) -> str:
        """A job that has come to its last iteration, and runs on."""
        (self.folder / "go").unlink(missing_ok=True)
        script = f"cd {PROJECT}\n{sys.executable} -m tests.cluster.trainer {self.folder} {interval} {last}"
        job_id = self.cluster.submit(script, "--job-name=tr-rounds", f"--output={self.folder}/out")
        said = f" iteration {last:8d}/"
        log = self.folder / "main_log.txt"
        self.cluster.until(
            lambda: log.exists() and said in log.read_text()[-2000:], f"iteration {last}"
        )
        assert self.world.command("watch", "--once").code == 0
        return job_id

    def end(self, job_id: str) -> None:
        (self.folder / "go").touch()
        self.cluster.until(
            lambda: (
                not self.cluster.run("squeue", "-h", f"--job={job_id}", check=False).strip()
                or "COMPLETED"
                in self.cluster.run("squeue", "-h", "-tall", "-o%T", f"--job={job_id}")
            ),
            "the end of the job",
        )
        self.cluster.until(lambda: not self.cluster.run("squeue", "-h"), "an empty queue")

    def iterations(self) -> list[int]:
        return sorted(int(path.name[11:]) for path in self.root.glob("global_step*"))

    def loaded(self) -> str:
        """What the newest job said that it went on from."""
        before, _, said = (self.folder / "main_log.txt").read_text().rpartition(LOADED)
        assert before, f"no job said '{LOADED}'"
        return said.splitlines()[0]

    def tracked(self) -> tuple[str, str]:
        return (
            (self.root / "latest").read_text(),
            (self.root / "latest_checkpointed_iteration.txt").read_text(),
        )


@pytest.fixture
def training(commands: Cluster, tmp_path: Path) -> Training:
    return Training(commands, tmp_path)


def test_rounds_are_finished_and_the_next_goes_on_from_the_right_checkpoint(
    training: Training,
) -> None:
    finish = ("checkpoints", "finish-round")
    world = training.world
    first = training.train(10, 130)
    done = world.command(*finish, "1", "tr", "--apply", check=False)
    assert done.code == 1
    assert f"refused: job {first} is running: stop it first" in done.out
    training.end(first)
    plan = world.command(*finish, "1", "tr")
    assert "remove  global_step110" in plan.out
    assert max(training.iterations()) == 130
    world.command(*finish, "1", "tr", "--apply")
    assert training.iterations() == list(range(10, 101, 10))
    assert training.tracked() == ("global_step100", "100")

    second = training.train(18, 1030)
    assert training.loaded().endswith("at iteration 100")
    training.end(second)
    plan = world.command(*finish, "2", "tr")
    assert "1,000 is never saved with an interval of 18" in plan.out
    world.command(*finish, "2", "tr", "--apply")
    assert (max(training.iterations()), training.tracked()) == (990, ("global_step990", "990"))
    world.command(*finish, "2", "--undo", "tr", "--apply")
    assert (max(training.iterations()), training.tracked()) == (1026, ("global_step1026", "1026"))
    world.command(*finish, "2", "tr", "--apply")
    assert (max(training.iterations()), training.tracked()) == (990, ("global_step990", "990"))

    third = training.train(1500, 6100)
    assert training.loaded().endswith("at iteration 990")
    training.end(third)
    world.command(*finish, "3", "tr", "--apply")
    assert training.iterations()[-3:] == [1500, 3000, 4500]
    assert training.tracked() == ("global_step4500", "4500")
    done = world.command(*finish, "1", "tr", "--apply", check=False)
    assert done.code == 1
    assert "round 1 was finished before" in done.out
