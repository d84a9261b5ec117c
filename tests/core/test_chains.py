"""The queue as a tree: chains, arrays, singletons; circles and unknown ids are harmless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.chains import tree
from trainwatch.core.model.observations import Job


def job(
    job_id: str,
    state: str = "PENDING",
    dependency: str = "",
    *,
    reason: str = "Dependency",
    name: str = "run",
    submit: float | None = None,
) -> Job:
    return Job(
        job_id=job_id,
        name=name,
        state=state,
        reason="" if state == "RUNNING" else reason,
        dependency=dependency,
        submit=submit,
    )


def shown(*jobs: Job) -> list[str]:
    return ["  " * branch.depth + branch.job.job_id for branch in tree(jobs)]


RUNNING = job("7_3", "RUNNING")
REST = job("7_[4-9%1]", reason="JobArrayTaskLimit")

CASES: dict[str, tuple[tuple[Job, ...], list[str]]] = {
    "none": ((), []),
    "an array, and the next one": (
        (job("8_[1-9%1]", dependency="afterany:7_*(unfulfilled)"), REST, RUNNING),
        ["7_3", "  7_[4-9%1]", "    8_[1-9%1]"],
    ),
    "a chain": (
        (
            job("9", dependency="afterok:8(unfulfilled)"),
            job("8", dependency="afternotok:7(unfulfilled)"),
            job("7", "RUNNING"),
        ),
        ["7", "  8", "    9"],
    ),
    "a fan": (
        (job("7", "RUNNING"), job("8", dependency="afterany:7"), job("9", dependency="after:7+5")),
        ["7", "  8", "  9"],
    ),
    "one task of an array": (
        (RUNNING, REST, job("8", dependency="afterok:7_3(unfulfilled)")),
        ["7_3", "  7_[4-9%1]", "  8"],
    ),
    "several, of which one is here": (
        (job("7", "RUNNING"), job("8", dependency="afterok:1(unfulfilled),afterany:7")),
        ["7", "  8"],
    ),
    "an old form": ((job("7", "RUNNING"), job("8", dependency="afterok:1:7")), ["7", "  8"]),
    "somebody else's": ((job("8", dependency="afterok:1(unfulfilled)"),), ["8"]),
    "itself": ((job("8", dependency="afterok:8"),), ["8"]),
    "a circle": (
        (
            job("7", dependency="afterok:9"),
            job("8", dependency="afterok:7"),
            job("9", dependency="afterok:8"),
        ),
        ["9", "  7", "    8"],
    ),
    "singletons": (
        (
            job("9", dependency="singleton(unfulfilled)", submit=3.0),
            job("8", dependency="singleton(unfulfilled)", submit=2.0),
            job("5", "RUNNING", submit=1.0),
            job("6", dependency="singleton(unfulfilled)", name="other", submit=1.0),
        ),
        ["5", "  8", "    9", "6"],
    ),
    "tasks that the scheduler split": (
        (job("7_5"), job("7_4"), job("7_[6-9%1]"), RUNNING),
        ["7_3", "7_[4-9]"],
    ),
    "few tasks that run": (
        tuple(job(f"7_{n}", "RUNNING") for n in range(3)),
        ["7_0", "7_1", "7_2"],
    ),
    "many tasks that run": (tuple(job(f"7_{n}", "RUNNING") for n in range(40)), ["7_[0-39]"]),
    "ids that are none": ((job("7_[4-"), job("7_]"), job("_"), job("")), ["", "7_[4-", "7_]", "_"]),
}


@pytest.mark.parametrize(("jobs", "rows"), CASES.values(), ids=CASES)
def test_what_stands_under_what(jobs: tuple[Job, ...], rows: list[str]) -> None:
    assert shown(*jobs) == rows


def test_a_chain_of_three_thousand() -> None:
    chain = [
        job("0", "RUNNING"),
        *(job(str(n), dependency=f"afterany:{n - 1}") for n in range(1, 3000)),
    ]
    assert max(branch.depth for branch in tree(chain)) == 2999


_ids = st.sampled_from(["7", "7_1", "7_[2-9%1]", "8", "9", "", "_", "8_*"])
_texts = st.sampled_from(
    [
        "",
        "singleton",
        "afterok:7",
        "afterany:8_*,afterok:9",
        "after:9+1?afterok:7_1",
        "afterok:",
        "x",
    ]
)
_jobs = st.builds(
    Job,
    job_id=_ids,
    name=st.sampled_from(["a", "b"]),
    state=st.sampled_from(["RUNNING", "PENDING", "REQUEUED"]),
    reason=st.sampled_from(["Dependency", "JobArrayTaskLimit", ""]),
    dependency=_texts,
    start=st.none() | st.floats(),
    submit=st.none() | st.floats(),
)


@given(st.lists(_jobs, max_size=9))
def test_every_job_is_shown_once_and_stands_one_step_under_another(jobs: list[Job]) -> None:
    rows = tree(jobs)
    assert len(rows) <= len(jobs)
    assert bool(rows) == bool(jobs)
    last = -1
    for row in rows:
        assert 0 <= row.depth <= last + 1
        last = row.depth
