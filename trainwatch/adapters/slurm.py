"""Slurm's commands, run with a deadline.

The trap: `squeue` can fail, say so on stderr only, and exit with 0; and a command that hangs in the kernel
cannot be killed. Whatever is not surely an answer raises SchedulerUnknown.
"""

import getpass
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from trainwatch.core.errors import AnswerUnreadable, SchedulerUnknown
from trainwatch.core.model.observations import AttemptEnd, Job
from trainwatch.core.redact import redact
from trainwatch.core.slurm import accounting, queue
from trainwatch.core.slurm.asking import ENVIRONMENT, NOT_PASSED_ON
from trainwatch.core.words import clean

_DYING_S = 1.0  # a killed command may take so long to be gone


class Slurm:
    """The cluster that this machine's commands ask."""

    def __init__(
        self,
        users: Sequence[str] = (),
        accounts: Sequence[str] = (),
        *,
        as_json: bool = False,
        deadline_s: float = 20.0,
    ) -> None:
        """Jobs of these users and accounts; of whoever asks, without any."""
        mine = users or (() if accounts else (_me(),))
        self._query = queue.QueueQuery(users=tuple(mine), accounts=tuple(accounts))
        self._as_json, self._deadline_s = as_json, deadline_s

    def queue(self) -> tuple[Job, ...]:
        """See core/ports.py."""
        token = secrets.token_hex(8)
        answer = self._run(queue.argv(self._query, as_json=self._as_json, separator=token))
        try:
            if self._as_json:
                read = queue.read_json(answer)
            else:
                read = queue.read_text(answer, token, _utc_offset_s())
        except AnswerUnreadable as error:
            raise SchedulerUnknown(f"squeue: {error}") from error
        if read.left_out:  # any of them may be the job that would be missed
            raise SchedulerUnknown(f"squeue: {read.left_out:,} rows of its answer cannot be read")
        return queue.chosen(read.jobs, self._query) if self._as_json else read.jobs

    def ended(self, job_ids: Sequence[str]) -> tuple[AttemptEnd, ...]:
        """See core/ports.py."""
        token, query = secrets.token_hex(8), accounting.AccountingQuery(job_ids=tuple(job_ids))
        answer = self._run(accounting.argv(query, as_json=self._as_json, separator=token))
        try:
            if self._as_json:
                return accounting.parse_json(answer)
            return accounting.parse_text(answer, token, _utc_offset_s())
        except AnswerUnreadable as error:
            raise SchedulerUnknown(f"sacct: {error}") from error

    def _run(self, argv: Sequence[str]) -> bytes:
        """What a command says. Raises SchedulerUnknown."""
        name = argv[0]
        try:
            process = subprocess.Popen(  # noqa: S603 - core/slurm made it, and no shell reads it
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment("--json" in argv),
                start_new_session=True,  # a signal to us is none to it, and its children die with it
            )
        except OSError as error:
            raise SchedulerUnknown(f"{name} cannot be run here: {error.strerror}") from error
        try:
            out, err = process.communicate(timeout=self._deadline_s)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise SchedulerUnknown(f"{name} gave no answer in {self._deadline_s:g} s") from None
        said = clean(redact(_trouble(err)), 200)
        if process.returncode or "error" in said.lower():
            raise SchedulerUnknown(said or f"{name} failed with {process.returncode}")
        return out


def _me() -> str:
    """Whoever asks; by number where the machine has no name for them."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _environment(as_json: bool) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(NOT_PASSED_ON)}
    asked = {**kept, **ENVIRONMENT}
    if as_json:  # whose times are numbers anyway; the JSON of `sacct` 22.05 fails over a format
        asked.pop("SLURM_TIME_FORMAT")
    return asked


def _utc_offset_s() -> float:
    """For a cluster that prints stamps of its own, whatever it is asked for."""
    return float(time.localtime().tm_gmtoff)


def _trouble(err: bytes) -> str:
    """The line of stderr that names an error, else its first."""
    lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines()]
    named = [line for line in lines if "error" in line.lower()]
    return next(iter(named or lines), "")


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_DYING_S)
