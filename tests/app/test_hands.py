"""The hands on jobs, carried out beside a log and a queue that a test writes, with a clock wound by hand."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.test_watched import NOW, SCANNER, Rig, iteration
from tests.fakes import MemoryEvidence, MemoryHands, MemoryScheduler, MemoryStore
from trainwatch.app import recording
from trainwatch.app.daemon import Daemon
from trainwatch.app.hands import Chosen, Hands
from trainwatch.app.queueing import Queues
from trainwatch.app.watched import Watched
from trainwatch.core.facts import Facts
from trainwatch.core.hands.settings import Budget, HandSettings
from trainwatch.core.judge import Judge
from trainwatch.core.model.observations import AlertRequest, AttemptEnd, DeedReading, Job
from trainwatch.core.model.status import HandStatus
from trainwatch.core.ours import Ours
from trainwatch.core.rules.settings import AlertSettings

STARTUP = b"using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4\n"
RUNNING = Job(
    job_id="7_1",
    array_job_id="7",
    name="tr11",
    state="RUNNING",
    nodes=("n1", "n2", "n3", "n4", "n5"),
    start=NOW - 60,
)
NEXT = Job(
    job_id="7_[2-10%1]",
    array_job_id="7",
    name="tr11",
    state="PENDING",
    reason="JobArrayTaskLimit",
)
CANCEL = HandSettings(apply=True, cancel_stalled_after_min=20)
BOTH = HandSettings(apply=True, cancel_stalled_after_min=20, evidence=True)


def opened(rig: Rig, name: str = "tr11") -> Watched:
    """The run, as its last watcher left it."""
    saved = rig.store.load()
    if saved is not None:
        rig.log.mark = saved.mark
    judge = Judge(name, AlertSettings(), Facts(), saved.memory if saved else None)
    return Watched(
        name,
        "main_log.txt",
        rig.log,
        rig.store,
        SCANNER,
        saved=saved,
        record=rig.recorded.append,
        judge=judge,
    )


class World:
    """A daemon over one run, its log, its queue, and the hands on it."""

    def __init__(self, settings: HandSettings, folder: Path = Path("/state")) -> None:
        self.scheduler, self.evidence = MemoryScheduler(), MemoryEvidence()
        self.scheduler.jobs = (RUNNING, NEXT)
        self.jobs = MemoryHands(self.scheduler)
        self.settings, self.folder, self.now = settings, folder, NOW
        self.rigs = [Rig()]
        self.begin()

    @property
    def rig(self) -> Rig:
        return self.rigs[0]

    def begin(self) -> None:
        """A daemon, or another one."""
        for rig in self.rigs:
            rig.run = opened(rig, f"tr1{1 + self.rigs.index(rig)}")
        ours = {rig.run.name: Ours(job_name="tr11") for rig in self.rigs}
        chosen = {
            name: Chosen(self.settings, each, self.folder / "evidence")
            for name, each in ours.items()
        }
        queues = Queues(self.scheduler, ours, 60.0, patience_s=10.0)
        self.hands = Hands(self.scheduler, self.jobs, self.evidence, chosen, interval_s=60.0)
        runs = [rig.run for rig in self.rigs]
        self.daemon = Daemon(runs, heartbeat_s=30.0, queues=queues, hands=self.hands)

    def go_on(self, minutes: float, number: int | None = None) -> "World":
        """Time passes, tick by tick; a line every 15 s from iteration `number` on."""
        for step in range(round(minutes * 4)):
            self.now += 15.0
            if number is not None:
                self.rig.log.write(iteration(number + step).replace(b"/    1000", b"/ 9000000"))
            while self.daemon.tick(self.now):
                pass
            self.hands.finish([rig.run for rig in self.rigs], self.now, 10.0)
        return self

    def train(self) -> "World":
        """It trains for ten minutes."""
        self.rig.log.write(STARTUP)
        return self.go_on(10, number=1)

    @property
    def did(self) -> list[str]:
        return self.jobs.did

    def journal(self) -> list[str]:
        """What stands there of hands."""
        return [f"{e.kind}: {e.text}" for e in self.rig.store.events if e.kind.startswith("hand-")]

    def hand(self, name: str) -> HandStatus:
        """What the status says of one."""
        status = self.rig.run.status(self.now)
        return next(row for row in status.hands if row.hand == name)


def test_a_stalled_job_is_cancelled_once_after_its_evidence_is_taken() -> None:
    world = World(BOTH).train().go_on(90)
    assert world.did == ["cancel 7_1"]
    (scene,) = world.evidence.scenes
    assert (scene.job_id, scene.nodes, scene.log) == ("7_1", RUNNING.nodes, "main_log.txt")
    assert scene.folder.startswith("/state/evidence/2026")
    assert scene.folder.endswith("Z-stall-7_1")
    kinds = [line.partition(":")[0] for line in world.journal()]
    assert kinds == ["hand-begun", "hand-done"] * 2
    assert world.journal()[1].startswith("hand-done: evidence (stall/7_1@")


def test_the_stall_is_told_again_with_the_folder() -> None:
    world = World(replace(BOTH, cancel_stalled_after_min=None)).train().go_on(40)
    (alert,) = world.rig.run.status(world.now).alerts
    assert "trainwatch collected evidence (2 of 2 things: job.txt, logs) in /state" in alert.advice
    told = [e.kind for e in world.rig.store.events if " stall: " in e.text]
    assert told == ["alert-firing", "alert-repeated"]


def test_without_apply_the_plan_is_shown_and_written_down_once() -> None:
    world = World(replace(BOTH, apply=False)).train().go_on(90)
    assert (world.did, world.evidence.scenes) == ([], [])
    planned = [line for line in world.journal() if "scancel" in line]
    assert len(planned) == 1
    assert planned[0].endswith("would: scancel 7_1")
    row = world.hand("cancel")
    assert (row.state, row.does, row.last) == ("would", "scancel 7_1", "")
    assert world.hand("resubmit").state == "off"


def test_what_a_person_asked_for_is_done_once() -> None:
    world = World(replace(CANCEL, apply=False)).train().go_on(60)
    until = world.now + 600
    cause = world.hand("cancel").cause
    ask = AlertRequest(at=world.now, ask="apply", rule="cancel", key=cause, until=until)
    world.rig.store.asked = [replace(ask, key="another cause")]
    assert world.go_on(2).did == []
    world.rig.store.asked = [replace(ask, until=world.now - 1)]
    assert world.go_on(2).did == []
    world.rig.store.asked = [ask]
    assert world.go_on(30).did == ["cancel 7_1"]


def test_never_twice_for_one_cause_though_the_job_stays_and_the_daemon_does_not() -> None:
    world = World(CANCEL).train()
    world.jobs.cancel = lambda job_ids: world.did.append("cancel")  # type: ignore[method-assign]
    world.go_on(60)
    assert world.did == ["cancel"]
    for _ in range(4):
        world.begin()
        world.go_on(60)
    assert world.did == ["cancel"]
    assert "done for this cause already" in " ".join(world.hand("cancel").why)


class Killed(Exception):
    """The process ends here."""


def test_a_deed_is_written_down_before_it_is_done_and_not_done_again_after_a_kill() -> None:
    world = World(CANCEL).train()

    def killed(job_ids: Sequence[str]) -> None:
        kept = world.rig.store.load()
        assert kept is not None
        assert kept.memory is not None
        assert [each.outcome for each in kept.memory.deeds.done] == ["begun"]
        world.did.append("killed")
        world.now += 1e6  # nothing is heard of it in this life
        raise Killed

    world.jobs.cancel = killed  # type: ignore[method-assign]
    before = world.now
    while not world.did:
        world.go_on(0.25)
    world.now = before + 3600.0
    world.begin()
    kept = world.rig.run.sight(world.now).memory.deeds.done
    assert kept[-1].outcome in ("begun", "unknown")
    world.go_on(5)
    assert world.did == ["killed"]


def test_a_full_disk_keeps_the_hands_still() -> None:
    world = World(CANCEL).train()
    world.rig.store.full = True
    world.go_on(90)
    assert world.did == []
    assert "nothing can be written down: no room left" in " ".join(world.hand("cancel").why)
    world.rig.store.full = False
    assert world.go_on(30).did == ["cancel 7_1"]


class FullWhenItMatters(MemoryStore):
    """No room from the moment on that a deed is to be written."""

    def commit(self, rows, events, state, mark, memory=None) -> None:  # type: ignore[no-untyped-def]
        if any(event.kind == "hand-begun" for event in events):
            self.full = True
        super().commit(rows, events, state, mark, memory)


def test_what_cannot_be_written_down_is_not_done() -> None:
    world = World(CANCEL)
    world.rigs = [Rig(FullWhenItMatters())]
    world.begin()
    world.train().go_on(60)
    assert world.did == []
    deeds = world.rig.run.sight(world.now).memory.deeds.done
    assert [(each.outcome, each.detail) for each in deeds] == [
        ("not-done", "it could not be written down first")
    ]


def test_no_answer_is_no_reason_to_act() -> None:
    world = World(CANCEL).train()
    world.scheduler.trouble = "Socket timed out"
    assert world.go_on(180).did == []
    assert "answer is unknown" in " ".join(world.hand("cancel").why)


def test_a_log_that_cannot_be_read_is_no_stall() -> None:
    world = World(CANCEL).train()
    world.rig.log.trouble = "Permission denied"
    assert world.go_on(180).did == []


def test_a_last_look_calls_a_deed_off_when_the_job_is_another() -> None:
    """The id was given anew after the plan was made."""
    world = World(CANCEL).train().go_on(15)
    queue = world.scheduler.queue
    world.scheduler.queue = lambda: queue() if world.hands._calls == {} else (REUSED,)  # type: ignore[method-assign]
    world.go_on(60)
    assert world.did == []
    lines = [line for line in world.journal() if line.startswith("hand-not-done")]
    assert "the queue now shows 7_1 RUNNING, not job 7_1 as it was" in lines[0]
    assert len(lines) <= 13  # five minutes apart


REUSED = replace(RUNNING, start=NOW + 5000)


def test_a_cancel_whose_answer_was_lost_is_not_repeated_while_the_job_is_gone() -> None:
    world = World(CANCEL).train()
    cancel = world.jobs.cancel

    def lost(job_ids: Sequence[str]) -> None:
        cancel(job_ids)
        raise TimeoutError

    world.jobs.cancel = lost  # type: ignore[method-assign]
    world.go_on(90)
    assert world.did == ["cancel 7_1"]
    deeds = world.rig.run.sight(world.now).memory.deeds.done
    assert [each.outcome for each in deeds] == ["done"]


def test_what_the_scheduler_refuses_is_not_asked_again() -> None:
    world = World(CANCEL).train()
    world.jobs.refuses = "Access/permission denied"
    world.go_on(180)
    refused = [line for line in world.journal() if line.startswith("hand-refused")]
    assert len(refused) == 1
    assert "Access/permission denied" in refused[0]


def test_evidence_that_failed_does_not_keep_the_job_from_being_cancelled() -> None:
    world = World(BOTH).train()
    world.evidence.trouble = "cannot make the folder"
    world.go_on(60)
    assert world.did == ["cancel 7_1"]
    assert len(world.evidence.scenes) == 1


def test_two_runs_with_the_same_jobs_are_both_left_alone() -> None:
    world = World(CANCEL)
    world.rigs.append(Rig())
    world.begin()
    world.train().go_on(90)
    assert world.did == []
    assert "also taken for another run's" in " ".join(world.hand("cancel").why)


def test_a_budget_of_none_is_never() -> None:
    world = World(replace(CANCEL, most_per_day=Budget(cancel=0))).train().go_on(90)
    assert world.did == []


# the next job


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.slurm"
    path.write_text("#!/bin/bash\n#SBATCH --job-name=tr11 --exclude=n9\nsrun train\n")
    return path


def out(world: World, state: str = "TIMEOUT") -> World:
    """The chain runs out."""
    world.train()
    end = AttemptEnd(job_id="7_1", state=state, start=RUNNING.start, end=world.now)
    world.scheduler.jobs, world.scheduler.books = (), {"7_1": end}
    return world


def test_the_next_job_is_submitted_once(script: Path) -> None:
    world = out(World(HandSettings(apply=True, resubmit=str(script)))).go_on(60)
    assert world.did == ["submit 1001"]
    (job,) = world.jobs.submitted
    assert (job.name, job.dependency, job.exclude) == ("", "singleton", "n9")
    assert job.folder == str(script.parent)
    assert job.comment.startswith("trainwatch-")
    assert "job 1001" in " ".join(world.journal())
    world.scheduler.jobs = ()
    world.begin()
    assert world.go_on(240).did == ["submit 1001"]


def test_who_was_cancelled_is_not_submitted(script: Path) -> None:
    world = out(World(HandSettings(apply=True, resubmit=str(script))), "CANCELLED").go_on(120)
    assert world.did == []
    assert "a person stopped it on purpose" in " ".join(world.hand("resubmit").why)


def test_a_person_who_submits_at_the_same_moment_is_first(script: Path) -> None:
    world = out(World(HandSettings(apply=True, resubmit=str(script))))
    queue = world.scheduler.queue
    theirs = replace(NEXT, job_id="88", array_job_id="88")
    world.scheduler.queue = lambda: queue() if world.hands._calls == {} else (theirs,)  # type: ignore[method-assign]
    world.go_on(30)
    assert world.did == []
    assert "somebody was quicker: job 88 (PENDING) is there" in " ".join(world.journal())


def test_a_kill_switch_that_is_there_keeps_the_next_job_from_being_submitted(
    script: Path, tmp_path: Path
) -> None:
    switch = tmp_path / "kill"
    switch.touch()
    world = World(HandSettings(apply=True, resubmit=str(script)))
    world.rig.log.write(f"  kill_switch_path ........ {switch}\n".encode())
    out(world).go_on(40)
    assert world.did == []
    assert "hand-not-done" in world.journal()[-1]
    assert f"the kill switch {switch} is there" in world.journal()[-1]
    switch.unlink()
    assert world.go_on(15).did == ["submit 1001"]


def test_an_iteration_in_the_last_moment_calls_it_off() -> None:
    world = World(CANCEL).train().go_on(15)
    queue = world.scheduler.queue

    def slow() -> tuple[Job, ...]:
        if world.hands._calls and not world.did:
            world.did.append("looked")
            world.rig.log.write(iteration(500))
            world.now += 15.0
            world.daemon.tick(world.now)
        return queue()

    world.scheduler.queue = slow  # type: ignore[method-assign]
    while not world.did:
        world.go_on(0.25)
    world.go_on(5)
    assert world.did == ["looked"]
    assert "stall does not fire any more" in world.journal()[-1]


def test_a_submission_whose_answer_was_lost_is_not_repeated(tmp_path: Path) -> None:
    script = tmp_path / "tr11"
    script.write_text("#!/bin/bash\nsrun train\n")
    world = out(World(HandSettings(apply=True, resubmit=str(script))))
    world.jobs.silent = True
    world.go_on(60)
    assert world.did == ["submit 1001"]
    assert world.rig.run.sight(world.now).memory.deeds.done[-1].outcome == "done"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("srun train\n", "is no batch script"),
        ("#!/bin/bash\n#SBATCH -J other\n", "its job 'other' would not be seen as the run's"),
    ],
)
def test_a_script_that_cannot_be_the_next_job_is_not_submitted(
    script: Path, text: str, why: str
) -> None:
    script.write_text(text)
    world = out(World(HandSettings(apply=True, resubmit=str(script)))).go_on(120)
    assert world.did == []
    failed = [line for line in world.journal() if line.startswith("hand-failed")]
    assert len(failed) == 1
    assert why in failed[0]


def test_a_script_that_is_gone_is_said(script: Path) -> None:
    script.unlink()
    world = out(World(HandSettings(apply=True, resubmit=str(script)))).go_on(60)
    assert world.did == []
    assert "No such file" in " ".join(world.journal())


# what is recorded


def test_deeds_are_recorded_and_read_back() -> None:
    world = World(BOTH).train().go_on(60)
    deeds = [seen for seen in world.rig.recorded if isinstance(seen, DeedReading)]
    assert [(each.hand, each.outcome) for each in deeds] == [
        ("evidence", "begun"),
        ("evidence", "done"),
        ("cancel", "begun"),
        ("cancel", "done"),
    ]
    assert [recording.parse(recording.line(each)) for each in deeds] == deeds
