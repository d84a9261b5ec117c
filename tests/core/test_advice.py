"""What cannot be, said in a sentence; and nothing where all is well."""

import pytest

from trainwatch.core import advice
from trainwatch.core.formulas import Shape

SOUND = Shape(layers=32, hidden=4096, vocab=1, seq=1, ffn=16384, heads=32, kv_heads=8)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (advice.on_tflops(101, 125, "V100"), "must be wrong"),
        (advice.on_tflops(21, 125, "V100"), "badly tuned"),
        (advice.on_mfu(1.2), "120%"),
        (advice.on_shape(SOUND._replace(ffn=20480)), "4 * hidden = 16384"),
        (advice.on_shape(SOUND._replace(heads=24)), "no multiple of 24 heads"),
        (advice.on_shape(SOUND._replace(kv_heads=5)), "5 key-value heads"),
        (advice.on_batch(1024, 4, 3, None), "use 1020 or 1032"),
        (advice.on_batch(1024, 4, 4, (16, 8, 1000)), "a stage of it"),
        (advice.on_batch(1024, None, None, (16, 100, 1000)), "does not reach GBS 1024"),
        (advice.on_interval(1000, 18), "the last save is 990"),
        (advice.on_interval(10, 18), "nothing is ever saved"),
        (advice.on_margin(600, 613), "613 s"),
    ],
)
def test_it_is_said(said: list[str], word: str) -> None:
    assert len(said) == 1
    assert word in said[0]


@pytest.mark.parametrize(
    "said",
    [
        advice.on_tflops(50, 125, "V100"),
        advice.on_tflops(500, None, None),
        advice.on_tflops(None, 125, "V100"),
        advice.on_mfu(0.5),
        advice.on_mfu(None),
        advice.on_shape(SOUND),
        advice.on_shape(SOUND._replace(ffn=14336, glu=True)),
        advice.on_batch(1024, 4, 4, (16, 16, 1000)),
        advice.on_batch(1024, None, 3, None),
        advice.on_interval(1000, 10),
        advice.on_interval(1000, None),
        advice.on_margin(613, 613),
    ],
)
def test_nothing_is_said(said: list[str]) -> None:
    assert said == []
