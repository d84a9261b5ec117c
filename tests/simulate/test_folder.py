"""The folder that a simulation writes: as a job leaves it, and nobody else's."""

import json
from pathlib import Path

import msgspec
import pytest

from tests.simulate.telling import FLAVOURS, START, simulated
from trainwatch.core.errors import UsageError
from trainwatch.core.model.observations import DiskReading, QueueReading
from trainwatch.simulate.folder import LOG, MARK, QUEUE, Folder
from trainwatch.simulate.happenings import (
    Broke,
    Healed,
    Observed,
    Present,
    QueueAnswered,
    SaveBegan,
    SaveFinished,
    Wrote,
)
from trainwatch.simulate.scenario import FlavourName, as_flavour
from trainwatch.simulate.scenarios import SCENARIOS

RUN = msgspec.structs.replace(SCENARIOS["healthy"], iterations=100)
COMPLETE = {
    "megatron-deepspeed": ("global_step100", "mp_rank_00_model_states.pt"),
    "megatron-core": ("iter_0000100", ".metadata"),
    "torchtitan": ("step-100", ".metadata"),
}
TRACKERS = {
    "megatron-deepspeed": {"latest": "global_step100", "latest_checkpointed_iteration.txt": "100"},
    "megatron-core": {"latest_checkpointed_iteration.txt": "100"},
    "torchtitan": {},
}


def trackers(checkpoints: Path) -> dict[str, str]:
    return {entry.name: entry.read_text() for entry in checkpoints.iterdir() if entry.is_file()}


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_checkpoint_is_incomplete_until_its_tracker_names_it(
    tmp_path: Path, flavour: FlavourName
) -> None:
    run = simulated(as_flavour(RUN, flavour))
    name, last = COMPLETE[flavour]
    seen = []
    with Folder(tmp_path / "run") as folder:
        for happening in run.happened:
            folder.write(happening)
            saves = tmp_path / "run" / "checkpoints"
            if isinstance(happening, SaveBegan):
                seen.append("began")
                assert any((saves / name).iterdir())
                assert not (saves / name / last).exists() or trackers(saves) == {}
                assert trackers(saves) == {}
            elif isinstance(happening, SaveFinished):
                seen.append("finished")
                assert (saves / name / last).is_file()
                assert trackers(saves) == TRACKERS[flavour]
    assert seen == ["began", "finished"]
    assert (tmp_path / "run" / LOG).read_bytes() == run.log


def test_the_queue_is_what_squeue_would_say_now(tmp_path: Path) -> None:
    run = simulated(RUN)
    with Folder(tmp_path) as folder:
        for happening in run.happened:
            folder.write(happening)
            if isinstance(happening, QueueAnswered):
                held = json.loads((tmp_path / QUEUE).read_text())
                assert msgspec.convert(held, QueueReading) == happening.reading
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(
        [MARK, LOG, QUEUE, "checkpoints"]
    )


def test_each_line_can_be_read_as_soon_as_it_is_written(tmp_path: Path) -> None:
    with Folder(tmp_path) as folder:
        folder.write(Wrote(START, b"first\n"))
        assert folder.log.read_bytes() == b"first\n"


@pytest.mark.parametrize("make", ["a file", "someone's", "a link to someone's"])
def test_a_folder_of_someone_else_is_left_alone(tmp_path: Path, make: str) -> None:
    place = tmp_path / "place"
    if make == "a file":
        place.write_text("mine")
    else:
        real = place if make == "someone's" else tmp_path / "real"
        real.mkdir()
        (real / LOG).write_text("mine")
        if make != "someone's":
            place.symlink_to(real)
    with pytest.raises(UsageError, match="folder"):
        Folder(place)
    assert (place if make == "a file" else place / LOG).read_text() == "mine"


def test_an_empty_folder_and_a_new_one_below_it_will_do(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "new" / "deep"):
        with Folder(place) as folder:
            assert folder.log.exists()
        (place / LOG).unlink()
        (place / MARK).unlink()


def test_its_own_folder_is_used_again_and_only_what_it_made_goes(tmp_path: Path) -> None:
    for iterations in (100, 50):
        run = simulated(msgspec.structs.replace(RUN, iterations=iterations))
        with Folder(tmp_path) as folder:
            for happening in run.happened:
                folder.write(happening)
        (tmp_path / "notes.txt").write_text("mine")
        (tmp_path / "checkpoints" / "best").mkdir(exist_ok=True, parents=True)
    assert (tmp_path / LOG).read_bytes() == run.log
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert [entry.name for entry in (tmp_path / "checkpoints").iterdir()] == ["best"]


def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    precious = tmp_path / "precious" / "global_step100"
    precious.mkdir(parents=True)
    place = tmp_path / "place"
    with Folder(place):
        pass
    (place / "checkpoints").mkdir()
    (place / "checkpoints" / "global_step1").symlink_to(precious)
    with Folder(place):
        pass
    (place / "checkpoints" / "global_step1").unlink()
    (place / "checkpoints").rmdir()
    (place / "checkpoints").symlink_to(precious.parent)
    with Folder(place):
        pass
    assert precious.is_dir()


def test_a_place_that_cannot_be_written_into_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot write into .*file/below"):
        Folder(tmp_path / "file" / "below")


def test_the_truth_and_other_observations_leave_nothing_in_the_folder(tmp_path: Path) -> None:
    disk = DiskReading(at=START, path="scratch")
    with Folder(tmp_path) as folder:
        before = sorted(tmp_path.iterdir())
        for happening in (Broke(START, "stall"), Healed(START, "stall"), Observed(START, disk)):
            folder.write(happening)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / LOG).read_bytes() == b""


def test_an_old_checkpoint_was_not_read_for_long(tmp_path: Path) -> None:
    scenario = msgspec.structs.replace(SCENARIOS["purge-risk"], iterations=44_001)
    with Folder(tmp_path) as folder:
        for happening in simulated(scenario).happened:
            folder.write(happening)
    old = tmp_path / "checkpoints" / "global_step20000"
    ages = {START - entry.stat().st_atime for entry in old.iterdir()}
    assert ages == {29 * 86_400.0}
    assert START - old.stat().st_mtime == 29 * 86_400.0
    assert (tmp_path / "checkpoints" / "latest").read_text() == "global_step44000"


def test_a_checkpoint_from_before_is_there_at_once(tmp_path: Path) -> None:
    scenario = msgspec.structs.replace(SCENARIOS["evaluation-hang"], iterations=44_701)
    first = [h for h in simulated(scenario).happened if isinstance(h, Present)]
    with Folder(tmp_path) as folder:
        for happening in first:
            folder.write(happening)
    assert (tmp_path / "checkpoints" / "latest").read_text() == "global_step44700"
    assert (tmp_path / "checkpoints" / "global_step44700").is_dir()
