"""What trackers say, and garbage in them."""

import pytest

from tests.core.checkpoints.making import named
from trainwatch.core.checkpoints import trackers
from trainwatch.core.checkpoints.trackers import Tracker, latest, naming, read


@pytest.mark.parametrize(
    ("file", "data", "iteration"),
    [
        ("latest", b"global_step990", 990),
        ("latest", b"global_step990\n", 990),
        ("latest_universal", b"global_step990_universal", 990),
        ("latest_checkpointed_iteration.txt", b"990", 990),
        ("latest_checkpointed_iteration.txt", b"release\n", None),
        ("latest.txt", b"12", 12),
    ],
)
def test_what_it_says(file: str, data: bytes, iteration: int | None) -> None:
    found = read(file, data)
    assert (found.iteration, found.trouble) == (iteration, "")


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("latest", b""),
        ("latest", b"990"),
        ("latest", b"iter_0000990"),
        ("latest", b"../global_step990"),
        ("latest", b"global_step990\nglobal_step991"),
        ("latest", b"\xff\xfe\x00"),
        ("latest", b"x" * 5000),
        ("latest_checkpointed_iteration.txt", b"global_step990"),
        ("latest_checkpointed_iteration.txt", b"-1"),
        ("latest_checkpointed_iteration.txt", b"9" * 40),
        ("latest_checkpointed_iteration.txt", "９９".encode()),
        ("latest.txt", b"release?"),
    ],
)
def test_garbage_is_named_and_means_nothing(file: str, data: bytes) -> None:
    found = read(file, data)
    assert found.iteration is None
    assert found.trouble.startswith(f"{file} holds ")
    assert "expected" in found.trouble
    assert len(found.trouble) < 200


def test_which_checkpoint_it_names() -> None:
    by_name, by_number = (
        read("latest", b"global_step990"),
        read("latest_checkpointed_iteration.txt", b"990"),
    )
    assert trackers.names(by_name, named("global_step990"))
    assert not trackers.names(by_name, named("global_step990_universal"))
    assert trackers.names(by_number, named("iter_0000990"))
    assert not trackers.names(by_number, named("iter_0000991"))


def test_what_it_has_to_say() -> None:
    assert naming("latest", named("global_step990")) == "global_step990"
    assert naming("latest_checkpointed_iteration.txt", named("iter_0000990")) == "990"


def test_a_job_loads_by_the_one_that_is_further_but_not_by_the_universal_one() -> None:
    found = {
        "latest": Tracker("latest", "global_step5", 5),
        "latest_checkpointed_iteration.txt": Tracker("latest_checkpointed_iteration.txt", "7", 7),
        "latest_universal": Tracker("latest_universal", "global_step9_universal", 9),
    }
    told = latest(found)
    assert told is not None
    assert told.iteration == 7
    assert latest({}) is None
