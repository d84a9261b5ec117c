"""The argv of sbatch, scancel and scontrol, and what their answers mean, literally."""

import pytest

from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.slurm import submitting
from trainwatch.core.slurm.asking import handed_down
from trainwatch.core.slurm.submitting import Submission

CHOSEN = Submission(
    script="#!/bin/sh\n",
    name="n",
    comment="c",
    output="/o",
    folder="/f",
    partition="prepost",
    account="a",
    qos="q",
    constraint="x&y",
    exclude="r1i0n[0-3]",
    array="0-3",
    dependency="singleton",
    time_limit_s=72_000.0,
    begin_in_s=436.6,
    signal_s=120.0,
    cpus=2,
    memory_mb=500,
    requeue=True,
    options=("--licenses=lustre",),
)


def test_a_submission_says_only_what_is_chosen() -> None:
    assert submitting.argv(Submission(script="#!/bin/sh\n", name="a b; rm -rf")) == [
        "sbatch",
        "--parsable",
        "--open-mode=append",
        "--job-name=a b; rm -rf",
        "--no-requeue",
    ]


def test_every_option() -> None:
    assert submitting.argv(CHOSEN)[3:] == [
        "--job-name=n",
        "--comment=c",
        "--output=/o",
        "--chdir=/f",
        "--partition=prepost",
        "--account=a",
        "--qos=q",
        "--constraint=x&y",
        "--exclude=r1i0n[0-3]",
        "--array=0-3",
        "--dependency=singleton",
        "--time=1200",
        "--begin=now+437",
        "--signal=B:USR1@120",
        "--cpus-per-task=2",
        "--mem=500M",
        "--requeue",
        "--licenses=lustre",
    ]


@pytest.mark.parametrize(
    ("answer", "job_id"),
    [(b"1234\n", "1234"), (b"1234;jean-zay\n", "1234"), (b"a message of the site\n77\n", "77")],
)
def test_the_id_of_a_new_job(answer: bytes, job_id: str) -> None:
    assert submitting.job_id(answer) == job_id


@pytest.mark.parametrize("answer", [b"", b"Submitted batch job 12\n", b"\xff\xfe"])
def test_no_id_is_not_read_from_something_else(answer: bytes) -> None:
    with pytest.raises(AnswerUnreadable, match="without a job id"):
        submitting.job_id(answer)


@pytest.mark.parametrize(
    "said",
    [
        "sbatch: error: invalid partition specified: nope",
        "Batch job submission failed: Invalid account or account/partition combination specified",
        "Batch job submission failed: Job violates accounting/QOS policy (job submit limit, ...)",
        "sbatch: unrecognized option '--nonsense'",
    ],
)
def test_a_refusal(said: str) -> None:
    assert submitting.refused(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Batch job submission failed: Socket timed out on send/recv operation",
        "Batch job submission failed: Unable to contact slurm controller (connect failure)",
        "Batch job submission failed: Zero Bytes were transmitted or received",
        "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying",
        "Batch job submission failed: Resource temporarily unavailable",
        "3_5-40: No error",  # scontrol hold of an array whose task is ending: the rest is held
    ],
)
def test_words_that_leave_it_open(said: str) -> None:
    assert not submitting.refused(said)


def test_requeueing_may_be_left_to_the_script() -> None:
    given = submitting.argv(submitting.Submission(script="", name="x", requeue=None))
    assert not any("requeue" in option for option in given)


def test_only_ids_are_cancelled_and_held() -> None:
    assert submitting.cancel_argv(("12", "7_3", "7_[4-9%1]", "7+1"))[1:] == [
        "12",
        "7_3",
        "7_[4-9%1]",
        "7+1",
    ]
    assert submitting.cancel_argv(("12",), signal="USR1") == ["scancel", "--signal=USR1", "12"]
    assert submitting.hold_argv("12") == ["scontrol", "hold", "12"]
    assert submitting.hold_argv("12", release=True) == ["scontrol", "release", "12"]


@pytest.mark.parametrize("ids", [(), ("",), ("--user=me",), ("12 13",), ("12", "tr11")])
def test_what_is_no_id_is_refused(ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"is not the id of a job|no job is named"):
        submitting.cancel_argv(ids)


def test_a_job_inherits_where_the_cluster_is_and_not_whose_child_it_is() -> None:
    ours = {
        "HOME": "/home/me",
        "SLURM_CONF": "/etc/slurm.conf",
        "SBATCH_ACCOUNT": "abc",
        "SLURM_JOB_ID": "12",
        "SLURM_CPUS_PER_TASK": "40",
        "SBATCH_ARRAY_INX": "1-10",
    }
    assert handed_down(ours) == {
        "HOME": "/home/me",
        "SLURM_CONF": "/etc/slurm.conf",
        "SBATCH_ACCOUNT": "abc",
    }
