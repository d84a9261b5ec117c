"""Reservations for maintenance: whose they are, what they keep waiting, and what stays silent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.core.judging import T0, Judged, pending, running
from trainwatch.core import maintenance
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import Job, QueueReading, Reservation

H = 3600.0
NAMED = "ReqNodeNotAvail, Reserved for maintenance"
SOON = Reservation(name="m", start=T0 + 3 * H, end=T0 + 11 * H, nodes="n[1-4]", flags=("MAINT",))
NOW = replace(SOON, start=T0 - H)
OURS = ("n1", "n2", "n3")


def reading(*jobs: Job, known: tuple[Reservation, ...] | None = (SOON,)) -> QueueReading:
    return QueueReading(at=T0, state="ok", jobs=jobs, maintenance=known)


def waits(reason: str = "Priority", limit_s: float | None = 20 * H) -> Job:
    return replace(pending("8", reason), time_limit_s=limit_s)


@pytest.mark.parametrize(
    ("said", "nodes", "found"),
    [
        (reading(running("7", nodes=OURS)), "", (SOON,)),
        (reading(running("7", nodes=("x1",))), "", ()),
        (reading(waits()), "", (SOON,)),  # nobody knows where it runs
        (reading(waits()), "x[1-2]", ()),
        (reading(waits()), "n[3-9]", (SOON,)),
        (reading(waits(NAMED)), "x[1-2]", (SOON,)),
        (reading(waits(), known=None), "", ()),
        (reading(waits(), known=(replace(SOON, end=T0 - 1),)), "", ()),
        (reading(waits(), known=(SOON, NOW)), "", (NOW, SOON)),
        (None, "", ()),
    ],
)
def test_which_concern_a_run(
    said: QueueReading | None, nodes: str, found: tuple[Reservation, ...]
) -> None:
    past = (Allocation(job_id="6", start=T0 - 9 * H, nodes=nodes),) if nodes else ()
    assert maintenance.of_run(said, past, T0) == found


@pytest.mark.parametrize(
    ("job", "known", "usual", "explained"),
    [
        (waits(NAMED), None, (), True),  # whoever may not see reservations sees the reason
        (waits(), (NOW,), OURS, True),
        (waits(), (SOON,), OURS, False),
        (waits("ReqNodeNotAvail"), (SOON,), OURS, True),
        (waits("ReqNodeNotAvail", 2 * H), (SOON,), OURS, False),
        (waits("ReqNodeNotAvail", None), (SOON,), OURS, False),
        (waits(), (NOW,), (*OURS, *(f"x{n}" for n in range(9))), False),
        (waits(), (NOW,), (), False),
        (waits(), (replace(NOW, end=T0),), OURS, False),
        (waits(), (replace(NOW, end=None),), OURS, False),
        (waits(), (replace(NOW, nodes="n[1-"),), OURS, False),
    ],
)
def test_what_explains_a_wait(
    job: Job, known: tuple[Reservation, ...] | None, usual: tuple[str, ...], explained: bool
) -> None:
    assert maintenance.explains(job, known, usual, T0) is explained


def test_until_when_a_job_is_kept_waiting() -> None:
    later = replace(SOON, start=T0 + 90 * H, end=T0 + 99 * H)
    assert maintenance.keeps_waiting(waits(NAMED), (later, SOON), T0) == SOON
    assert maintenance.keeps_waiting(waits(NAMED, None), (later, NOW), T0) == NOW
    assert maintenance.keeps_waiting(waits(NAMED), (later,), T0) == later
    assert maintenance.keeps_waiting(waits(NAMED), (), T0) is None
    assert maintenance.keeps_waiting(waits(), (NOW,), T0) is None


# the rules


def _summary(run: Judged, rule: str) -> str:
    return next((a.finding.summary for a in run.memory.book.alarms if a.finding.rule == rule), "")


@pytest.mark.parametrize("known", [None, (), (replace(SOON, end=T0 + 99 * H),)])
def test_a_wait_that_a_maintenance_explains_is_not_cried_over(
    known: tuple[Reservation, ...] | None,
) -> None:
    run = Judged()
    for _ in range(48):
        run.see(replace(reading(waits(NAMED), known=known), at=run.at)).wait(H)
    assert run.told("pending-long") == []
    for _ in range(22):  # the maintenance is over, and it waits on
        run.queue(waits()).wait(H)
    assert run.told("pending-long") == []
    run.queue(waits()).wait(3 * H)
    assert "waited in the queue for 3 d" in _summary(run, "pending-long")


def test_the_end_of_a_chain_says_what_comes_after_it() -> None:
    run = Judged()
    job = running("7_1", start=T0, nodes=OURS, time_limit_s=20 * H)
    for _ in range(6):
        run.see(replace(reading(job), at=run.at)).wait(300)
    assert _summary(run, "no-successor").endswith(
        "it ends in 19 h 30 min at the latest; a maintenance of its nodes begins in 2 h 30 min "
        "and lasts 8 h"
    )
    elsewhere = replace(job, nodes=("x1",))
    run.see(replace(reading(elsewhere), at=run.at)).wait(60)
    assert _summary(run, "no-successor").endswith("at the latest")


def test_a_margin_that_is_too_small_says_what_comes_before() -> None:
    run = Judged().read("  exit_duration_in_mins ........................... 1199")
    job = running("7_1", start=T0, nodes=OURS, time_limit_s=20 * H)
    run.train(1, 40, step_s=100.0)
    run.see(replace(reading(job), at=run.at)).wait(60)
    assert "; a maintenance of its nodes begins in" in _summary(run, "time-limit-margin")


_times = st.none() | st.floats()
_reservations = st.builds(
    Reservation,
    name=st.text(max_size=3),
    start=_times,
    end=_times,
    nodes=st.sampled_from(["", "n1", "n[1-9]", "n[1-", "\0", "(null)"]),
)


@given(known=st.lists(_reservations, max_size=4), start=_times, limit_s=_times, now=st.floats())
def test_any_reservations(
    known: list[Reservation], start: float | None, limit_s: float | None, now: float
) -> None:
    job = running("7", start=start, nodes=OURS, time_limit_s=limit_s)
    said = reading(job, waits(NAMED, limit_s), known=tuple(known))
    assert set(maintenance.of_run(said, (), now)) <= set(known)
    one = maintenance.before_end(job, known, now)
    assert one is None or maintenance.announced(one, now)
    maintenance.explains(waits("ReqNodeNotAvail", limit_s), known, OURS, now)
    maintenance.keeps_waiting(waits(NAMED, limit_s), known, now)
