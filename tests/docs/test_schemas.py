"""The schemas in docs/schemas are those of the code, and what is really printed is as they say."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator, ValidationError

from trainwatch.app import recording, schemas
from trainwatch.app.cli import run
from trainwatch.core.errors import ExitCode
from trainwatch.core.model import observations as seen
from trainwatch.core.model.observations import Observation

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"
PAGE = FOLDER.with_suffix(".md").read_text()
NOW = 1_790_000_000.0


@cache
def validator(name: str) -> Draft202012Validator:
    schema = json.loads((FOLDER / f"{name}.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def valid(name: str, values: Iterable[Any]) -> int:
    """How many there were, all of them valid."""
    told = list(values)
    for value in told:
        validator(name).validate(value)
    return len(told)


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", schemas.SCHEMAS)
def test_a_file_is_what_the_code_makes_and_the_page_tells_of_it(name: str) -> None:
    assert (FOLDER / f"{name}.json").read_text() == schemas.text(name), "run: make schemas"
    assert f"schemas/{name}.json" in PAGE


def test_there_are_no_others() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(schemas.SCHEMAS)


@pytest.mark.parametrize(
    "scenario", ["loss-nan", "kill-switch", "disk-full-of-cores", "sync-corrupt"]
)
def test_what_is_printed_of_a_run_is_as_promised(
    scenario: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["simulate", "sim", "--scenario", scenario, "--record", "sim.jsonl"]) == ExitCode.OK
    run(["watch", "sim/main_log.txt", "--once", "--record", "watched.jsonl"])
    Path("trainwatch.toml").write_text(
        '[[runs]]\nlog = "sim/main_log.txt"\nname = "sim"\n[[runs]]\nlog = "none.log"\n'
    )
    printed = {}
    for form in (["--json"], ["--public"], ["--json", "sim"], ["--public", "sim"]):
        capsys.readouterr()
        run(["status", *form])
        printed[" ".join(form)] = json.loads(capsys.readouterr().out)
    assert isinstance(printed["--json"], list)
    assert printed["--json sim"]["iteration"] > 100
    assert valid("status", [printed["--json"], printed["--json sim"]]) == 2
    assert valid("public", [printed["--public"], printed["--public sim"]]) == 2
    for recorded in ("sim.jsonl", "watched.jsonl"):
        text = Path(recorded).read_text()
        assert valid("recording", lines(text)) == text.count("\n") > 0
    for file in ("sim.jsonl", "sim/main_log.txt"):
        run(["replay", "--json", file])
        told = lines(capsys.readouterr().out)
        assert valid("replay", told) > 3
        assert {each["schema_version"] for each in told} == {1}


def test_rows_of_a_report_are_as_promised(
    shared_logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.log").touch()
    run(["report", "--format", "json", str(shared_logs), "empty.log", "none.log"])
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) > 10
    validator("report").validate(rows)


JOB = seen.Job(job_id="7", name="run", state="PENDING", nodes=("n1",), start=NOW)
OBSERVED: list[Observation] = [
    seen.LogChunk(at=NOW, path="main_log.txt", data=b"a line\n", live=False),
    seen.QueueReading(at=NOW, state="ok", jobs=(JOB,), maintenance=(seen.Reservation(name="m"),)),
    seen.QueueReading(at=NOW, state="unknown", why="no answer"),
    seen.CheckpointReading(at=NOW, found=(seen.Checkpoint(name="global_step10"),), latest="x"),
    seen.DiskReading(at=NOW, path="scratch", bytes_total=1),
    seen.AccountingReading(at=NOW, state="ok", ended=(seen.AttemptEnd(job_id="7", state="F"),)),
    seen.SyncReading(at=NOW, route="logs", ok=False, why="no way"),
    seen.ScriptReading(at=NOW, script="hourly/x", exit_code=None),
    seen.ProcessReading(at=NOW, alive=True, count=9, workers=8, rss_bytes=1),
    seen.WatcherReading(at=NOW, blind="it hangs"),
    seen.AlertRequest(at=NOW, ask="silence", rule="stall"),
    seen.DeedReading(at=NOW, hand="cancel", cause="c", outcome="planned"),
]


def test_every_kind_of_observation_is_recorded_as_promised_and_read_back() -> None:
    assert {type(each) for each in OBSERVED} == {seen.LogChunk, *recording.KINDS.values()}
    for each in OBSERVED:
        line = recording.line(each)
        validator("recording").validate(json.loads(line))
        assert recording.parse(line) == each


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("status", {"run": "tr11", "health": "ok"}),  # all that is always printed is required
        ("report", [{"log": "x"}]),
        ("recording", {"log": {"text": "x"}}),
        ("recording", {"at": "noon", "log": {"text": "x"}}),
        ("recording", {"at": 0.0, "queue": {"state": "fine"}}),
        ("recording", {"at": 0.0, "schema_version": 2}),
        ("replay", {"at": 0.0, "kind": "save"}),
        ("replay", {"at": 0.0, "kind": "state", "schema_version": 1}),
    ],
)
def test_what_is_something_else_is_not_valid(name: str, wrong: Any) -> None:
    with pytest.raises(ValidationError):
        validator(name).validate(wrong)


def test_a_newer_recording_is_not_misread(capsys: pytest.CaptureFixture[str]) -> None:
    line = recording.line(OBSERVED[0])
    newer = line.replace(b'{"at"', b'{"schema_version":2,"at"')
    with pytest.raises(msgspec.ValidationError, match="newer trainwatch"):
        recording.parse(newer)
    assert recording.parse(line.replace(b'{"at"', b'{"new":{},"schema_version":1,"at"'))


def test_a_schema_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "status"]) == ExitCode.OK
    assert capsys.readouterr().out == schemas.text("status")
    assert run(["schema"]) == ExitCode.OK
    assert set(schemas.SCHEMAS) == {x.split()[0] for x in capsys.readouterr().out.splitlines()}
    assert run(["schema", "stauts"]) == ExitCode.USAGE
    assert "there are: status, public" in capsys.readouterr().err
    assert run(["schema", "--write", "made/here"]) == ExitCode.OK
    assert (tmp_path / "made/here/report.json").read_text() == schemas.text("report")
    (tmp_path / "file").touch()
    assert run(["schema", "--write", "file/here"]) == ExitCode.UNHEALTHY
    assert "cannot write into file/here" in capsys.readouterr().err
