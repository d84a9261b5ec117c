"""What a queue shows of the chain, and what is to be done: literal queues."""

import pytest

from trainwatch.core import chain
from trainwatch.core.model.observations import Job

NAME = chain.job_name("/home/me/state")


def job(job_id: str, state: str = "PENDING", **more: str) -> Job:
    array = job_id.partition("_")[0]
    return Job(**{"name": NAME, "array_job_id": array, **more}, job_id=job_id, state=state)  # type: ignore[arg-type]


def test_the_name_is_of_one_state_folder() -> None:
    assert NAME.startswith("trainwatch-")
    assert chain.job_name("/home/me/state") == NAME
    assert chain.job_name("/home/me/state2") != NAME


@pytest.mark.parametrize(
    ("now", "at"),
    [(0.0, 600.0), (539.0, 600.0), (540.0, 600.0), (541.0, 1200.0), (600.0, 1200.0)],
)
def test_the_grid_is_of_the_wall_clock_and_never_a_moment_ahead(now: float, at: float) -> None:
    assert chain.next_of_grid(now, 600.0) == at


def test_jobs_of_other_names_and_users_are_not_ours() -> None:
    queue = (job("1"), job("2", name="tr11"), job("3", user="you"), job("4", user="me"))
    assert [link.job_id for link in chain.links(queue, NAME, "me")] == ["1", "4"]


def test_an_array_is_one_link() -> None:
    queue = (job("7_0", "RUNNING"), job("7_2", "RUNNING"), job("7_1"), job("8_[0-2]"))
    running, waiting = chain.links(queue, NAME)
    assert (running.job_id, running.live, running.waits, running.tasks) == (
        "7",
        True,
        False,
        (0, 2),
    )
    assert (waiting.job_id, waiting.live, waiting.waits, waiting.tasks) == ("8", False, True, ())


def links(*jobs: Job) -> tuple[chain.Link, ...]:
    return chain.links(jobs, NAME)


def test_without_a_successor_one_is_submitted() -> None:
    assert chain.tending(links(job("7", "RUNNING")), "7") == chain.Tending(submit=True)


def test_one_that_waits_is_enough() -> None:
    found = chain.tending(links(job("7", "RUNNING"), job("9")), "7")
    assert (found.submit, found.surplus) == (False, ())
    assert found.successor is not None
    assert found.successor.job_id == "9"


def test_of_several_the_oldest_stays() -> None:
    queue = links(job("99", "RUNNING"), job("101"), job("100"), job("1000"))
    found = chain.tending(queue, "99")
    assert found.successor is not None
    assert (found.successor.job_id, found.surplus) == ("100", ("101", "1000"))


def test_a_job_that_ends_is_neither() -> None:
    found = chain.tending(links(job("7", "RUNNING"), job("6", "COMPLETING")), "7")
    assert (found.submit, found.older) == (True, None)


def test_the_younger_of_two_that_run_gives_way() -> None:
    queue = links(job("9", "RUNNING"), job("10", "RUNNING"), job("11"))
    assert chain.tending(queue, "9").older is None
    older = chain.tending(queue, "10").older
    assert older is not None
    assert older.job_id == "9"


def test_shares_are_by_name_and_of_everybody() -> None:
    runs = [f"run-{n}-abcdef" for n in range(400)]
    shares = [chain.share_of(run, 4) for run in runs]
    assert shares == [chain.share_of(run, 4) for run in runs]
    assert all(60 <= shares.count(index) <= 140 for index in range(4))
    assert {chain.share_of(run, 1) for run in runs} == {0}
