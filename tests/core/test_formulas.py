"""Every worked value of the formulas, to the digits in which it was published or computed by hand."""

import pytest

from trainwatch.core import formulas
from trainwatch.core.formulas import Shape

BLOOM = Shape(layers=70, hidden=14336, vocab=250880, seq=2048)
GPT3 = Shape(layers=96, hidden=12288, vocab=51200, seq=2048)


@pytest.mark.parametrize(
    ("batch", "step_time_s", "expected"), [(1024, 146, 46.68), (768, 122, 41.90)]
)
def test_quick_tflops_of_52b_on_64_gpus(batch: int, step_time_s: float, expected: float) -> None:
    value = formulas.tflops_quick(52e9, 1024, batch, step_time_s, 64, recompute=True)
    assert value is not None
    assert round(value, 2) == expected


def test_quick_tflops_to_the_last_digit() -> None:
    value = formulas.tflops_quick(52e9, 1024, 1024, 122, 64, recompute=True)
    assert repr(value).startswith("55.8667540983606")


def test_quick_tflops_without_recomputation_are_three_quarters() -> None:
    with_it = formulas.tflops_quick(52e9, 1024, 1024, 122, 64, recompute=True)
    without = formulas.tflops_quick(52e9, 1024, 1024, 122, 64, recompute=False)
    assert with_it is not None
    assert without == pytest.approx(0.75 * with_it)


@pytest.mark.parametrize(
    ("batch", "step_time_s", "expected"), [(2048, 105.22, 149.02), (16, 15.23, 8.04)]
)
def test_exact_tflops_of_176b_on_384_gpus(batch: int, step_time_s: float, expected: float) -> None:
    value = formulas.tflops(BLOOM, batch, step_time_s, 384, recompute=True)
    assert value is not None
    assert round(value, 2) == expected


def test_a_gated_mlp_takes_32_instead_of_24() -> None:
    usual = formulas.flops_per_iteration(BLOOM, 1, recompute=True)
    gated = formulas.flops_per_iteration(BLOOM._replace(glu=True), 1, recompute=True)
    assert gated / usual == pytest.approx(32 / 24)


@pytest.mark.parametrize(
    ("shape", "billions"),
    [
        (Shape(layers=36, hidden=4096, vocab=50257, seq=512), 7.46),
        (Shape(layers=40, hidden=5120, vocab=50257, seq=2048), 12.85),
        (Shape(layers=32, hidden=16384, vocab=50257, seq=2048), 103.94),
    ],
)
def test_model_size(shape: Shape, billions: float) -> None:
    assert round(formulas.model_size(shape) / 1e9, 2) == billions


def test_a_wrong_ffn_size_makes_a_104b_model_a_58b_one() -> None:
    kept = Shape(layers=32, hidden=16384, vocab=50257, seq=2048, ffn=20480)
    assert round(formulas.model_size(kept) / 1e9) == 57
    assert round(formulas.model_size(kept._replace(ffn=4 * 16384)) / 1e9) == 104


def test_grouped_queries_have_fewer_attention_weights() -> None:
    shape = Shape(layers=32, hidden=4096, vocab=128256, seq=8192, heads=32, kv_heads=8)
    assert shape.attention == 2.5
    assert shape._replace(kv_heads=32).attention == Shape(1, 1, 1, 1).attention == 4


@pytest.mark.parametrize(("step_time_s", "expected"), [(5.80, 90394.48), (5.90, 88862.37)])
def test_tokens_per_second(step_time_s: float, expected: float) -> None:
    value = formulas.tokens_per_s(2048, 256, step_time_s)
    assert value is not None
    assert round(value, 2) == expected


@pytest.mark.parametrize(
    ("rate", "days"), [(90394.48, 128.04), (88862.37, 130.25), (58_843, 196.7)]
)
def test_train_time_of_a_trillion_tokens(rate: float, days: float) -> None:
    value = formulas.train_time_days(1e12, rate)
    assert value is not None
    assert value == pytest.approx(days, abs=0.005 if days < 196 else 0.05)


def test_planned_train_time() -> None:
    value = formulas.train_time_planned_days(300e9, 13e9, 256, 45)
    assert value is not None
    assert round(value, 2) == 31.35


def test_model_flops_of_gpt3() -> None:
    parts = formulas.model_flops_per_token(GPT3)
    assert tuple(map(int, parts)) == (376_883_380_224, 695_784_701_952, 3_774_873_600)
    assert f"{formulas.model_flops_per_sample(GPT3):.4e}" == "2.2046e+15"


@pytest.mark.parametrize(
    ("step_time_s", "peak", "percent"), [(5.90, 1979, 37.68), (8.91, 989, 49.93)]
)
def test_mfu(step_time_s: float, peak: float, percent: float) -> None:
    value = formulas.mfu(256, 2.20e15, step_time_s, 128, peak)
    assert value is not None
    assert round(value * 100, 2) == percent


@pytest.mark.parametrize(
    ("gpu", "precision", "tflops"),
    [
        ("V100", "float16", 125),
        ("A100", "bfloat16", 312),
        ("H100", "bfloat16", 989),
        ("H100", "fp8", 1979),
        ("MI250X", None, 383),
        ("V100", "fp8", None),
        ("H100", "float32", None),
        ("Z80", None, None),
        (None, None, None),
    ],
)
def test_peaks(gpu: str | None, precision: str | None, tflops: float | None) -> None:
    assert formulas.peak_tflops(gpu, precision) == tflops


def test_checkpoint_sizes() -> None:
    assert formulas.checkpoint_bytes(176e9) == 2.464e12
    assert formulas.checkpoint_bytes(13e9) == 182e9
    assert formulas.checkpoint_bytes(13e9, weights_only=True) == 26e9


def test_save_overhead() -> None:
    share = formulas.save_overhead(720, 40, 90 * 86400)
    assert share is not None
    assert round(share * 100, 2) == 0.37
    assert 720 * 40 == 8 * 3600


def test_at_risk() -> None:
    seconds = formulas.at_risk_s(250, 105)
    assert round(seconds / 3600, 1) == 7.3
    assert seconds * 384 / 3600 == 2800


@pytest.mark.parametrize(
    "value",
    [
        formulas.tflops(BLOOM, 1, 0, 384, recompute=True),
        formulas.tflops(BLOOM, 1, 1, 0, recompute=True),
        formulas.tflops_quick(1e9, 1, 1, 0, 1, recompute=True),
        formulas.mfu(1, 1, 1, 1, 0),
        formulas.tokens_per_s(2048, 1, 0),
        formulas.train_time_days(1e9, 0),
        formulas.train_time_planned_days(1e9, 1e9, 0, 1),
        formulas.save_overhead(1, 1, 0),
    ],
)
def test_what_cannot_be_divided_by_is_unknown(value: float | None) -> None:
    assert value is None
