"""Slurm's commands, run with a deadline.

The trap: `squeue` can fail, say so on stderr only, and exit with 0; and a command that hangs in the kernel
cannot be killed. Whatever is not surely an answer raises SchedulerUnknown.
"""

import getpass
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from trainwatch.core.errors import AnswerUnreadable, SchedulerUnknown, SubmissionRefused
from trainwatch.core.model.observations import AttemptEnd, Job, Reservation
from trainwatch.core.redact import redact
from trainwatch.core.slurm import (
    accounting,
    associations,
    outputs,
    partitions,
    queue,
    scrontab,
    submitting,
)
from trainwatch.core.slurm.asking import ENVIRONMENT, NOT_PASSED_ON, handed_down
from trainwatch.core.slurm.associations import Association
from trainwatch.core.slurm.partitions import Partition
from trainwatch.core.slurm.submitting import Submission
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

    def partitions(self) -> tuple[Partition, ...]:
        """Those that the user may see. Raises SchedulerUnknown."""
        token = secrets.token_hex(8)
        answer = self._run(partitions.argv(token))
        try:
            return partitions.parse(answer, token)
        except AnswerUnreadable as error:
            raise SchedulerUnknown(f"sinfo: {error}") from error

    def associations(self) -> tuple[Association, ...]:
        """Those of whoever asks, on this cluster. Raises SchedulerUnknown."""
        try:
            found = associations.parse(self._run(associations.argv(_me())))
        except (AnswerUnreadable, ValueError) as error:
            raise SchedulerUnknown(f"sacctmgr: {error}") from error
        if len({one.cluster for one in found}) <= 1:
            return found
        here = associations.cluster(self._run(associations.CONFIG))
        return tuple(one for one in found if one.cluster == here)

    def output(self, job_id: str) -> str:
        """The path of a job's stdout; empty where it has none. Raises SchedulerUnknown."""
        try:
            return outputs.parse(self._run(outputs.argv(job_id)))
        except (AnswerUnreadable, ValueError) as error:
            raise SchedulerUnknown(f"scontrol: {error}") from error

    def reservations(self) -> tuple[Reservation, ...]:
        """See core/ports.py."""
        answer = self._run(partitions.RESERVATIONS)
        try:
            return partitions.parse_reservations(answer, _utc_offset_s())
        except AnswerUnreadable as error:
            raise SchedulerUnknown(f"scontrol: {error}") from error

    def _run(self, argv: Sequence[str]) -> bytes:
        """What a command says. Raises SchedulerUnknown."""
        done = _run(argv, self._deadline_s)
        if done.failed:
            raise SchedulerUnknown(done.said or f"{argv[0]} failed with {done.code}")
        return done.out


class Hands:
    """What may be done to jobs, by Slurm's commands. See core/ports.py."""

    def __init__(self, deadline_s: float = 60.0) -> None:
        self._deadline_s = deadline_s

    def submit(self, job: Submission) -> str:
        """See core/ports.py."""
        answer = self._run(submitting.argv(job), job.script.encode())
        try:
            return submitting.job_id(answer)
        except AnswerUnreadable as error:
            raise SchedulerUnknown(str(error)) from error

    def cancel(self, job_ids: Sequence[str]) -> None:
        """See core/ports.py."""
        self._run(submitting.cancel_argv(tuple(job_ids)))

    def hold(self, job_id: str) -> None:
        """See core/ports.py."""
        self._run(submitting.hold_argv(job_id))

    def release(self, job_id: str) -> None:
        """See core/ports.py."""
        self._run(submitting.hold_argv(job_id, release=True))

    def scrontab(self) -> str:
        """The user's table of Slurm's own cron; empty where there is none. Raises as `submit`."""
        try:
            return self._run(scrontab.LIST).decode("utf-8", "replace")
        except SubmissionRefused as error:
            if scrontab.NONE.search(str(error)):
                return ""
            raise

    def put_scrontab(self, table: str) -> None:
        """Replace it. Raises as `submit`."""
        with tempfile.NamedTemporaryFile("w", suffix=".scrontab", encoding="utf-8") as file:
            file.write(table)
            file.flush()
            self._run(["scrontab", file.name])

    def _run(self, argv: Sequence[str], typed: bytes = b"") -> bytes:
        done = _run(argv, self._deadline_s, typed)
        if done.code and submitting.refused(done.said):
            said = done.said.removeprefix(f"{argv[0]}: ").removeprefix("error: ")
            raise SubmissionRefused(f"{argv[0]}: {said}")
        if done.code:
            raise SchedulerUnknown(done.said or f"{argv[0]} failed with {done.code}")
        return done.out


def installed() -> bool:
    """Whether this machine can submit jobs."""
    return shutil.which("sbatch") is not None


class _Done(NamedTuple):
    """Of a command: its exit code, what it printed, and the line of stderr that says why it failed."""

    code: int
    out: bytes
    said: str

    @property
    def failed(self) -> bool:
        """Whether it failed, or says so: `squeue` may exit with 0 all the same."""
        return bool(self.code) or "error" in self.said.lower()


def _run(argv: Sequence[str], deadline_s: float, typed: bytes = b"") -> _Done:
    """Run a command of Slurm, which reads what is `typed`: a job's script.

    Raises SchedulerUnknown if it cannot be run, or takes too long.
    """
    name = argv[0]
    try:
        process = subprocess.Popen(  # noqa: S603 - core/slurm made it, and no shell reads it
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=handed_down(os.environ) if typed else _environment("--json" in argv),
            start_new_session=True,  # a signal to us is none to it, and its children die with it
        )
    except OSError as error:
        raise SchedulerUnknown(f"{name} cannot be run here: {error.strerror}") from error
    try:
        out, err = process.communicate(typed, timeout=deadline_s)
    except subprocess.TimeoutExpired:
        _kill(process)
        raise SchedulerUnknown(f"{name} gave no answer in {deadline_s:g} s") from None
    except BaseException:  # ctrl+c is not for its ears: it must not go on, submit and tell nobody
        _kill(process)
        raise
    return _Done(process.returncode, out, clean(redact(_trouble(err)), 200))


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
