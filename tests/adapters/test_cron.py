"""cron/status.json: what was written is read, and what cannot be read is unknown, never nothing."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from trainwatch.adapters.store.cron import CronReader, CronWriter
from trainwatch.core.model.cron import ChainJob, CronStatus, ScriptStatus, ShardStatus

WRITTEN = CronStatus(
    at=1628376000.5,
    mode="daemon",
    health="warning",
    why="no successor [/bold] \x1b é",
    interval_s=600.0,
    running=(ChainJob(job_id="123", state="RUNNING", nodes=("node1",), end=1628380000.0),),
    successor=ChainJob(job_id="124", state="PENDING", reason="Dependency", begin=1628379000.0),
    handed_over=7,
    shards=(ShardStatus(index=0, at=1628376000.0, host="node1", runs=("tr1",), taken_over=("b",)),),
    scripts=(ScriptStatus(name="cron.daily/quota", period="daily", outcome="failed", exit_code=2),),
    troubles=("sbatch timed out",),
)


def written(state_dir: Path) -> Path:
    CronWriter(state_dir).write(WRITTEN)
    return state_dir / "cron" / "status.json"


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert CronReader(tmp_path).read() == CronReader(tmp_path).look() == WRITTEN
    assert list(path.parent.iterdir()) == [path]


def test_the_last_one_counts(tmp_path: Path) -> None:
    written(tmp_path)
    CronWriter(tmp_path).write(replace(WRITTEN, health="ok", interval_s=float("inf")))
    read = CronReader(tmp_path).read()
    assert read is not None
    assert (read.health, read.interval_s) == ("ok", float("inf"))


def test_where_no_chain_was_ever_started_there_is_nothing(tmp_path: Path) -> None:
    assert CronReader(tmp_path / "nowhere").read() is None
    assert CronReader(tmp_path / "nowhere").look() is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"version": 1}',
        b'{"version": 1, "cron": {}}',
        b'{"version": 1, "cron": {"at": "x"}}',
        b'{"version": 1, "cron": {"at": 1, "health": "splendid"}}',
        b'{"version": 2, "cron": {"at": 1, "health": "ok"}}',
        b" " * (16 * 1024 * 1024 + 1),
    ],
)
def test_what_cannot_be_read_is_unknown(tmp_path: Path, data: bytes) -> None:
    written(tmp_path).write_bytes(data)
    assert CronReader(tmp_path).read() is None
    seen = CronReader(tmp_path).look()
    assert seen is not None
    assert seen.health == "unknown"
    assert "status.json cannot be read: it is damaged, or of a newer trainwatch" in seen.why


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.unlink()
    os.mkfifo(path)
    assert CronReader(tmp_path).read() is None


def test_a_folder_in_its_place_is_unknown(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.unlink()
    path.mkdir()
    seen = CronReader(tmp_path).look()
    assert seen is not None
    assert seen.health == "unknown"


def test_what_cannot_be_written_says_so_and_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "cron").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="cron"):
        CronWriter(tmp_path).write(WRITTEN)
    assert CronReader(tmp_path).read() is None
