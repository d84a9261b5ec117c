"""Megatron-DeepSpeed from 2022 on: seconds in the label, consumed tokens, samples per second, TFLOPs."""

import pytest

from tests.core.logs.reading import only, read, values
from trainwatch.core.model.records import Iteration

# The fields of Megatron-DeepSpeed's training.py after 2022-01-28, with the numbers of facts 2.
LINE = (
    "[default7]: iteration    50000/  115311 | consumed samples:     100000000 | consumed tokens: "
    "204800000000 | elapsed time per iteration (s): 105.22 | learning rate: 5.200E-05 | global batch size:"
    "  2048 | lm loss: 2.201030E+00 | grad norm: 0.151 | num zeros: 0.0 | number of skipped iterations:   "
    "0 | number of nan iterations:   0 | samples per second: 19.463 | TFLOPs: 149.02 |"
)
VALUES = {
    "consumed_samples": 1e8,
    "consumed_tokens": 204.8e9,
    "step_time_s": 105.22,
    "learning_rate": 5.2e-05,
    "global_batch_size": 2048.0,
    "loss": 2.20103,
    "grad_norm": 0.151,
    "num_zeros": 0.0,
    "skipped": 0.0,
    "nan_iterations": 0.0,
    "samples_per_s": 19.463,
    "tflops": 149.02,
}


@pytest.mark.parametrize(
    ("frame", "speaker"),
    [("", "rank7"), ("\x1b[H\x1b[2J", "rank7"), ("3: ", "3")],
)
def test_a_line(frame: str, speaker: str) -> None:
    assert only(frame + LINE) == Iteration(
        format="megatron-deepspeed",
        speaker=speaker,
        iteration=50000,
        target=115311,
        values=VALUES,
    )


def test_a_build_of_2021_measures_neither_loss_scale_nor_grad_norm() -> None:
    line = (
        " iteration        5/     100 | consumed samples:         1280 | elapsed time per iteration (ms): "
        "18203.1 | learning rate: 1.0E-06 | global batch size:   256 | lm-loss: 1.1E+01 | loss scale: -1.0 | "
        "grad norm: 0.000 | number of skipped iterations:   0 | number of nan iterations:   0 |"
    )
    found = only(line)
    assert isinstance(found, Iteration)
    assert found.format == "megatron-deepspeed"
    assert found.values == {
        "consumed_samples": 1280.0,
        "step_time_s": 18.2031,
        "learning_rate": 1e-06,
        "global_batch_size": 256.0,
        "loss": 11.0,
        "skipped": 0.0,
        "nan_iterations": 0.0,
    }


def test_samples_per_second_are_kept_as_logged_whatever_their_unit_bug() -> None:
    assert values(LINE.replace("second: 19.463", "second: 0.005"))["samples_per_s"] == 0.005


def test_a_curriculum_brings_a_column_of_its_own() -> None:
    line = LINE.replace(" | lm loss", " | curriculum seqlen:   512 | lm loss")
    assert values(line)["curriculum_seqlen"] == 512.0


def test_source_code_is_no_record() -> None:
    code = "log_string += ' consumed tokens: {:12d} | elapsed time per iteration (s): {:.2f} |'"
    assert read(code) == []
