"""What is no log, or not yet: messages and exit codes of every verb."""

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.app.cli.logs import BAD, make_bad
from trainwatch.app.cli import run
from trainwatch.core.errors import ExitCode


@pytest.mark.parametrize("verb", ["status", "replay", "init"])
@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_log_is_said_so(
    tmp_path: Path, kind: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_bad(tmp_path, kind)
    code, message = BAD[kind]
    assert run([verb, str(path)]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert str(path) in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("verb", ["status", "export", "replay", "watch", "init", "tui"])
def test_a_name_that_is_no_utf8_is_refused(
    verb: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / os.fsdecode(b"odd-\xff.out")
    try:
        odd.write_bytes(log.read_bytes())
    except OSError:
        pytest.skip("this filesystem takes no name that is not UTF-8")
    assert run([verb, str(odd)]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert "odd-\ufffd.out: this name is not UTF-8; rename it" in said.err


@pytest.fixture
def several(log: Path, tmp_path: Path) -> Path:
    """A configuration with a glob over a good log, an empty one, a packed one, and one yet to come."""
    for name in ("good", "empty", "packed"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    (tmp_path / "runs" / "good" / "main_log.txt").write_text(log.read_text())
    (tmp_path / "runs" / "empty" / "main_log.txt").touch()
    packed = gzip.compress(log.read_bytes())
    (tmp_path / "runs" / "packed" / "main_log.txt").write_bytes(packed)
    path = tmp_path / "trainwatch.toml"
    path.write_text(
        '[[runs]]\nlog = "runs/*/main_log.txt"\n[runs.model]\nseq_length = 2048\n'
        '[[runs]]\nname = "later"\nlog = "runs/later/main_log.txt"\n'
    )
    return path


@pytest.mark.usefixtures("several")
def test_one_bad_log_does_not_hide_the_other_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status", "--json"]) == ExitCode.UNKNOWN
    found = {one["run"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["good"]["iteration"] == 20
    reasons = {name: found[name]["reason"] for name in ("empty", "packed", "later")}
    assert "is empty so far" in reasons["empty"]
    assert "is compressed" in reasons["packed"]
    assert "does not exist" in reasons["later"]
    assert {found[name]["health"] for name in reasons} == {"unknown"}


@pytest.mark.usefixtures("several")
def test_a_run_found_by_a_glob_is_known_by_name_and_by_log(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "runs" / "good" / "main_log.txt"
    for word in ("good", "runs/good/main_log.txt", str(log)):
        run(["status", word, "--json"])
        found = json.loads(capsys.readouterr().out)
        assert (found["run"], found["seq_length"]) == ("good", 2048), word
    assert len(list((tmp_path / "state" / "runs").iterdir())) == 1


@pytest.mark.usefixtures("several")
def test_watch_leaves_out_what_is_no_log_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", "--once"]) == ExitCode.UNKNOWN
    captured = capsys.readouterr()
    assert "left out: runs/packed/main_log.txt is compressed" in captured.err
    assert "empty   unknown: the log is empty so far" in captured.out
    assert run(["watch", "--once", "good"]) == ExitCode.OK


WATCHED = {
    "folder": (ExitCode.USAGE, "is a folder"),
    "gzip": (ExitCode.USAGE, "is compressed"),
    "missing": (ExitCode.UNKNOWN, "does not exist"),
    "empty": (ExitCode.UNKNOWN, "is empty so far"),
    "binary": (ExitCode.UNKNOWN, "holds no format"),
}


@pytest.mark.parametrize("kind", WATCHED)
def test_what_is_no_log_is_not_watched_as_if_it_were(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, message = WATCHED[kind]
    path = make_bad(tmp_path, kind)
    assert run(["watch", "--once", str(path)]) == code
    captured = capsys.readouterr()
    assert message in captured.out + captured.err
    if kind in BAD:  # and a look after that one says the same as a first one
        assert run(["init", str(path)]) == BAD[kind][0]
        assert BAD[kind][1] in capsys.readouterr().err


def test_a_pattern_that_matches_nothing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trainwatch.toml").write_text('[[runs]]\nlog = "nowhere/*.log"\n')
    assert run(["status"]) == ExitCode.USAGE
    assert "no log matches what is configured: nowhere/*.log" in capsys.readouterr().err
