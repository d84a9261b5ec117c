"""Recordings: written by watch, told by replay, also when they are cut or out of order."""

import json
from pathlib import Path

import pytest

from tests.core.logs.making import iteration
from trainwatch.app.cli import run
from trainwatch.core.errors import ExitCode


def test_watch_writes_a_recording_that_replays_to_the_same(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "run.jsonl"
    run(["watch", str(log), "--once", "--record", str(recording)])
    capsys.readouterr()
    assert run(["replay", str(recording), "--json"]) == 0
    state = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (state["kind"], state["status"]["iteration"]) == ("state", 20)


def test_a_recording_that_is_cut_in_the_middle_names_the_line_and_tells_the_rest(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "run.jsonl"
    run(["watch", str(log), "--once", "--record", str(recording)])
    with recording.open("ab") as file:
        file.write(b'{"at": 1628376000.0, "log": {"pa')
    capsys.readouterr()
    assert run(["replay", str(recording), "--json"]) == ExitCode.USAGE
    got = capsys.readouterr()
    assert f"{recording} line 2 is no observation" in got.err
    assert json.loads(got.out.splitlines()[-1])["status"]["iteration"] == 20


def test_what_is_recorded_after_a_kill_is_not_spoilt_by_half_a_line(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "run.jsonl"
    recording.write_bytes(b'{"at": 1628376000.0, "log": {"pa')
    run(["watch", str(log), "--once", "--record", str(recording)])
    capsys.readouterr()
    assert run(["replay", str(recording), "--json"]) == ExitCode.USAGE
    got = capsys.readouterr()
    assert f"{recording} line 1 is no observation" in got.err
    assert "line 2" not in got.err
    assert json.loads(got.out.splitlines()[-1])["status"]["iteration"] == 20


def test_a_recording_out_of_order_is_judged_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "run.jsonl"
    lines = [
        {"at": 1_790_003_600.0 - 1_000 * n, "log": {"text": iteration(n + 1) + "\n"}}
        for n in range(6)
    ]
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run(["replay", str(recording), "--json"]) == ExitCode.USAGE
    got = capsys.readouterr()
    assert f"{recording} line 2 is 16 min 40 s earlier than one before it" in got.err
    assert "and 2 more lines like these" in got.err
    assert json.loads(got.out.splitlines()[-1])["status"]["iteration"] == 6


def test_a_recording_is_never_written_into_a_file_that_is_none(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = log.read_bytes()
    assert run(["watch", "--once", str(log), "--record", str(log)]) == ExitCode.USAGE
    assert "is not a recording" in capsys.readouterr().err
    assert log.read_bytes() == before
