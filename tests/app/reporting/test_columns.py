"""The columns of `trainwatch report`: where they come from, and rows sorted and filtered by them."""

from pathlib import Path

import pytest

from tests.app.reporting.logs import report, rows_of, write


def test_times_and_sizes_of_saves_have_columns_of_their_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = write(tmp_path / "176B.out")
    with log.open("a") as file:
        file.write("  successfully saved checkpoint at iteration       3 to /x\n")
        file.write("time (ms) | save-checkpoint: 57514.53\n")
    out, _ = report(capsys, str(log), "--name-pattern", "{model_size_b}B.out")
    heads, _, cells = ([cell.strip() for cell in line.split("|")] for line in out.splitlines())
    shown = dict(zip(heads, cells, strict=True))
    assert (shown["Save s"], shown["Ckpt (est.)"]) == ("57.5", "2.46 TB")


@pytest.mark.parametrize("stamped", [True, False])
def test_what_the_log_says_of_its_speed_is_the_mean_over_its_records(
    stamped: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stamp = "[rank0]:[titan] 2025-11-25 19:45:0{n},496 - root - INFO - " if stamped else ""
    line = (
        "step:  {n}  loss:  7.9  grad_norm:  1.5  memory:  1.3GiB(1%)  tps: 300  tflops: {t}.00  "
        "mfu: {t}.0%\n"
    )
    said = ((1, 10), (2, 30), (3, 35))
    (tmp_path / "a.out").write_text("".join((stamp + line).format(n=n, t=t) for n, t in said))
    (row,) = rows_of(capsys, "a.out")
    assert row["tflops"] == pytest.approx(25)
    assert row["mfu"] == pytest.approx(0.25)
    assert (row["step_time_s"] is None) == (not stamped)


def test_sorting_puts_the_unknown_last(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, ms in (("a", 300), ("b", 100), ("c", 200)):
        write(tmp_path / f"{name}.out", ms=ms)
    write(tmp_path / "d.out", iterations=0)
    for order, names in (("step_time_s", "bcad"), ("step_time_s,desc", "acbd")):
        found = rows_of(capsys, str(tmp_path), "--sort", order)
        assert "".join(Path(row["log"]).stem for row in found) == names


@pytest.mark.parametrize(
    ("conditions", "names"),
    [
        (["gpus>=64"], "bc"),
        (["gpus>=64", "step_time_s < 0.15"], "b"),
        (["gpus=8"], "a"),
        (["gpus!=8"], "bc"),
        (["framework=Megatron-LM"], "abc"),
        (["log~b.out"], "b"),
        (["loss>1k"], ""),
        (["mfu>0"], ""),  # unknown
        (["tflops_exact=true"], ""),
        (["end=unknown"], "abc"),
    ],
)
def test_filters(
    conditions: list[str], names: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, gpus, ms in (("a", 8, 100.0), ("b", 64, 100.0), ("c", 128, 200.0)):
        write(tmp_path / f"{name}.out", gpus=gpus, ms=ms)
    arguments = [part for text in conditions for part in ("--filter", text)]
    found = rows_of(capsys, *(str(tmp_path / f"{x}.out") for x in "abc"), *arguments)
    assert "".join(Path(row["log"]).stem for row in found) == names


def test_names_fill_in(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = "55B-megatron-mbs-4-pp16-dp-1-gas-256-200970.out"
    write(tmp_path / name, gpus=64, ms=122_000)
    template = "{model_size_b}B-megatron-mbs-{mbs}-pp{pp}-dp-{dp}-gas-{gas}-{job_id}.out"
    regex = r"^(?P<model_size_b>[\d.]+)B.*mbs-(?P<mbs>\d+)-pp(?P<pp>\d+)-dp-(?P<dp>\d+)-gas-(?P<gas>\d+)"
    for pattern in (template, regex):
        (row,) = rows_of(capsys, name, "--name-pattern", pattern)
        assert (row["model_size_b"], row["mbs"], row["pp"], row["dp"]) == (55.0, 4, 16, 1)
        assert (row["gbs"], row["job_id"]) == (1024, "200970")
    assert "fits none" in report(capsys, name, "--name-pattern", "x-{mbs}.out")[1]


def test_tokens_and_peak_add_days_and_mfu(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a-13B-seq2048.out"
    write(path, gpus=64, ms=5800)
    options = ("--name-pattern", "*-{model_size_b}B-seq{seq_length}.out")
    (row,) = rows_of(capsys, str(path), *options, "--tokens", "300G", "--peak-tflops", "312")
    rate = 512 * 2048 / 5.8
    assert row["tokens_per_s"] == pytest.approx(rate)
    assert row["days"] == pytest.approx(300e9 / rate / 86400)
    assert row["mfu"] == pytest.approx(rate * 6 * 13e9 / 64 / 312e12)
    out, _ = report(capsys, str(path), *options, "--tokens", "300G", "--peak-tflops", "312")
    assert "| Days |" in out
    assert "70.6%" in out


def test_the_configuration_counts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    own = tmp_path / "own.log"
    own.write_text("step 1 took 2.5 s\nstep 2 took 3.5 s\n")
    config = tmp_path / "c.toml"
    config.write_text(
        f'[[runs]]\nlog = "{tmp_path}/*.log"\ncluster.gpus = 16\n'
        "[formats.mine]\npattern = 'step (?P<iteration>\\d+) took (?P<step_time_s>[\\d.]+) s'\n"
    )
    (row,) = rows_of(capsys, str(own), "--config", str(config))
    assert (row["framework"], row["gpus"], row["iterations"]) == ("custom:mine", 16, 2)
    assert row["step_time_s"] == 3.0
