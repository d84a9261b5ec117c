"""`trainwatch report` as a command: wrong options, streams, exit codes, and what it loads."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.reporting.logs import report, rows_of, write
from trainwatch.core.errors import ExitCode


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_output_that_is_full_is_no_bug_of_ours(tmp_path: Path) -> None:
    log = str(write(tmp_path / "a.out"))
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "trainwatch", "report", log]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == ExitCode.UNHEALTHY
    assert done.stderr == "trainwatch: the output could not be written: No space left on device\n"


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


def test_what_a_later_python_may_make_of_a_pattern_is_not_told(tmp_path: Path) -> None:
    log, pattern = str(write(tmp_path / "mbs2-a.out")), "mbs(?P<mbs>[[0-9]+)-"
    command = [sys.executable, "-m", "trainwatch", "report", log, "--name-pattern", pattern]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


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
