"""A chain from start to stop on a real cluster: it watches a training array through what happens to it."""

from pathlib import Path

from tests.cluster.crons import World, alive, cron_table
from tests.cluster.slurm import Cluster
from tests.cluster.test_watch import TRAINING
from trainwatch.adapters.store import StoreReader
from trainwatch.core.model.status import Status

CONFIG = """
log_utc_offset_h = 0
[[runs]]
log = "{log}"
name = "tr11"
[runs.slurm]
job_name = "tr11-*"
[alerts.no-successor]
after_min = 0.1
[alerts.not-queued]
after_min = 0.1
{cron}
"""


def status_of(world: World) -> Status:
    found = world.run_status("tr11")
    return found if found is not None else Status(run="tr11", health="unknown")


def ends(status: Status) -> list[str | None]:
    return [attempt.end for attempt in status.attempts]


def until_trains(world: World, job_id: str) -> None:
    """Until the newest attempt is this job's."""

    def trains() -> bool:
        attempts = status_of(world).attempts
        return bool(attempts) and attempts[-1].job_id == job_id

    world.until(trains, f"an attempt of {job_id}", 200)


def test_a_training_array_is_watched_over_hand_overs(commands: Cluster, tmp_path: Path) -> None:
    """A time limit, a cancel, a node that dies: each attempt with its reason, and the alerts for it."""
    log = tmp_path / "main_log.txt"
    cron = cron_table(options='["--nodelist=node1"]')
    world = World(commands, tmp_path, CONFIG.format(log=log, cron=cron))
    options = ("--array=1-3%1", "--nodes=1", "--nodelist=node2", "--no-requeue", "--time=30")
    array = commands.submit(
        TRAINING.format(log=log), *options, "--job-name=tr11-176B", "--output=/dev/null"
    )
    assert "submitted" in world.start().err
    assert "nothing was submitted" in world.start().err
    prepost = commands.run("squeue", "-h", "-p", "prepost", "-o", "%j").split()
    assert set(prepost) == {world.name}

    each_task_ends(world, array)
    status = status_of(world)
    assert ends(status) == ["time-limit", "cancelled", "node-failure"]
    assert [attempt.job_id for attempt in status.attempts] == [f"{array}_{n}" for n in (1, 2, 3)]
    assert {attempt.nodes for attempt in status.attempts} == {"node2"}
    world.until(lambda: "not-queued" in fired(world), "an alert that nobody will go on", 200)
    world.until(lambda: world.handed_over() >= 3, "three hand-overs", 240)
    told = fired(world)
    assert [told.count(rule) for rule in ("no-successor", "not-queued")] == [1, 1], told
    world.until(
        lambda: world.command("cron", "status", check=False).code == 0, "a chain that is well"
    )

    world.stop()
    assert world.rows() == []
    assert alive(str(world.state)) == []
    assert list(world.state.glob("runs/*/lease*")) == []
    assert max(world.most_at_once()) == 1
    assert world.command("cron", "status", check=False).code == 1
    assert "stopped" in world.command("cron", "stop").err
    assert world.command("cron", "ensure").err == ""
    assert world.rows() == []


def each_task_ends(world: World, array: str) -> None:
    """The first by its time limit, the second by hand, the third with its node; the watcher says so."""
    commands = world.cluster
    until_trains(world, f"{array}_1")
    commands.run("scontrol", "update", f"JobId={array}_1", "TimeLimit=1")
    world.until(lambda: ends(status_of(world))[:1] == ["time-limit"], "the time limit", 240)
    until_trains(world, f"{array}_2")
    commands.run("scancel", f"{array}_2")
    until_trains(world, f"{array}_3")
    world.until(lambda: ends(status_of(world))[1:2] == ["cancelled"], "the cancel", 120)
    world.until(lambda: "no-successor" in fired(world), "an alert that nothing follows", 200)
    commands.kill("node2")
    try:
        world.until(lambda: ends(status_of(world))[2:] == ["node-failure"], "the dead node", 200)
    finally:
        commands.start_node("node2")


def fired(world: World) -> list[str]:
    """The rules that were told of as firing, in order."""
    (folder,) = world.state.glob("runs/tr11-*")
    events = StoreReader(folder).events()
    return [event.text.split()[1].rstrip(":") for event in events if event.kind == "alert-firing"]
