"""Slurm's commands when they fail in their own ways: a script stands for `squeue`, its answers literal."""

import getpass
import os
from pathlib import Path

import pytest

from trainwatch.adapters.slurm import Slurm
from trainwatch.core.errors import SchedulerUnknown


@pytest.fixture
def squeue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only `squeue` there is; a test writes it. The last argument is the format, with our separators."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "squeue"


def write(command: Path, script: str) -> None:
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)


# An answer: the format itself with words for its codes is a header; then rows of as many fields.
HEADER = 'for last; do :; done; echo "$last" | sed -e "s/%i/JOBID/" -e "s/%[a-zA-Z]/TITLE/g"\n'
ROW = 'echo "$last" | sed -e "s/%i/7/" -e "s/%T/RUNNING/" -e "s/%j/tr1/" -e "s/%[a-zA-Z]//g"\n'


def test_an_answer_is_read(squeue: Path) -> None:
    write(squeue, HEADER + ROW)
    (job,) = Slurm().queue()
    assert (job.job_id, job.name, job.state) == ("7", "tr1", "RUNNING")


def test_no_job_is_an_answer(squeue: Path) -> None:
    write(squeue, HEADER)
    assert Slurm().queue() == ()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("", "an empty answer|without its header"),  # as from a login node that is out of processes
        ("echo 'slurm_load_jobs error: Socket timed out' >&2", "Socket timed out"),
        (HEADER + "echo 'slurm_load_jobs error: Socket timed out' >&2", "Socket timed out"),
        ("echo 'Invalid user: nobody' >&2; exit 1", "Invalid user: nobody"),
        ("exit 3", "squeue failed with 3"),
        ("echo '<html>503</html>'", "not an answer: <html>503</html>"),
        (HEADER + "printf 7", "the answer is cut off"),
        (HEADER + 'echo "$last" | sed -e "s/%j/x/"', "1 rows of its answer cannot be read"),
        ("echo 'error: token=hf_abcdefghijklmnopqrstuvwxyz1234 \x1b[2J' >&2", r"error: token=\W"),
        ("sleep 30", "squeue gave no answer in 0.3 s"),
    ],
)
def test_what_is_no_answer_is_unknown(script: str, why: str, squeue: Path) -> None:
    write(squeue, script)
    deadline_s = 0.3 if "sleep" in script else 20.0
    with pytest.raises(SchedulerUnknown, match=why) as raised:
        Slurm(deadline_s=deadline_s).queue()
    assert str(raised.value).isprintable()
    assert "hf_" not in str(raised.value)


def test_where_there_is_no_slurm_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SchedulerUnknown, match="squeue cannot be run here: No such file"):
        Slurm().queue()


def test_the_users_own_options_do_not_reach_it(
    squeue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQUEUE_STATES", "PENDING")
    write(squeue, '[ -z "$SQUEUE_STATES" ] || exit 1\n' + HEADER)
    assert Slurm().queue() == ()


def test_who_has_no_name_asks_by_number(squeue: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr(getpass, "getuser", nameless)
    write(squeue, f'case "$*" in *--user={os.getuid()}*) ;; *) exit 1;; esac\n' + HEADER)
    assert Slurm().queue() == ()
