"""`trainwatch report` as it is called: the counted truth of real logs, formats, streams and exit codes."""

import csv
import gzip
import io
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trainwatch.app.cli import run
from trainwatch.core.columns import Columns
from trainwatch.core.errors import ExitCode
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import RunState
from trainwatch.core.rows import KEYS
from trainwatch.core.run import Reader

LINE = (
    " iteration {n:8d}/    1000 | consumed samples: {s:12d} | elapsed time per iteration (ms): {ms:.1f} "
    "| learning rate: 1.0E-04 | global batch size:   512 | lm loss: 8.184724E+00 | loss scale: 1.0 | "
    "grad norm: 1.128 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)
ENDS = {
    "hf_ds_gpt2_base_n4-1832555.out": "completed",
    "meg_ds_3d_gpt2_perf_n16-ds-on.out": "unknown",
    "meg_ds_zero_gpt2_perf_n16-1999616.out": "time-limit",
    "meg_gpt2_base_n16_dp1_tp4_pp16-1809577.out": "cancelled",
    "meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out": "cancelled",
    "meg_gpt2_perf_n16.out": "unknown",
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, iterations: int = 3, gpus: int = 8, ms: float = 100.0) -> Path:
    dump = f"------------------------ arguments ------------------------\n  world_size {'.' * 40} {gpus}\n"
    lines = [LINE.format(n=n, s=n * 512, ms=ms) for n in range(1, iterations + 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump + "".join(lines))
    return path


def report(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    assert run(["report", *arguments]) == code
    said = capsys.readouterr()
    return said.out, said.err


def rows_of(
    capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(
        report(capsys, *arguments, "--format", "json", code=code)[0]
    )
    return rows


@pytest.fixture(scope="module")
def truth(shared_logs: Path) -> dict[str, dict[str, Any]]:
    counted: dict[str, dict[str, Any]] = json.loads((shared_logs / "groundtruth.json").read_text())
    return {name: value for name, value in counted.items() if name.endswith(".out")}


@pytest.fixture
def real(shared_logs: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    found = rows_of(capsys, str(shared_logs / "bigscience" / "*.out"))
    return {Path(row["log"]).name: row for row in found}


def test_every_real_log_has_a_row(
    real: dict[str, dict[str, Any]], truth: dict[str, dict[str, Any]]
) -> None:
    assert real.keys() == truth.keys() == ENDS.keys()


@pytest.mark.parametrize("name", ENDS)
def test_counts_times_and_ends_are_the_counted_truth(
    name: str, real: dict[str, dict[str, Any]], truth: dict[str, dict[str, Any]]
) -> None:
    row, counted = real[name], truth[name]
    assert row["iterations"] == counted["n_iter_lines"]
    assert row["first_iteration"] == (counted["first"][0][0] if counted["first"] else None)
    assert row["last_iteration"] == (counted["last"][0][0] if counted["last"] else None)
    for key, counted_key in (("step_time_s", "mean_ms"), ("step_time_median_s", "median_ms")):
        if counted[counted_key] is None:
            assert row[key] is None
        else:
            assert row[key] * 1000 == pytest.approx(counted[counted_key], abs=0.05001)
    assert row["skipped"] == counted["sum_skipped"]
    assert (row["loss"] is not None) == (counted["n_loss"] > 0)
    assert row["end"] == ENDS[name]
    assert row["log_bytes"] == counted["bytes"]
    assert row["torn_lines"] == counted["interleaved_iter"]


@pytest.mark.parametrize("name", [name for name in ENDS if name.startswith("meg")])
def test_configurations_are_the_counted_truth(
    name: str, real: dict[str, dict[str, Any]], truth: dict[str, dict[str, Any]]
) -> None:
    row, config = real[name], truth[name]["config"]
    for key in ("gpus", "tp", "mbs", "gbs", "seq_length"):
        assert row[key] == config[key], key
    if config["pp"] is not None:
        assert row["pp"] == config["pp"]
    assert row["tflops_exact"] is True
    assert round(row["tflops"], 2) == config["tflops"]
    decimals = len(str(config["model_size_b"]).partition(".")[2])
    assert round(row["model_size_b"], decimals) == config["model_size_b"]


@pytest.mark.parametrize("name", ENDS)
def test_losses_are_the_counted_truth(
    name: str, shared_logs: Path, truth: dict[str, dict[str, Any]]
) -> None:
    data = (shared_logs / "bigscience" / name).read_bytes()
    chunk = LogChunk(at=2e9, path=name, data=data, live=False)
    step = Reader(Scanner()).advance(RunState(run=name), chunk)
    rows: Columns = step.rows
    known = sum(1 for loss in rows.column("loss") if not math.isnan(loss))
    known += bool(step.state.open and "loss" in step.state.open.values)
    assert known == truth[name]["n_loss"]


def test_a_log_that_holds_only_bars_says_so(real: dict[str, dict[str, Any]]) -> None:
    row = real["hf_ds_gpt2_base_n4-1832555.out"]
    assert (row["bar_step"], row["bar_total"], row["framework"]) == (16, 16, "hf-trainer")
    assert row["bar_step_time_s"] > 0
    assert (row["gpus"], row["mbs"], row["gbs"]) == (16, 4, 64)  # 4 nodes of 4 were launched


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


def test_json_has_the_fixed_keys_first_and_its_version(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (row,) = rows_of(capsys, str(write(tmp_path / "a.out")))
    assert tuple(row) == KEYS
    assert row["schema_version"] == 1


def test_csv_has_the_same_keys_and_full_numbers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = str(write(tmp_path / "a.out"))
    out, _ = report(capsys, log, "--format", "csv")
    (line,) = csv.DictReader(io.StringIO(out))
    (row,) = rows_of(capsys, log)
    for key, value in row.items():
        assert line[key] == ("" if value is None else str(value)), key


def test_markdown_is_a_table_a_person_reads(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / "runs" / "fast.out", ms=5000)
    write(tmp_path / "runs" / "none.out", iterations=0)
    out, err = report(capsys, "runs")
    assert out == (
        "| Log      | GPUs | Size | TP | PP | DP | MBS | GBS | Iterations "
        "| Sec/it | TFLOPs | Tokens/s |  Loss | End     |\n"
        "| -------- | ---: | ---: | -: | -: | -: | --: | --: | ---------: "
        "| -----: | -----: | -------: | ----: | ------- |\n"
        "| fast.out |    8 |    - |  - |  - |  - |   - | 512 |          3 "
        "|      5 |      - |        - | 8.185 | unknown |\n"
        "| none.out |    8 |    - |  - |  - |  - |   - |   - |          0 "
        "|   fail |   fail |        - |     - | unknown |\n"
    )
    assert err == ""


def test_html_shows_foreign_text_as_text(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / "<img src=x>|[b].out")
    out, _ = report(capsys, str(tmp_path), "--format", "html")
    assert out.startswith("<!doctype html>")
    assert "<img" not in out
    assert "&lt;img src=x&gt;|[b].out" in out
    markdown, _ = report(capsys, str(tmp_path))
    assert r"| \<img src=x\>\|\[b\].out |" in markdown


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("meg_ds_3d_n16-1999616.out", "meg_ds_3d_n16-1999616.out"),
        ("_all_.out", r"\_all\_.out"),
        ("a*b*`c`~~d~~.out", r"a\*b\*\`c\`\~\~d\~\~.out"),
        ("[x](javascript:y).out", r"\[x\](javascript:y).out"),
        ("a&lt;b\\.out", r"a\&lt;b\\.out"),
        ("two\nlines \x1b[31m.out", r"two lines  \[31m.out"),
    ],
)
def test_a_name_is_no_markup_in_markdown(
    name: str, cell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / name)
    out, _ = report(capsys, str(tmp_path))
    assert out.splitlines()[2].startswith(f"| {cell} | ")


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(1)"])
def test_a_name_is_no_formula_in_csv(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / f"{name}\n\x1b[31m.out")
    out, _ = report(capsys, "*.out", "--format", "csv")
    (line,) = csv.DictReader(io.StringIO(out))
    assert line["log"] == f"'{name}  [31m.out"
    assert len(out.splitlines()) == 2


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


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--sort", "tflop"], "Did you mean tflops?"),
        (["--sort", "tflops,down"], "KEY,desc"),
        (["--filter", "gpu>3"], "Did you mean gpus?"),
        (["--filter", "gpus~3"], "gpus is a number"),
        (["--filter", "gpus>many"], "gpus is a number"),
        (["--filter", "framework>3"], "framework is text"),
        (["--filter", "end=finished"], "time-limit"),
        (["--filter", "what"], "expected KEY>=VALUE"),
        (["--tokens", "many"], "300G"),
        (["--jobs", "0"], "greater than zero"),
        (["--plot", "x.doc"], ".svg"),
        (["--plot", "nowhere/x.svg"], "nowhere"),
        (["--name-pattern", "{foo}.out"], "model_size_b"),
        (["--name-pattern", "x.out"], "names nothing"),
        (["--name-pattern", "(?P<mbs>"], "unterminated"),
        (["--name-pattern", r"(?P<mbs>\w)\.out"], "takes 'a' for mbs; expected a number"),
        (["--config", "nope.toml"], "nope.toml"),
        (["--update-table", "t.md"], "name no logs"),
        (["--in-place"], "go with --update-table"),
        (["--seq-length", "2048"], "go with --update-table"),
    ],
)
def test_a_wrong_option_is_explained(
    arguments: list[str], word: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = str(write(tmp_path / "a.out"))
    out, err = report(capsys, log, *arguments, code=ExitCode.USAGE)
    assert word in err
    assert out == ""
    assert "Traceback" not in err


def test_no_log_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "name a log" in report(capsys, code=ExitCode.USAGE)[1]


@pytest.mark.parametrize("kind", ["missing", "gzip", "pipe", "no match"])
def test_a_log_that_cannot_be_read_does_not_stop_the_others(
    kind: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    good, bad = write(tmp_path / "a.out"), tmp_path / "bad.out"
    if kind == "gzip":
        bad.write_bytes(gzip.compress(b"x"))
    elif kind == "pipe":
        os.mkfifo(bad)
    name = "x*.out" if kind == "no match" else str(bad)
    found = rows_of(capsys, name, str(good), code=ExitCode.UNHEALTHY)
    assert [row["iterations"] for row in found if row["error"] is None] == [3]
    if kind != "no match":
        assert str(bad) in found[0]["error"]
        assert found[0]["end"] == "unknown"
    out, err = report(capsys, name, str(good), code=ExitCode.UNHEALTHY)
    assert name in err
    assert ("unreadable" in out) == (kind != "no match")
    assert report(capsys, name, code=ExitCode.USAGE)[0] == ""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("hello\nworld\n", id="another text"),
        pytest.param("\0\xff\x00" * 5000, id="binary"),
    ],
)
def test_a_log_of_no_known_format_is_unknown(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.log"
    path.write_text(text)
    (row,) = rows_of(capsys, str(path), code=ExitCode.UNKNOWN)
    assert (row["framework"], row["end"], row["iterations"]) == (None, "unknown", 0)
    out, err = report(capsys, str(path), code=ExitCode.UNKNOWN)
    assert "fail" not in out
    assert ("is empty so far" if not text else "no log format") in err
    write(tmp_path / "b.log")
    report(capsys, str(path), str(tmp_path / "b.log"), code=ExitCode.OK)


def test_folders_are_searched_for_logs_and_nothing_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("r/a.out", "r/deep/main_log.txt", "r/x.log.1", "r/slurm.o123"):
        write(tmp_path / name)
    for name in (
        "r/notes.txt",
        "r/model.py",
        "r/.hidden.out",
        "r/.git/x.log",
        "r/global_step10/y.log",
    ):
        write(tmp_path / name)
    (tmp_path / "r/other.log").write_text("nothing of ours\n")
    (tmp_path / "r/dangling.out").symlink_to("nowhere")
    found = rows_of(capsys, "r", "r/a.out")
    assert [row["log"] for row in found] == [
        "r/a.out",
        "r/slurm.o123",
        "r/x.log.1",
        "r/deep/main_log.txt",
    ]
    assert "left out" in report(capsys, "r")[1]
    (tmp_path / "empty").mkdir()
    assert "no file that is called like a log" in report(capsys, "empty", code=ExitCode.USAGE)[1]


def test_an_empty_name_is_not_this_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / "a.out")
    out, err = report(capsys, "", code=ExitCode.USAGE)
    assert (out, "an empty name stands for no log" in err) == ("", True)


def test_a_folder_that_may_not_be_searched_is_told(tmp_path: Path) -> None:
    log = write(tmp_path / "open" / "a.out")
    closed = write(tmp_path / "open" / "closed" / "b.out").parent
    closed.chmod(0)
    try:
        if os.access(closed, os.X_OK):
            if not (no_powers := shutil.which("setpriv")):
                pytest.skip("root may search every folder, and there is no setpriv to give that up")
            way = [no_powers, "--bounding-set", "-dac_override,-dac_read_search"]
        else:
            way = []
        for name, code, said in (
            (log.parent, ExitCode.UNHEALTHY, f"{closed}: Permission denied"),
            (closed, ExitCode.USAGE, f"{closed}: Permission denied"),
            (closed / "b.out", ExitCode.USAGE, f"{closed / 'b.out'}: Permission denied"),
            (closed / "*.out", ExitCode.USAGE, "no file matches"),
        ):
            command = [*way, sys.executable, "-m", "trainwatch", "report", str(name)]
            done = subprocess.run(command, capture_output=True, text=True)
            assert (done.returncode, said in done.stderr) == (code, True), done.stderr
            assert "internal error" not in done.stderr
    finally:
        closed.chmod(0o755)


def test_a_name_may_be_too_long_hold_a_line_end_or_be_no_utf8(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "too long" in report(capsys, "x" * 300, code=ExitCode.USAGE)[1]
    write(tmp_path / "two\nlines.out")
    try:
        write(tmp_path / os.fsdecode(b"not-\xff.out"))
    except OSError:
        pytest.skip("this filesystem takes no name that is not UTF-8")
    names = [Path(row["log"]).name for row in rows_of(capsys, str(tmp_path))]
    assert names == ["not-\ufffd.out", "two\nlines.out"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_output_that_is_full_is_no_bug_of_ours(tmp_path: Path) -> None:
    log = str(write(tmp_path / "a.out"))
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "trainwatch", "report", log]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == ExitCode.UNHEALTHY
    assert done.stderr == "trainwatch: the output could not be written: No space left on device\n"


def test_a_log_that_was_named_counts_whatever_it_is_called(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert rows_of(capsys, str(write(tmp_path / "training")))[0]["iterations"] == 3


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


def test_in_processes_it_is_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        write(tmp_path / f"{number}.out", iterations=number, ms=100 + number)
    (tmp_path / "5.out").write_bytes(gzip.compress(b"x"))
    alone = rows_of(capsys, str(tmp_path / "*.out"), "--jobs", "1", code=ExitCode.UNHEALTHY)
    code = (
        "import sys; from trainwatch.app.reporting import reading; reading.WORTH_BYTES = 0; "
        "from trainwatch.app.cli import run; sys.exit(run(sys.argv[1:]))"
    )
    arguments = ["report", str(tmp_path / "*.out"), "--jobs", "3", "--format", "json"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == ExitCode.UNHEALTHY
    assert json.loads(done.stdout) == alone


def test_nobody_who_reads_is_no_error(tmp_path: Path) -> None:
    log = str(write(tmp_path / "a.out"))
    command = f"{sys.executable} -m trainwatch report {log} --format json | head -c 5"
    command += "; echo ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.endswith("0\n")


def test_it_loads_neither_screen_nor_store(tmp_path: Path) -> None:
    log = str(write(tmp_path / "a.out"))
    code = (
        "import sys; from trainwatch.app.cli import run; run(['report', sys.argv[1]]); "
        "bad = {'textual', 'rich', 'huggingface_hub', 'numpy', 'matplotlib', 'flufl', 'apscheduler'}; "
        "sys.exit(','.join(bad & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code, log], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_slurm_a_job_array_is_refused_with_what_to_do(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a.out")
    monkeypatch.setenv("PATH", str(tmp_path))
    out, err = report(capsys, "a.out", "--slurm", "2", code=2)
    assert (out, err) == (
        "",
        "trainwatch: there is no sbatch here: --slurm is for a cluster's login node; leave it out to read on "
        "this machine\n",
    )


def test_a_job_array_without_logs_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, "nope.out*", "--slurm", "2", code=2) == (
        "",
        "trainwatch: no file matches nope.out*\n",
    )
