"""`trainwatch export` as a command: where its rows come from, where they go, what is explained."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.exporting.logs import export, line, rows_of
from trainwatch.core.errors import ExitCode


def test_a_second_export_goes_on_where_the_first_stopped(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = rows_of(capsysbinary, log)
    with log.open("a") as file:
        file.write(line(10))
    after = rows_of(capsysbinary, log)
    assert after[: len(before)] == before
    assert after[-1]["iteration"] == 10
    assert not list((tmp_path / "state").rglob("damaged*"))


def test_a_run_outlives_its_log(log: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    before = rows_of(capsysbinary, log)
    log.unlink()
    assert rows_of(capsysbinary, log) == before


def test_a_configured_run_by_its_name(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    config = tmp_path / "c.toml"
    config.write_text(f'[[runs]]\nname = "tr11"\nlog = "{log}"\n')
    out, _ = export(capsysbinary, "tr11", "--config", config)
    assert len(out.splitlines()) == 12


def test_where_nothing_can_be_kept_it_works_all_the_same(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "state").write_text("a file, where the folder should be")
    assert len(rows_of(capsysbinary, log)) == 11


def test_while_another_process_watches_its_store_is_read(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    code = (
        "import sys; from trainwatch.app import config; from trainwatch.app.wire import Site; "
        "site = Site(config.Settings()); watched = site.watched(site.run_of(sys.argv[1])); "
        "watched.tick(2e9, 0); print('holds', flush=True); sys.stdin.read(); watched.close()"
    )
    command = [sys.executable, "-c", code, str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"holds\n"
        rows = rows_of(capsysbinary, log)
        holder.communicate(b"")
    assert len(rows) == 11


def test_a_file_is_whole_or_not_there(
    log: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    out, _ = export(capsysbinary, log)
    said, _ = export(capsysbinary, log, "-o", "run.csv")
    assert said == ""
    assert (tmp_path / "run.csv").read_text() == out
    assert not list(tmp_path.glob(".run.csv*"))


def test_a_pipe_is_written_to(log: Path) -> None:
    command = f"{sys.executable} -m trainwatch export {log} -o /dev/stdout | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("iteration,attempt,at_s")


def test_nobody_who_reads_is_no_error(log: Path) -> None:
    log.write_text("".join(line(n) for n in range(1, 3000)))
    command = f"{sys.executable} -m trainwatch export {log} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.endswith("\n0\n")


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["run.log", "--format", "parquet"], ExitCode.USAGE, "needs -o and the file"),
        (["run.log", "--format", "tensorboard"], ExitCode.USAGE, "needs -o and the folder"),
        (["run.log", "--format", "tensorboard", "-o", "run.log"], ExitCode.USAGE, "a folder"),
        (["run.log", "-o", "."], ExitCode.USAGE, "is a folder; name a file in it, e.g. run.csv"),
        (["run.log", "-o", "no/where.csv"], ExitCode.USAGE, "no does not exist"),
        (["run.log", "--format", "xml"], ExitCode.USAGE, "xml"),
        (["no.log"], ExitCode.USAGE, "no.log does not exist"),
        (["."], ExitCode.USAGE, "is a folder"),
        (["empty.log"], ExitCode.UNKNOWN, "is empty so far"),
        (["text.log"], ExitCode.UNKNOWN, "no log format"),
        ([], ExitCode.USAGE, "LOG_OR_RUN"),
    ],
)
def test_what_cannot_be_is_explained(
    arguments: list[str],
    code: ExitCode,
    word: str,
    log: Path,
    tmp_path: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert log.exists()
    (tmp_path / "empty.log").touch()
    (tmp_path / "text.log").write_text("nothing\n" * 10)
    out, err = export(capsysbinary, *arguments, code=code)
    assert word in err
    assert out == ""
