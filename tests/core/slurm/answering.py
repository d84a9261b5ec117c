"""Answers in text as the commands print them, with the separators that were asked for."""

import json
from collections.abc import Callable
from pathlib import Path

from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.slurm.asking import field_end, row_end

# squeue and sacct with --json, one file for each version. Written from the published schemas, not recorded:
# the keys and the forms of their values are a version's, the jobs are the same in all of them.
ANSWERS = Path(__file__).parent / "answers"
VERSIONS = ("21.08", "22.05", "23.02", "23.11", "24.05", "24.11", "25.05")
TOKEN = "kQ7vX2mB9z"
FIELD, ROW = field_end(TOKEN), row_end(TOKEN)
TITLES = (
    *("JOBID", "ARRAY_JOB_ID", "NAME", "STATE", "REASON", "NODELIST", "TIME_LIMIT", "START_TIME"),
    *(
        "END_TIME",
        "SUBMIT_TIME",
        "USER",
        "ACCOUNT",
        "COMMENT",
        "PARTITION",
        "DEPENDENCY",
        "NODES",
        "QOS",
    ),
)


def as_json(command: str, version: str) -> bytes:
    """The answer of `squeue` or `sacct`."""
    return (ANSWERS / f"{command}-{version}.json").read_bytes()


def rows(*table: tuple[str, ...], header: bool = True) -> bytes:
    """What `squeue -o` prints: a line end behind each row, whatever the row holds."""
    every = (TITLES, *table) if header else table
    return "".join(f"{FIELD.join(row)}{ROW}\n" for row in every).encode()


def lines(*table: tuple[str, ...]) -> bytes:
    """What `sacct -n -P` prints."""
    return "".join(f"{FIELD.join(row)}\n" for row in table).encode()


def job_row(**fields: str) -> tuple[str, ...]:
    """A row of squeue for one job that waits, with other values where they are given."""
    usual = dict(zip(TITLES, _WAITS, strict=True))
    return tuple({**usual, **fields}.values())


def json_jobs(*jobs: object, **more: object) -> bytes:
    """A JSON answer of these jobs."""
    return json.dumps({"jobs": jobs, "errors": [], **more}).encode()


def unreadable(read: Callable[[], object]) -> str:
    """Why it cannot be read; empty if it can."""
    try:
        read()
    except AnswerUnreadable as error:
        return str(error)
    return ""


_WAITS = (
    *("7", "7", "train", "PENDING", "Priority", "", "20:00:00", "N/A", "N/A", "1795168800"),
    *("ana", "six", "(null)", "gpu", "(null)", "4", "normal"),
)
