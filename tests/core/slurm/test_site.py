"""Where our own jobs go: what a site says is put on a job, and what would undo the job is refused."""

import msgspec
import pytest

from trainwatch.core.slurm.site import JobSite
from trainwatch.core.slurm.submitting import Submission

JOB = Submission(script="#!/bin/sh\n", name="n", cpus=1, memory_mb=500)


def test_a_site_that_says_nothing_changes_nothing() -> None:
    assert JobSite().placed(JOB) == JOB


def test_what_a_site_says_is_put_on_the_job() -> None:
    site = JobSite(partition="prepost", account="six@cpu", qos="long", constraint="a&b")
    placed = msgspec.structs.replace(site, options=("--nice=5",), cpus=2).placed(JOB)
    assert placed == Submission(
        script="#!/bin/sh\n",
        name="n",
        partition="prepost",
        account="six@cpu",
        qos="long",
        constraint="a&b",
        options=("--nice=5",),
        cpus=2,
        memory_mb=500,
    )


@pytest.mark.parametrize(
    "option", ["--exclusive", "--licenses=lustre", "--mail-type=END", "--x=a b"]
)
def test_options_that_are_passed_on(option: str) -> None:
    assert msgspec.convert({"options": [option]}, JobSite).options == (option,)


@pytest.mark.parametrize(
    "option",
    [
        "",
        "job.sh",
        "-n2",
        "--array=0-3",
        "--wrap=rm",
        "--wait",
        "--output=x",
        "--a\nb",
        "--nice=5\n",
        "--Nice",
    ],
)
def test_options_that_are_not(option: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"options": [option]}, JobSite)


@pytest.mark.parametrize("word", ["a b", "a\n", "\x00"])
def test_a_word_is_one(word: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"partition": word}, JobSite)
