"""Megatron-LM's iteration lines of up to 2021, and what frames, forks and torn lines make of them."""

import math

import pytest

from tests.core.logs.reading import only, plainly, read, values
from trainwatch.core.model.records import Iteration, Record, Torn

# A line of a real job (facts/log-formats.md 1), a loss and a grad norm put in.
LINE = (
    " iteration       20/    1000 | consumed samples:           80 | elapsed time per iteration (ms): "
    "5837.9 | learning rate: 1.500E-05 | global batch size:     4 | lm loss: 1.045013E+01 | loss scale: "
    "32768.0 | grad norm: 1.128 | number of skipped iterations:   0 | number of nan iterations:   0 |"
)
VALUES = {
    "consumed_samples": 80.0,
    "step_time_s": 5.8379,
    "learning_rate": 1.5e-05,
    "global_batch_size": 4.0,
    "loss": 10.45013,
    "loss_scale": 32768.0,
    "grad_norm": 1.128,
    "skipped": 0.0,
    "nan_iterations": 0.0,
}


def record(speaker: str = "") -> Record:
    return Iteration(
        format="megatron-lm", speaker=speaker, iteration=20, target=1000, values=VALUES
    )


FRAMES = [
    ("", ""),
    ("[default7]:", "rank7"),
    ("[rank0]:", "rank0"),
    ("[rank12]: ", "rank12"),
    ("230: ", "230"),
    ("[host-name:1]:", "host-name:1"),
    ("[host-name:1]: ", "host-name:1"),
    ("[gpu-17.cluster]: ", "gpu-17.cluster"),
    ("\x1b[2J\x1b[H", ""),
    ("\x1b[32m", ""),
    ("\x1b]0;a title\x07", ""),
    ("\0\0\0", ""),
    ("| ", ""),
    ("some words of another rank ", ""),
    ("\ufffd\u2588", ""),
]


@pytest.mark.parametrize(("frame", "speaker"), FRAMES)
def test_frames_around_a_line(frame: str, speaker: str) -> None:
    assert only(frame + LINE) == record(speaker)


@pytest.mark.parametrize("tail", ["", " ", "\x1b[0m", "\r", " time (ms)", "slurmstepd: a word"])
def test_what_is_glued_behind_a_line(tail: str) -> None:
    assert only(LINE + tail) == record()


def test_an_older_line_has_no_samples_and_no_batch_size() -> None:
    line = (
        " iteration        1/    1000 | elapsed time per iteration (ms): 150471.3 | learning rate: "
        "1.875E-05 | lm loss: 1.279022E+01 | loss scale: 1024.0 | number of skipped iterations:   0 | "
        "number of nan iterations:   0 |"
    )
    assert values(line) == {
        "step_time_s": 150.4713,
        "learning_rate": 1.875e-05,
        "loss": 12.79022,
        "loss_scale": 1024.0,
        "skipped": 0.0,
        "nan_iterations": 0.0,
    }


# (in the line, put in its place, what becomes of the values: None takes one out)
CHANGES: list[tuple[str, str, dict[str, float | None]]] = [
    # not measured: the placeholders of engines that do not report it
    ("grad norm: 1.128", "grad norm: 0.000", {"grad_norm": None}),
    ("grad norm: 1.128", "grad norm: -1.000", {"grad_norm": None}),
    ("loss scale: 32768.0", "loss scale: -1.0", {"loss_scale": None}),
    ("lm loss: 1.045013E+01", "lm loss: -1.00000", {"loss": None}),
    ("(ms): 5837.9", "(ms): -12710.0", {"step_time_s": None}),
    ("(ms): 5837.9", "(ms): 0.0", {"step_time_s": None}),
    # the unit is in the label
    ("(ms): 5837.9", "(s): 105.22", {"step_time_s": 105.22}),
    # other spellings of the loss
    ("lm loss: 1.045013E+01", "lm-loss: 1.045013E+01", {}),
    ("lm loss: 1.045013E+01", "lm_loss: 1.045013E+01", {}),
    ("lm loss: 1.045013E+01", "loss: 1.045013E+01", {}),
    ("lm loss: 1.045013E+01", "lm loss: nan", {"loss": math.nan}),
    ("lm loss: 1.045013E+01", "lm loss: NaN", {"loss": math.nan}),
    ("lm loss: 1.045013E+01", "lm loss: inf", {"loss": math.inf}),
    ("lm loss: 1.045013E+01", "lm loss: -INF", {"loss": -math.inf}),
    ("grad norm: 1.128", "grad norm: inf", {"grad_norm": math.inf}),
    # now/average, and an average behind it: now counts
    ("(ms): 5837.9", "(ms): 5837.9/6012.3", {}),
    ("(ms): 5837.9", "(ms): 5837.9 (avg 6012.3)", {}),
    ("(ms): 5837.9", "(ms): 5,837.9", {}),
    # further columns under their own names
    ("grad norm: 1.128", "grad norm: 1.128 | num zeros: 12.0", {"num_zeros": 12.0}),
    ("grad norm: 1.128", "grad norm: 1.128 | params norm: 3.5", {"params_norm": 3.5}),
    ("grad norm: 1.128", "grad norm: 1.128 | mtp_1 loss: 2.8E+00", {"mtp_1_loss": 2.8}),
    ("grad norm: 1.128", "grad norm: 1.128 | actual seqlen:  2048", {"actual_seqlen": 2048.0}),
    # a label with a word behind it is no number, and nothing is made of it
    ("grad norm: 1.128", "grad norm: 1.128 | state: warm", {}),
]


@pytest.mark.parametrize(("old", "new", "changes"), CHANGES)
def test_values(old: str, new: str, changes: dict[str, float | None]) -> None:
    assert old in LINE
    expected = {k: v for k, v in {**VALUES, **changes}.items() if v is not None}
    assert values(LINE.replace(old, new)) == expected


def test_a_loss_that_is_left_out_is_told_from_one_that_is_a_placeholder() -> None:
    left_out = read(LINE.replace(" lm loss: 1.045013E+01 |", ""))
    placeholder = read(LINE.replace("1.045013E+01", "-1.00000"))
    assert [r.loss_expected for r in (*left_out, *placeholder) if isinstance(r, Iteration)] == [
        True,
        False,
    ]


CUT = [
    # the end is missing
    LINE[: LINE.index("| grad norm")],
    LINE[: LINE.index("number of nan")],
    LINE[: LINE.index("number of skipped")] + "[default3]:some other rank",
    # a number is cut through by another rank's words
    LINE.replace("1.045013E+01", "1.04[default3]: NCCL INFO Channel 00"),
    LINE.replace("lm loss: 1.045013E+01", "lm loss: "),
    LINE.replace("(ms): 5837.9", "(ms): 58.37.9"),
    LINE.replace("global batch size:     4", "global batch size: 4 [rank1]"),
]


@pytest.mark.parametrize("line", CUT)
def test_a_torn_line_is_counted_and_not_read(line: str) -> None:
    assert plainly(read(line)) == [Torn()]


def test_two_records_in_one_line_are_both_read() -> None:
    later = LINE.replace("      20/", "      30/").replace("5837.9", "6000.0")
    found = plainly(read(LINE + later))
    assert [(r.iteration, r.values["step_time_s"]) for r in found if isinstance(r, Iteration)] == [
        (20, 5.8379),
        (30, 6.0),
    ]


def test_a_line_that_another_one_cuts_through_loses_that_one_only() -> None:
    cut = LINE.index(" global batch")
    later = LINE.replace("      20/", "      30/")
    found = plainly(read(f"[default3]:{LINE[:cut]}[default7]:{later}{LINE[cut:]}"))
    assert [type(r) for r in found] == [Torn, Iteration]
    assert [r.iteration for r in found if isinstance(r, Iteration)] == [30]
    assert found[1] == Iteration(
        format="megatron-lm", speaker="rank3", iteration=30, target=1000, values=VALUES
    )


LOOK_ALIKES = [
    "time (ms) | forward-compute: 32054.16 | backward-compute: 50105.95 | optimizer: 1.0",
    "time (ms)",
    "[Rank 0] (after 1 iterations) memory (MB) | allocated: 542.36 | max allocated: 623.57",
    "[Rank 4] (after 10 iterations) memory (MB) | allocated: 1.0 | max allocated: 2.0",
    " > elapsed time per iteration (ms) will be printed every 10 iterations",
    "log_string += ' elapsed time per iteration (ms): {:.1f} |'.format(elapsed_time * 1000)",
    " iteration {:8d}/{:8d} | elapsed time per iteration (ms): {:.1f} | number of skipped",
    "see iteration 7 of the elapsed time per iteration plot",
    "subiteration 20/ 1000 | elapsed time per iteration (ms): 1.0 | number of skipped iterations: 0",
]


@pytest.mark.parametrize("line", LOOK_ALIKES)
def test_look_alikes_say_nothing(line: str) -> None:
    assert read(line) == []


def test_a_stamp_that_a_launcher_puts_before_a_line_is_its_time() -> None:
    found = only("[2021-08-08 01:00:44,221] [INFO] [training.py:700:log] " + LINE)
    assert isinstance(found, Iteration)
    assert (found.format, found.stamp) == ("megatron-lm", 1628384444.221)
