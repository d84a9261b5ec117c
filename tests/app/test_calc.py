"""`trainwatch calc` as it is called: every worked value of the formulas, to the digits given."""

import json
import shlex

import pytest

from trainwatch.app.amounts import amount
from trainwatch.app.cli import run
from trainwatch.app.commands.calc import command
from trainwatch.app.durations import seconds
from trainwatch.core.errors import ExitCode

BLOOM = "--layers 70 --hidden 14336 --vocab 250880 --gpus 384"
WORKED = [
    # TFLOPs, quick
    ("tflops --params 52 --seq 1024 --gbs 1024 --step-time 122 --gpus 64", "55.8667540983606"),
    ("tflops --params 52 --seq 1024 --gbs 1024 --step-time 122 --gpus 64", "55.87 TFLOPs"),
    ("tflops --params 52e9 --seq 1024 --gbs 1024 --step-time 146 --gpus 64", "46.68 TFLOPs"),
    ("tflops --params 52B --seq 1024 --gbs 768 --step-time 122s --gpus 64", "41.90 TFLOPs"),
    # TFLOPs, exact
    (f"tflops {BLOOM} --gbs 2048 --step-time 105.22", "149.02 TFLOPs"),
    (f"tflops {BLOOM} --gbs 16 --step-time 15.23", "8.04 TFLOPs"),
    # model size
    ("model-size --layers 36 --hidden 4096 --seq 512 --vocab 50257", "7.46 B"),
    ("model-size --layers 40 --hidden 5120", "12.85 B"),
    ("model-size --layers 32 --hidden 16384", "103.94 B"),
    # tokens a second
    ("tokens --seq 2048 --gbs 256 --step-time 5.80", "90394.48 tokens/s"),
    ("tokens --seq 2048 --gbs 256 --step-time 5.90", "88862.37 tokens/s"),
    # train time
    ("train-time --tokens 1e12 --tokens-per-s 90394.48", "128.04 days"),
    ("train-time --tokens 1T --tokens-per-s 88862.37", "130.25 days"),
    ("train-time --tokens 300e9 --params 13e9 --gpus 256 --tflops 45", "31.35 days"),
    # model FLOPs
    ("model-flops --layers 96 --hidden 12288 --seq 2048 --vocab 51200", "2.2046e+15 FLOPs"),
    ("model-flops --layers 96 --hidden 12288 --seq 2048 --vocab 51200", "376,883,380,224"),
    ("model-flops --layers 96 --hidden 12288 --seq 2048 --vocab 51200", "695,784,701,952"),
    ("model-flops --layers 96 --hidden 12288 --seq 2048 --vocab 51200", "3,774,873,600"),
    # MFU
    ("mfu --model-flops 2.20e15 --gbs 256 --step-time 5.90 --gpus 128 --peak 1979", "37.68 %"),
    (
        "mfu --model-flops 2.20e15 --gbs 256 --step-time 5.90 --gpus 128 --gpu-type H100 --fp8",
        "37.68 %",
    ),
    ("mfu --model-flops 2.20e15 --gbs 256 --step-time 8.91 --gpus 128 --gpu-type h100", "49.93 %"),
    ("tokens --seq 2048 --gbs 256 --step-time 8.91", "58842.65 tokens/s"),  # 58,843
    ("tokens --seq 2048 --gbs 256 --step-time 8.91 --tokens 1e12", "196.70 days"),  # 197
    # peaks
    ("peaks V100", "125 TFLOPs"),
    ("peaks a100", "312 TFLOPs"),
    ("peaks H100", "989 TFLOPs"),
    ("peaks H100", "1979 TFLOPs"),
    ("peaks MI250X", "383 TFLOPs"),
    # batch-size ramp-up
    ("batch-size --gbs 1024 --rampup 16 16 5,000,000 --iteration 29020", "10,698,064"),
    ("batch-size --gbs 1024 --rampup 16 16 5_000_000 --iteration 33240", "15,019,344"),
    ("batch-size --gbs 1024 --rampup 16 16 5M --samples 300M", "311,541"),
    ("batch-size --gbs 2048 --rampup 16 16 6000000 --iteration 7000", "260,912"),
    ("batch-size --gbs 2048 --rampup 16 16 6000000 --iteration 12000", "1,519,744"),
    ("batch-size --gbs 2048 --rampup 16 16 6e6 --samples 3e8", "159,576"),
    ("batch-size --gbs 2048 --mbs 2 --dp 8", "128 steps"),
    # checkpoints
    ("checkpoint-size --params 176B", "2.464 TB"),
    ("checkpoint-size --params 13B", "182 GB"),
    # save overhead, at risk
    ("save-overhead --saves 720 --save-time 40 --wall-time 90d", "0.37 %"),
    ("save-overhead --saves 720 --save-time 40 --wall-time 90d", "8.00 h"),
    ("at-risk --iterations 250 --step-time 105 --gpus 384", "7.29"),  # 7.3 h
    ("at-risk --iterations 250 --step-time 105 --gpus 384", "2,800 GPU-h"),
]


def calc(capsys: pytest.CaptureFixture[str], line: str, code: int = 0) -> tuple[str, str]:
    assert run(["calc", *shlex.split(line)]) == code
    said = capsys.readouterr()
    return said.out, said.err


@pytest.mark.parametrize(("line", "expected"), WORKED)
def test_worked_values(line: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = calc(capsys, line)
    assert expected in out
    assert err == ""


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        (
            "tflops --params 52 --seq 1024 --gbs 1024 --step-time 122 --gpus 64",
            "tflops",
            55.8667540983606,
        ),
        (
            "mfu --model-flops 2.2e15 --gbs 256 --step-time 5.9 --gpus 128 --peak 1979",
            "mfu",
            0.376838156576254,
        ),
        ("checkpoint-size --params 176B", "bytes", 2.464e12),
        ("checkpoint-size --params 176B", "weights_bytes", 352e9),
        ("batch-size --gbs 1024 --rampup 16 16 5M --samples 300M", "iterations", 311541),
        ("at-risk --iterations 250 --step-time 105 --gpus 384", "at_risk_s", 26250),
        ("save-overhead --saves 720 --save-time 40 --wall-time 90d", "saving_s", 28800),
        ("peaks H100", "H100 fp8", 1979),
    ],
)
def test_json_holds_full_values(
    line: str, key: str, value: float, capsys: pytest.CaptureFixture[str]
) -> None:
    said = json.loads(calc(capsys, f"{line} --json")[0])
    assert said[key] == pytest.approx(value, rel=1e-14)
    assert (said["warnings"], said["schema_version"]) == ([], 1)


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        ("batch-size --gbs 1024 --mbs 4 --dp 3", "no multiple of MBS * DP = 12"),
        (
            "save-overhead --target 1000 --save-interval 18 --step-time 105 --save-time 40",
            "does not divide 1000: the last save is 990",
        ),
        (
            "exit-margin --time-limit 20:00:00 --exit-duration 1190 --step-time 573 --save-time 40",
            "613 s",
        ),
        ("tflops --params 52 --gbs 1024 --step-time 60 --gpus 64 --gpu-type V100", "must be wrong"),
        ("tflops --params 13 --gbs 64 --step-time 20 --gpus 64 --gpu-type V100", "badly tuned"),
        ("model-size --layers 64 --hidden 11600 --ffn 20480", "not 4 * hidden"),
        (
            "mfu --params 13 --gbs 1024 --step-time 1 --gpus 8 --gpu-type A100",
            "more than the GPUs can do",
        ),
    ],
)
def test_what_cannot_be_is_a_warning(
    line: str, warning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert warning in calc(capsys, line)[1]
    assert warning in json.loads(calc(capsys, f"{line} --json")[0])["warnings"][0]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("tflops --gbs 1 --step-time 1 --gpus 1", "give --params, or --layers and --hidden"),
        ("tflops --layers 3 --gbs 1 --step-time 1 --gpus 1", "go together"),
        ("tflops --params 1 --gbs 0 --step-time 1 --gpus 1", "greater than zero"),
        ("tflops --params 1 --gbs 1.5 --step-time 1 --gpus 1", "whole number"),
        ("tflops --params big --gbs 1 --step-time 1 --gpus 1", "52B"),
        ("tflops --params 1 --gbs 1 --step-time fast --gpus 1", "20:00:00"),
        ("tflops --params 1 --gbs 1 --step-time -1 --gpus 1", "-1"),
        ("tflops --params 1 --gbs 1 --step-time 1 --gpus 1 --gpu-type Z80", "known are P100"),
        ("mfu --params 1 --gbs 1 --step-time 1 --gpus 1", "--peak"),
        ("mfu --params 1 --gbs 1 --step-time 1 --gpus 1 --gpu-type V100 --fp8", "no fp8 peak"),
        ("mfu --peak 1 --gbs 1 --step-time 1 --gpus 1", "--model-flops"),
        ("train-time --tokens 1T", "--tokens-per-s"),
        ("batch-size --gbs 16", "--iteration"),
        ("save-overhead --save-time 3", "--wall-time"),
        ("model-size", "--layers and --hidden"),
        ("peaks Z80", "known are"),
        ("nothing", "No such command"),
    ],
)
def test_what_is_missing_or_wrong_is_said(
    line: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = calc(capsys, line, ExitCode.USAGE)
    assert word in err
    assert out == ""


@pytest.mark.parametrize("name", command.commands)
def test_every_formula_has_an_example_that_works(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text, _ = calc(capsys, f"{name} --help")
    _, _, examples = text.replace("\\\n", " ").partition("Example")
    lines = [
        line.strip() for line in examples.splitlines() if line.strip().startswith("trainwatch calc")
    ]
    assert lines
    for line in lines:
        out, _ = calc(capsys, line.removeprefix("trainwatch calc "))
        assert out


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("52", 52),
        ("52e9", 52e9),
        ("52B", 52e9),
        ("52 b", 52e9),
        ("300G", 300e9),
        ("1T", 1e12),
        ("1.5k", 1500),
        ("1,024", 1024),
        ("5_000_000", 5_000_000),
        (".5", 0.5),
        ("-3", -3),
        ("1e999", None),
        ("x", None),
        ("", None),
        ("1 2", None),
        ("nan", None),
        ("٣", None),
    ],
)
def test_numbers_as_people_write_them(text: str, value: float | None) -> None:
    assert amount(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("105.22", 105.22),
        ("40s", 40),
        ("250 ms", 0.25),
        ("2h30m", 9000),
        ("2h 30 min", 9000),
        ("90d", 90 * 86400),
        ("1w", 7 * 86400),
        ("20:00:00", 72000),
        ("20:00", 72000),
        ("1-12:00:00", 129600),
        ("2h30", None),
        ("90 x", None),
        ("1k", None),
        ("", None),
    ],
)
def test_times_as_people_write_them(text: str, value: float | None) -> None:
    assert seconds(text) == value
