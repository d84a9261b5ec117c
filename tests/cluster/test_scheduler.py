"""The contract of a Scheduler: the fake, and a real Slurm asked in text and in JSON."""

import re
from collections.abc import Callable, Iterator
from typing import Protocol

import pytest
from msgspec.structs import replace

from tests.cluster.slurm import Cluster, free_ports
from tests.fakes import MemoryScheduler
from trainwatch.adapters.slurm import Slurm
from trainwatch.core.errors import SchedulerUnknown
from trainwatch.core.model.observations import AttemptEnd, Job, Reservation
from trainwatch.core.ports import Scheduler

NAME = "a job|with\x1f blanks"


class World(Protocol):
    """What makes things happen to the jobs of a scheduler."""

    scheduler: Scheduler

    def begin(self) -> str:
        """A job of our name runs on one node; its id."""
        ...

    def hold(self) -> str:
        """One waits, held by its owner; its id."""
        ...

    def end(self, job_id: str) -> None:
        """It is cancelled, and its end is in the books."""
        ...

    def reserve(self, *, maintenance: bool) -> str:
        """One node is set aside for an hour from tomorrow on; the reservation's name."""
        ...

    def go_down(self) -> None:
        """Nobody answers from now on."""
        ...


class Fake:
    """Over MemoryScheduler."""

    def __init__(self) -> None:
        self._made = MemoryScheduler()
        self.scheduler: Scheduler = self._made

    def begin(self) -> str:
        job = Job(job_id="1", name=NAME, state="RUNNING", nodes=("node1",), start=1e9)
        self._made.jobs += (job,)
        return "1"

    def hold(self) -> str:
        job = Job(job_id="2", name=NAME, state="PENDING", reason="JobHeldUser")
        self._made.jobs += (job,)
        return "2"

    def end(self, job_id: str) -> None:
        (job,) = (job for job in self._made.jobs if job.job_id == job_id)
        self._made.jobs = tuple(other for other in self._made.jobs if other is not job)
        self._made.books[job_id] = AttemptEnd(
            job_id=job_id, state="CANCELLED", start=job.start, end=1e9 + 1, nodes=job.nodes
        )

    def reserve(self, *, maintenance: bool) -> str:
        flags, name = ("MAINT",) if maintenance else (), f"made_{len(self._made.reserved)}"
        one = Reservation(
            name=name, start=2e9, end=2e9 + 3600, nodes="node2", node_count=1, flags=flags
        )
        self._made.reserved += (one,)
        return name

    def go_down(self) -> None:
        self._made.trouble = "down"


class Real:
    """Over a cluster."""

    def __init__(self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, as_json: bool) -> None:
        self.scheduler: Scheduler = Slurm(as_json=as_json, deadline_s=5.0)
        self._cluster, self._monkeypatch = cluster, monkeypatch
        self.reserved = list[str]()

    def begin(self) -> str:
        job_id = self._cluster.submit("exec sleep 600", f"--job-name={NAME}")
        self._wait(lambda: self._state(job_id) == "RUNNING", "a running job")
        return job_id

    def hold(self) -> str:
        return self._cluster.submit("exec sleep 600", f"--job-name={NAME}", "--hold")

    def end(self, job_id: str) -> None:
        self._cluster.run("scancel", job_id)
        self._wait(lambda: not self._state(job_id), "a job that is gone")
        shown = ("sacct", "-X", "-n", "-P", "-o", "state,end", "-j", job_id)
        self._wait(lambda: "CANCELLED" in self._cluster.run(*shown), "its end in the books")

    def reserve(self, *, maintenance: bool) -> str:
        name = f"made_{len(self.reserved)}"
        make = ("scontrol", "create", "reservation", f"ReservationName={name}", "Nodes=node2")
        when = ("StartTime=now+1days", "Duration=60", "Users=root")
        self._cluster.run(*make, *when, *(("Flags=MAINT",) if maintenance else ()))
        self.reserved.append(name)
        return name

    def clean_up(self) -> None:
        for name in self.reserved:
            self._cluster.run("scontrol", "delete", f"ReservationName={name}", check=False)

    def go_down(self) -> None:
        elsewhere, (nobody,) = self._cluster.folder / "nobody.conf", free_ports(1)
        text = self._cluster.conf.read_text()
        elsewhere.write_text(re.sub(r"(?m)^(\w+Port)=\d+$", rf"\1={nobody}", text))
        self._monkeypatch.setenv("SLURM_CONF", str(elsewhere))

    def _state(self, job_id: str) -> str:
        return self._cluster.run("squeue", "-h", "-o", "%T", "-j", job_id, check=False).strip()

    def _wait(self, holds: Callable[[], bool], what: str) -> None:
        self._cluster.until(holds, what)


@pytest.fixture(params=["fake", "text", "json"])
def world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    if request.param == "fake":
        yield Fake()
        return
    cluster: Cluster = request.getfixturevalue("commands")
    real = Real(cluster, monkeypatch, as_json=request.param == "json")
    yield real
    real.clean_up()


def ours(world: World) -> dict[str, Job]:
    return {job.job_id: job for job in world.scheduler.queue() if job.name == NAME}


def test_no_job_is_an_answer(world: World) -> None:
    assert ours(world) == {}


def test_what_runs_and_what_waits(world: World) -> None:
    running, held = world.begin(), world.hold()
    found = ours(world)
    assert set(found) == {running, held}
    assert found[running].state == "RUNNING"
    assert found[running].nodes == ("node1",)
    assert (found[running].start or 0) > 9e8
    assert (found[held].state, found[held].reason) == ("PENDING", "JobHeldUser")
    assert found[held].nodes == ()


def test_what_ended_is_absent_and_in_the_books(world: World) -> None:
    running = world.begin()
    assert world.scheduler.ended([running]) == ()
    world.end(running)
    assert ours(world) == {}
    (ended,) = world.scheduler.ended([running])
    assert (ended.job_id, ended.state, ended.nodes) == (running, "CANCELLED", ("node1",))
    assert ended.start is not None
    assert ended.end is not None
    assert ended.start <= ended.end


def test_the_books_know_nothing_of_a_job_that_never_was(world: World) -> None:
    assert world.scheduler.ended(["999999"]) == ()


def test_what_is_reserved_and_for_what(world: World) -> None:
    assert world.scheduler.reservations() == ()
    course, repair = world.reserve(maintenance=False), world.reserve(maintenance=True)
    found = {one.name: one for one in world.scheduler.reservations()}
    assert set(found) == {course, repair}
    assert [found[name].maintenance for name in (course, repair)] == [False, True]
    assert (found[repair].nodes, found[repair].node_count) == ("node2", 1)
    begin, end = found[repair].start, found[repair].end
    assert begin is not None
    assert end is not None
    assert end - begin == 3600.0


def test_no_answer_is_not_an_empty_queue(world: World) -> None:
    job_id = world.begin()
    world.go_down()
    with pytest.raises(SchedulerUnknown):
        world.scheduler.queue()
    with pytest.raises(SchedulerUnknown):
        world.scheduler.ended([job_id])
    with pytest.raises(SchedulerUnknown):
        world.scheduler.reservations()


def test_text_and_json_say_the_same(commands: Cluster) -> None:
    options = ("--comment=run of tr11", "--time=10:00", "--exclusive")
    array = commands.submit("exec sleep 600", "--array=1-10%1", *options)
    commands.submit("true", f"--dependency=afterany:{array}", "--job-name=next")
    commands.submit("true", "--begin=now+1hour", "--job-name=later")
    commands.until(lambda: "RUNNING" in commands.run("squeue", "-h", "-o", "%T"), "a task")
    text, as_json = Slurm().queue(), Slurm(as_json=True).queue()
    key = {job.job_id: job for job in text}
    assert set(key) == {job.job_id for job in as_json}
    assert f"{array}_[2-10%1]" in key
    for job in as_json:
        other = key[job.job_id]
        # A start that is only predicted is another one each time that the scheduler thinks.
        predicted = {"start": None, "end": None} if job.state != "RUNNING" else {}
        assert replace(other, **predicted) == replace(job, **predicted)
