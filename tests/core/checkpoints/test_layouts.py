"""Names of checkpoints, in the words of each framework."""

import pytest

from trainwatch.core.checkpoints import layouts
from trainwatch.core.checkpoints.layouts import Named, in_order, named


@pytest.mark.parametrize(
    ("name", "kind", "iteration"),
    [
        ("global_step1000", "deepspeed", 1000),
        ("global_step1000_universal", "universal", 1000),
        ("iter_0000990", "megatron", 990),
        ("iter_1234567", "megatron", 1_234_567),
        ("step-9", "torchtitan", 9),
        ("checkpoint-500", "hf", 500),
        ("megatron_gpt--val_loss=2.31-step=9000-consumed_samples=2304000.0", "lightning", 9000),
        ("epoch=0-step=200.ckpt", "lightning", 200),
        ("step=7-last", "lightning", 7),
    ],
)
def test_a_name(name: str, kind: str, iteration: int) -> None:
    found = named(name)
    assert found is not None
    assert (found.kind, found.iteration) == (kind, iteration)


@pytest.mark.parametrize(
    "name",
    [
        "global_step",
        "global_step1000 ",
        "global_step1000\n",
        "xglobal_step1000",
        "iter_990",
        "iter_0000990_old",
        "checkpoint-",
        "checkpoint-500.tmp",
        "step-9-unfinished",
        "epoch=0-step=200-unfinished",
        "..",
        "--global_step1",
        "latest",
        "１２",
    ],
)
def test_any_other_name_is_none_of_ours(name: str) -> None:
    assert named(name, layouts.TRACKERS) is None


def test_a_bare_number_counts_beside_its_tracker_only() -> None:
    assert named("100") is None
    assert named("100", ["latest"]) is None
    assert named("100", ["latest.txt"]) == Named("100", "nanotron", 100)


def test_order_is_by_number() -> None:
    names = ["global_step9", "global_step10", "global_step100", "step-99"]
    found = [each for each in map(named, sorted(names)) if each is not None]
    assert [each.name for each in in_order(found)] == [
        "global_step9",
        "global_step10",
        "step-99",
        "global_step100",
    ]
