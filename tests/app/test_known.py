"""Runs that only `trainwatch run` named are found by their names, and by their logs."""

from pathlib import Path

import pytest

from trainwatch.app import known, names
from trainwatch.app.config import RunSettings


def noted(state_dir: Path, name: str, log: Path) -> RunSettings:
    run = RunSettings(log=str(log), name=name)
    known.note(names.run_folder(state_dir, name, str(log)), run)
    return run


def test_a_run_is_found_by_its_name_and_by_its_log(tmp_path: Path) -> None:
    run = noted(tmp_path, "tiny", tmp_path / "a.log")
    noted(tmp_path, "other", tmp_path / "b.log")
    assert known.named(tmp_path, "tiny") == run
    assert known.of_log(tmp_path, tmp_path / "a.log") == run


@pytest.mark.parametrize("name", ["tin", "tiny*", "../tiny", "Tiny", ""])
def test_another_name_finds_nothing(tmp_path: Path, name: str) -> None:
    noted(tmp_path, "tiny", tmp_path / "a.log")
    assert known.named(tmp_path, name) is None


def test_names_that_look_alike_as_folders_are_told_apart(tmp_path: Path) -> None:
    first = noted(tmp_path, "a b", tmp_path / "a.log")
    second = noted(tmp_path, "a-b", tmp_path / "b.log")
    assert known.named(tmp_path, "a b") == first
    assert known.named(tmp_path, "a-b") == second


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"name": "tiny"}', b"\xff", b'{"name": 1, "log": 2}']
)
def test_what_cannot_be_read_is_no_run(tmp_path: Path, content: bytes) -> None:
    noted(tmp_path, "tiny", tmp_path / "a.log")
    (mark,) = (tmp_path / "runs").glob("*/command")
    mark.write_bytes(content)
    assert known.named(tmp_path, "tiny") is None


def test_without_a_state_folder_there_is_none(tmp_path: Path) -> None:
    assert known.named(tmp_path / "none", "tiny") is None
    assert known.of_log(tmp_path / "none", tmp_path / "a.log") is None
