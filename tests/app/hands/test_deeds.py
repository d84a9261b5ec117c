"""What the hands do to a job that stalls: planned, written down, done once, recorded."""

from collections.abc import Sequence

from msgspec.structs import replace

from tests.app.hands.worlds import BOTH, CANCEL, RUNNING, World
from trainwatch.app import recording
from trainwatch.core.model.observations import AlertRequest, DeedReading


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
