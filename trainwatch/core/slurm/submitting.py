"""Jobs that we submit, cancel, hold and release: the argv, and what the answers mean.

The trap: an `sbatch` that was cut off, or that could not hear the controller's answer, may have submitted.
Only a refusal in so many words is one.
"""

import re
from math import ceil

import msgspec

from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.patterns import pattern
from trainwatch.core.words import clean

_JOB_ID = pattern(r"(\d+)(?:;\S+)?")
_SHOWN_ID = pattern(r"\d+(?:_\d+|_\[[\d,\-%]+\]|\+\d+)?")
# What sbatch says when the controller's answer did not come, or nobody is there: no word on the job.
_NO_ANSWER = pattern(
    r"timed? ?out|unable to contact|connect failure|connection (?:refused|reset)|zero bytes"
    r"|: no error\b"  # of the tasks of an array some were changed and others were not
    r"|communication|temporarily unable|resource temporarily|unexpected message|slurmctld",
    re.IGNORECASE,
)


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """A batch job to be. Empty or None leaves an option to the cluster.

    `script` is the batch script itself: sbatch reads it from its standard input. `begin_in_s` counts from the
    moment that sbatch is asked: no time zone can come between.
    """

    script: str
    name: str
    comment: str = ""
    output: str = ""
    folder: str = ""
    partition: str = ""
    account: str = ""
    qos: str = ""
    constraint: str = ""
    exclude: str = ""
    array: str = ""
    dependency: str = ""
    time_limit_s: float | None = None
    begin_in_s: float | None = None
    signal_s: float | None = None  # so long before the limit, USR1 to the script itself
    cpus: int | None = None
    memory_mb: int | None = None
    requeue: bool | None = False
    options: tuple[str, ...] = ()  # of sbatch, as the user configured them


def argv(job: Submission) -> list[str]:
    """The sbatch command, which prints the job's id alone."""
    minutes = None if job.time_limit_s is None else max(1, round(job.time_limit_s / 60))
    begin = None if job.begin_in_s is None else f"now+{max(0, ceil(job.begin_in_s))}"
    signal = None if job.signal_s is None else f"B:USR1@{max(1, round(job.signal_s))}"
    chosen = {
        "job-name": job.name,
        "comment": job.comment,
        "output": job.output,
        "chdir": job.folder,
        "partition": job.partition,
        "account": job.account,
        "qos": job.qos,
        "constraint": job.constraint,
        "exclude": job.exclude,
        "array": job.array,
        "dependency": job.dependency,
        "time": minutes,
        "begin": begin,
        "signal": signal,
        "cpus-per-task": job.cpus,
        "mem": None if job.memory_mb is None else f"{job.memory_mb}M",
    }
    given = [f"--{name}={value}" for name, value in chosen.items() if value not in ("", None)]
    requeue = {True: ["--requeue"], False: ["--no-requeue"], None: []}[job.requeue]
    return ["sbatch", "--parsable", "--open-mode=append", *given, *requeue, *job.options]


def job_id(answer: bytes) -> str:
    """The id of the job that sbatch submitted. Raises AnswerUnreadable."""
    for line in answer.decode("utf-8", "replace").splitlines():
        if found := _JOB_ID.fullmatch(line.strip()):
            return found[1]
    raise AnswerUnreadable(f"an answer of sbatch without a job id: {clean(repr(answer[:100]), 80)}")


def refused(said: str) -> bool:
    """Whether a failed command's words say no. False: nobody knows what became of the request."""
    return bool(said) and _NO_ANSWER.search(said) is None


def cancel_argv(job_ids: tuple[str, ...], *, signal: str = "") -> list[str]:
    """The scancel command for these jobs; `signal` sends them one instead. Raises ValueError."""
    how = [f"--signal={signal}"] if signal else []
    return ["scancel", *how, *_checked(job_ids)]


def hold_argv(job: str, *, release: bool = False) -> list[str]:
    """The scontrol command that holds a job or an array, or releases it. Raises ValueError."""
    return ["scontrol", "release" if release else "hold", *_checked((job,))]


def _checked(job_ids: tuple[str, ...]) -> tuple[str, ...]:
    """Ids as squeue shows them, and nothing else: a name or a blank would be somebody else's jobs."""
    for each in job_ids:
        if _SHOWN_ID.fullmatch(each) is None:
            raise ValueError(f"{each!r} is not the id of a job")
    if not job_ids:
        raise ValueError("no job is named")
    return job_ids
