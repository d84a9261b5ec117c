"""Predicted starts, answer by answer."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.model.observations import Job
from trainwatch.core.model.predictions import Prediction
from trainwatch.core.predictions import MOST, is_missing, moved, predicted

T0, H = 1_790_000_000.0, 3600.0


def waits(job_id: str, start: float | None = None, reason: str = "Priority") -> Job:
    return Job(job_id=job_id, name="run", state="PENDING", reason=reason, start=start)


def answers(*said: tuple[Job, ...], apart_s: float = H) -> tuple[Prediction, ...]:
    found: tuple[Prediction, ...] = ()
    for number, jobs in enumerate(said):
        found = predicted(found, jobs, T0 + number * apart_s)
    return found


def test_the_first_and_the_last_are_kept_with_their_times() -> None:
    (found,) = answers(
        (waits("7", T0 + 5 * H),), (waits("7", T0 + 7 * H),), (waits("7", T0 + 7 * H),)
    )
    assert found == Prediction(
        job_id="7", first=T0 + 5 * H, first_at=T0, start=T0 + 7 * H, at=T0 + H
    )
    assert moved(found, T0 + 24 * H) == "2 h later than said 1 d ago"


def test_a_prediction_that_is_not_given_any_more_is_remembered() -> None:
    (found,) = answers((waits("7", T0 + H),), (waits("7"),))
    assert (found.start, found.at) == (T0 + H, T0)
    assert answers((waits("7"),)) == ()


def test_sooner_and_hardly() -> None:
    assert moved(answers((waits("7", T0 + 9 * H),), (waits("7", T0 + H),))[0], T0 + H) == (
        "8 h sooner than said 1 h ago"
    )
    assert moved(answers((waits("7", T0),), (waits("7", T0 + 500),))[0], T0 + H) == ""
    assert moved(None, T0) == ""


def test_the_next_task_of_an_array_begins_anew() -> None:
    running = Job(job_id="7_1", name="run", state="RUNNING", start=T0)
    (found,) = answers(
        (waits("7_[1-9%1]", T0 + H),), (running, waits("7_[2-9%1]", T0 + 20 * H, "Resources"))
    )
    assert (found.job_id, found.first) == ("7_[2-9%1]", T0 + 20 * H)


def test_an_array_is_one_however_its_rows_are_split() -> None:
    (found,) = answers(
        (waits("7_[1-9]", T0 + 4 * H),), (waits("7_1", T0 + H), waits("7_[1-9]", T0 + 6 * H))
    )
    assert (found.job_id, found.start) == ("7_[1-9]", T0 + 6 * H)


def test_what_runs_or_is_gone_is_forgotten() -> None:
    running = Job(job_id="7", name="run", state="RUNNING", start=T0)
    assert answers((waits("7", T0 + H),), (running,)) == ()
    assert answers((waits("7", T0 + H),), ()) == ()


@pytest.mark.parametrize(
    ("reason", "start", "missing"),
    [
        ("Priority", None, True),
        ("Resources", None, True),
        ("ReqNodeNotAvail, UnavailableNodes:n1", None, True),
        ("Priority", T0, False),
        ("JobHeldUser", None, False),
        ("Dependency", None, False),
        ("", None, False),
    ],
)
def test_what_ought_to_have_a_prediction(reason: str, start: float | None, missing: bool) -> None:
    assert is_missing(waits("7", start, reason)) is missing


_jobs = st.builds(
    waits,
    st.sampled_from(["7", "7_1", "7_[2-9%1]", "8", "", "_"]),
    st.none() | st.floats() | st.just(T0),
)


@given(said=st.lists(st.lists(_jobs, max_size=5), max_size=5))
def test_any_answers(said: list[list[Job]]) -> None:
    found = answers(*(tuple(jobs) for jobs in said))
    assert len({each.job_id for each in found}) == len(found)
    assert all(math.isfinite(each.start) and isinstance(moved(each, T0), str) for each in found)


def test_ten_thousand_jobs_are_bounded() -> None:
    found = answers(tuple(waits(str(n), T0 + n) for n in range(10_000)))
    assert len(found) == MOST
    assert found[0].start == T0
