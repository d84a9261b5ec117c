"""Which jobs are a run's."""

import pytest

from trainwatch.core.model.observations import Job
from trainwatch.core.ours import Ours, unmatched

JOBS = (
    Job(job_id="1", name="tr11-176B-ml", state="RUNNING", user="ada", account="six@a100"),
    Job(job_id="2", name="tr11-176B-ml2", state="PENDING", user="bob", comment="round 3"),
    Job(job_id="3", name="[x]", state="RUNNING", user="ada"),
)


@pytest.mark.parametrize(
    ("ours", "ids"),
    [
        (Ours(), []),
        (Ours(job_name="tr11-176B-ml"), ["1"]),
        (Ours(job_name="tr11-*"), ["1", "2"]),
        (Ours(job_name="tr11-*", user="bob"), ["2"]),
        (Ours(user="ada"), ["1", "3"]),
        (Ours(account="six@*"), ["1"]),
        (Ours(comment="*round*"), ["2"]),
        (Ours(job_name="[[]x]"), ["3"]),
        (Ours(job_name="TR11-*"), []),
    ],
)
def test_all_that_is_given_must_match(ours: Ours, ids: list[str]) -> None:
    assert [job.job_id for job in ours.among(JOBS)] == ids


def test_the_nearest_names_come_first_and_cannot_draw() -> None:
    hostile = Job(job_id="4", name="\x1b[2Jtr11", state="RUNNING")
    told = unmatched(Ours(job_name="tr11-176B-mlx"), (*JOBS, hostile))
    assert told.startswith(
        "no job has matched job_name = 'tr11-176B-mlx'; the queue has tr11-176B-ml"
    )
    assert "\x1b" not in told


def test_an_empty_queue_names_nobody() -> None:
    assert unmatched(Ours(user="ada"), ()) == "no job has matched user = 'ada'"
