"""Adding up a checkpoint: what is optimizer state, and when two have the same files."""

import pytest

from tests.core.checkpoints.making import contents
from trainwatch.core.checkpoints.contents import is_optimizer


@pytest.mark.parametrize(
    ("name", "optimizer"),
    [
        ("zero_pp_rank_0_mp_rank_00_optim_states.pt", True),
        ("bf16_zero_pp_rank_12_mp_rank_03_optim_states.pt", True),
        ("mp_rank_00/distrib_optim.pt", True),
        ("optimizer.pt", True),
        ("optimizer/__0_0.distcp", True),
        ("optim/optimizer_pp-0-of-1.pt", True),
        ("mp_rank_00_model_states.pt", False),
        ("layer_01-model_00-model_states.pt", False),
        ("mp_rank_00/model_optim_rng.pt", False),
        ("pytorch_model-00001-of-00002.bin", False),
    ],
)
def test_what_is_state_of_an_optimizer(name: str, optimizer: bool) -> None:
    assert is_optimizer(name) is optimizer


def test_bytes_of_weights_and_of_the_optimizer() -> None:
    found = contents("global_step5", {"layer_01-model_states.pt": 200, "zero_pp_rank_0": 1200})
    assert (found.bytes, found.weights_bytes, found.optimizer_bytes) == (1400, 200, 1200)


def test_the_same_files_make_the_same_shape_whatever_the_iteration_and_the_order() -> None:
    one = contents("iter_0000010", {"a_0000010.pt": 1, "rank_3.pt": 2})
    other = contents("iter_0000020", {"rank_3.pt": 9, "a_0000020.pt": 9})
    assert one.shape == other.shape
    assert one.shape != contents("iter_0000020", {"rank_4.pt": 9, "a_0000020.pt": 9}).shape
    assert one.shape != contents("iter_0000020", {"a_0000020.pt": 1}).shape
