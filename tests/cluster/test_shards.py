"""Two shards over six runs on the cluster's two nodes; one is killed, and every run stays watched."""

from pathlib import Path

from tests.cluster.crons import World, alive, cron_table
from tests.cluster.slurm import NODES, Cluster
from trainwatch.adapters.store import StoreReader
from trainwatch.adapters.store.shards import ShardFiles
from trainwatch.core.model.cron import ShardStatus

RUNS = [f"tr{n}" for n in range(6)]


def line(iteration: int) -> str:
    """As a training job writes it."""
    return (
        f" iteration {iteration}/ 500000 | consumed samples: {iteration * 16} |"
        " elapsed time per iteration (ms): 500.0 | learning rate: 1.0E-04 | global batch size: 16 |"
        " lm loss: 2.500000E+00 | loss scale: 1.0 | grad norm: 1.000 |"
        " number of skipped iterations: 0 | number of nan iterations: 0 |\n"
    )


def lines(first: int, end: int, loss: str = "2.500000E+00") -> str:
    return "".join(line(n).replace("2.500000E+00", loss) for n in range(first, end))


def shards(world: World) -> dict[int, ShardStatus]:
    return {shard.index: shard for shard in ShardFiles(world.state).read()}


def iterations(world: World) -> list[int | None]:
    found = [world.run_status(run) for run in RUNS]
    return [status.iteration if status is not None else None for status in found]


def nans_told(world: World) -> list[int]:
    """How often it was told of each run that its loss is NaN for good."""
    folders = [next(iter(world.state.glob(f"runs/{run}-*"))) for run in RUNS]
    events = [StoreReader(folder).events() for folder in folders]
    told = [[e.text for e in found if e.kind == "alert-firing"] for found in events]
    return [sum(text.startswith("critical loss-nan") for text in texts) for texts in told]


def append(folder: Path, text: str) -> None:
    for run in RUNS:
        with (folder / f"{run}.out").open("a") as log:
            log.write(text)


def test_a_lost_shard_is_taken_over(commands: Cluster, tmp_path: Path) -> None:
    tables = "\n".join(f'[[runs]]\nlog = "{tmp_path / run}.out"\nname = "{run}"' for run in RUNS)
    for run in RUNS:
        head = "using world size: 8, data-parallel-size: 8\n"
        (tmp_path / f"{run}.out").write_text(head + lines(1, 21))
    cron = cron_table(time_limit_h="1", cpus="9")
    world = World(commands, tmp_path, f"{tables}\n{cron}")
    world.start("--shards", "2")
    world.until(lambda: len(shards(world)) == 2, "two shards")
    world.until(lambda: iterations(world) == [20] * 6, "six runs that are read", 300)
    append(tmp_path, lines(21, 31, "nan"))
    world.until(lambda: nans_told(world) == [1] * 6, "six alerts", 120)
    found = shards(world)
    assert sorted(found[0].runs + found[1].runs) == RUNS
    assert {shard.host for shard in found.values()} == set(NODES)
    running = [row for row in world.rows() if row.state == "RUNNING"]
    assert sorted(row.job_id.partition("_")[2] for row in running) == ["0", "1"]

    array = running[0].job_id.partition("_")[0]
    commands.run("scancel", "--signal=KILL", "--full", f"{array}_0")
    append(tmp_path, lines(31, 41, "nan"))
    world.until(lambda: iterations(world) == [40] * 6, "all six, watched by one", 600)
    theirs = set(found[0].runs)  # said by the next heartbeat, which comes once a minute
    world.until(lambda: set(shards(world)[1].taken_over) == theirs, "who took what over")
    assert nans_told(world) == [1] * 6
    assert {row.job_id for row in world.rows() if row.state == "RUNNING"} == {f"{array}_1"}
    world.stop()
    assert alive(str(world.state)) == []
    assert world.rows() == []
