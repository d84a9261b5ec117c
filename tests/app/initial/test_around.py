"""The look around: what hangs or fails is left out, and the rest is there."""

import threading
from pathlib import Path

import pytest

from tests.core.logs.making import iteration
from trainwatch.adapters import ends, surroundings
from trainwatch.adapters.checkpoints.glance import glance
from trainwatch.app.config import Settings
from trainwatch.app.initial import around
from trainwatch.app.initial.around import Senses, Walked
from trainwatch.app.wire import Site
from trainwatch.core.around import Around
from trainwatch.core.errors import SchedulerUnknown
from trainwatch.core.facts import Facts
from trainwatch.core.model.observations import Job

NOW = 1_700_000_000.0
LINES = "".join(f"{iteration(number)}\n" for number in range(1, 6))


class Queue:
    """A cluster of two jobs, one of which runs."""

    def __init__(self, output: str, *, fails: bool = False) -> None:
        self._output, self._fails = output, fails

    def queue(self) -> tuple[Job, ...]:
        if self._fails:
            raise SchedulerUnknown("no")
        waits = Job(job_id="8", name="next", state="PENDING")
        return (Job(job_id="7", name="tr11", state="RUNNING"), waits)

    def output(self, job_id: str) -> str:
        return self._output if job_id == "7" else ""


def senses(cluster: around.Cluster | None = None) -> Senses:
    return Senses(
        walk=lambda folder, within_s: surroundings.walk(folder, lambda: 0.0, within_s),
        ends=ends.read,
        glance=glance,
        token=lambda: "HF_TOKEN",
        cluster=cluster,
    )


def look(folder: Path, made: Senses, within_s: float = 20.0) -> Around:
    return around.look(made, Site(Settings()), folder, NOW, within_s=within_s)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "p" / "ck" / "global_step5").mkdir(parents=True)
    (tmp_path / "p" / "main_log.txt").write_text(LINES)
    (tmp_path / "p" / "notes.txt").write_text("nothing\n")
    return tmp_path / "p"


def test_logs_are_known_by_what_they_hold(project: Path) -> None:
    found = look(project, senses())
    assert [(at.path, at.seen.last) for at in found.logs] == [(f"{project}/main_log.txt", 5)]
    assert [root.path for root in found.roots] == [f"{project}/ck"]
    assert (found.login, found.jobs, found.cut) == ("HF_TOKEN", (), "")


def test_what_a_job_writes_elsewhere_is_found(project: Path, tmp_path: Path) -> None:
    far = tmp_path / "far.out"
    far.write_text(LINES)
    found = look(project, senses(Queue(str(far))))
    assert [job.job_id for job in found.jobs] == ["7"]
    assert [at.path for at in found.logs] == [f"{project}/main_log.txt", str(far)]
    job = found.job_of(str(far))
    assert job is not None
    assert job.name == "tr11"


def test_a_cluster_that_fails_costs_only_the_jobs(project: Path) -> None:
    found = look(project, senses(Queue("", fails=True)))
    assert (len(found.logs), found.jobs) == (1, ())


def test_a_folder_that_hangs_costs_only_what_is_in_it(project: Path) -> None:
    stuck = threading.Event()

    def hang(folder: Path, within_s: float) -> Walked:
        stuck.wait(60.0)
        return surroundings.Walked()

    far = project / "main_log.txt"
    found = look(project, senses(Queue(str(far)))._replace(walk=hang), 0.1)
    stuck.set()
    assert found.cut == "it gave no answer in 0.2 s"
    assert [at.path for at in found.logs] == [str(far)]


def test_the_folder_that_a_log_names(project: Path) -> None:
    seen = look(project, senses())
    same = around.with_root(senses(), seen, Facts(save_path=f"{project}/ck"))
    assert same is seen
    more = around.with_root(senses(), seen, Facts(save_path="/no/such/folder"))
    assert (more.roots[0].path, bool(more.roots[0].why)) == ("/no/such/folder", True)
    assert around.with_root(senses(), seen, Facts(save_path="relative")) is seen
