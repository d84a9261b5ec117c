"""Where a job writes to, from what scontrol says of it."""

import pytest

from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.slurm import outputs

LINE = (
    "JobId=7 JobName={name} UserId=ada(1) GroupId=g(1) MCS_label=N/A Priority=1 JobState=RUNNING "
    "Reason=None Command=/a/x.slurm WorkDir=/a StdErr=/a/err StdIn=/dev/null StdOut={out} Power= \n"
)
ARRAY = LINE.replace("JobId=7 ", "JobId=9 ArrayJobId=7 ArrayTaskId=2 ")

SAID = {
    "a path": (LINE.format(name="tr11", out="/a/main_log.txt"), "/a/main_log.txt"),
    "of an array": (ARRAY.format(name="tr11", out="/a/7_2.out"), "/a/7_2.out"),
    "with blanks": (LINE.format(name="tr11", out="/a b/my log.txt"), "/a b/my log.txt"),
    "at the end": (LINE.format(name="x", out="/a/log").replace(" Power= \n", "\n"), "/a/log"),
    "none": (LINE.format(name="bash", out="x").replace(" StdOut=x", ""), ""),
    "forged by a name": (LINE.format(name="x StdOut=/etc/passwd Y=", out="/a/log"), "/a/log"),
    "relative": (LINE.format(name="x", out="log"), ""),
}


@pytest.mark.parametrize("name", SAID)
def test_the_path(name: str) -> None:
    text, path = SAID[name]
    assert outputs.parse(text.encode()) == path


@pytest.mark.parametrize("data", [b"", b"slurm_load_jobs error: x\n", b"JobId=7", b"\xff\x00" * 50])
def test_no_answer(data: bytes) -> None:
    with pytest.raises(AnswerUnreadable):
        outputs.parse(data)


@pytest.mark.parametrize("job_id", ["", "--help", "7;x", "7_[1-3]", "7 8"])
def test_no_job(job_id: str) -> None:
    with pytest.raises(ValueError, match="is not the id of a job"):
        outputs.argv(job_id)


def test_the_command() -> None:
    assert outputs.argv("7_2") == ["scontrol", "show", "job", "-o", "7_2"]
