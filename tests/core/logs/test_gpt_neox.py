"""GPT-NeoX: Megatron's line between samples per second and approximate FLOPs."""

import pytest

from tests.core.logs.reading import only, plainly, read
from trainwatch.core.model.records import Iteration, Torn

LINE = (
    " samples/sec: 51.200 | iteration       10/      50 | elapsed time per iteration (ms): 625.0 | learning "
    "rate: 6.000E-04 | approx flops per GPU: 150.3TFLOPS | lm_loss: 1.046E+01 | loss scale: 65536.0 | number "
    "of skipped iterations:   0 | number of nan iterations:   0 |"
)
VALUES = {
    "samples_per_s": 51.2,
    "step_time_s": 0.625,
    "learning_rate": 6e-4,
    "tflops": 150.3,
    "loss": 10.46,
    "loss_scale": 65536.0,
    "skipped": 0.0,
    "nan_iterations": 0.0,
}


@pytest.mark.parametrize(("frame", "speaker"), [("", ""), ("node1: ", ""), ("[rank0]:", "rank0")])
def test_a_line(frame: str, speaker: str) -> None:
    assert only(frame + LINE) == Iteration(
        format="gpt-neox", speaker=speaker, iteration=10, target=50, values=VALUES
    )


def test_a_cut_line_is_torn() -> None:
    assert plainly(read(LINE[: LINE.index("loss scale")])) == [Torn()]


def test_many_lines_are_read_alike() -> None:
    lines = [LINE.replace("      10/", f"{n:8d}/") for n in range(10, 40)]
    assert plainly(read("\n".join(lines))) == [
        Iteration(format="gpt-neox", iteration=n, target=50, values=VALUES) for n in range(10, 40)
    ]
