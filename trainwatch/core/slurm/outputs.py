"""Where a job writes to: `scontrol show job`, as values.

The trap: the answer is words with blanks between them, and names of jobs and files may hold blanks and equals
signs: what stands before our key may have been written by anybody.
"""

from typing import NamedTuple

from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.patterns import pattern
from trainwatch.core.slurm import values
from trainwatch.core.words import clean

_JOB = pattern(r"[0-9]{1,12}(?:_[0-9]{1,12})?")
_HEAD = pattern(r"^JobId=(\d+)(?: ArrayJobId=(\d+) ArrayTaskId=(\d+))? JobName=")
_OUTPUT = pattern(r" StdOut=(/[^\x00-\x1f\x7f]*?)(?: [A-Z][A-Za-z:/]*=|\s*$)")
_STATE = pattern(r" JobState=([A-Z_]+) ")
_LONGEST = 100_000


class RunningJob(NamedTuple):
    """A job that runs. `output` is the path of its stdout; empty where nobody says."""

    job_id: str
    name: str
    output: str = ""


def argv(job_id: str) -> list[str]:
    """The command. Raises ValueError for what is no job's id."""
    if _JOB.fullmatch(job_id) is None:
        raise ValueError(f"{job_id!r} is not the id of a job")
    return ["scontrol", "show", "job", "-o", job_id]


def parse(data: bytes) -> str:
    """The path of the job's stdout; empty where it has none. Raises AnswerUnreadable."""
    lines = data[:_LONGEST].decode("utf-8", "replace").splitlines()
    line = next((each for each in lines if each.strip()), "")
    if _HEAD.match(line) is None or _STATE.search(line) is None:
        raise AnswerUnreadable(f"not an answer of scontrol: {clean(line.strip(), 80)}")
    found = _OUTPUT.findall(line)
    return values.word(found[-1]) if found else ""
