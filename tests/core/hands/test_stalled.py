"""Evidence of a stall, and the job that is cancelled: a proof that is missing is a refusal that says it."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.core.hands.making import (
    MIN,
    ON,
    RUNNING,
    STARTUP,
    WAITING,
    deed,
    desk,
    done,
    of,
    pass_minutes,
    refusal,
    stalled,
    training,
    unknown_answer,
)
from tests.core.judging import Judged
from tests.core.logs.making import iteration
from trainwatch.core.hands.deeds import Desk, Refusal
from trainwatch.core.model.observations import AlertRequest, Job, WatcherReading


def test_a_stall_that_is_proven_is_cancelled_with_its_reasons() -> None:
    found = deed("cancel", desk(stalled()))
    assert (found.jobs, found.start, found.does) == (("7_1",), RUNNING.start, "scancel 7_1")
    assert found.rule == "stall"
    assert len(found.why) == 3
    assert "no iteration for" in found.why[0]
    assert "7_1 alone is RUNNING" in found.why[1]


def test_evidence_is_called_for_as_soon_as_the_stall_is_sure() -> None:
    run = stalled(minutes=20)
    assert deed("evidence", desk(run)).nodes == RUNNING.nodes
    assert "of 30 min" in refusal("cancel", desk(run))


def test_who_is_well_calls_for_nothing() -> None:
    found = of("cancel", desk(training()))
    assert isinstance(found, Refusal)
    assert (found.kind, found.why) == ("idle", ("no stall fires",))


def of_a_sweep() -> Judged:
    """Two jobs of one pattern began at once; the one whose log this is died without a word."""
    run = training((RUNNING, SWEPT))
    return pass_minutes(run, 60, (SWEPT,))


def watched_too_late() -> Judged:
    """It fell silent before the queue was ever asked."""
    run = Judged().read(STARTUP).train(1, 60)
    return pass_minutes(run, 60, (RUNNING,))


SWEPT = replace(RUNNING, job_id="8", array_job_id="8")


def silence(run: Judged, ask: str) -> Judged:
    until = run.at + 3600 if ask == "silence" else None
    return run.see(AlertRequest(at=run.at, ask=ask, rule="stall", until=until))  # type: ignore[arg-type]


def saves(run: Judged) -> Judged:
    """A save began: it has its own budget."""
    run.read("saving checkpoint at iteration      60 to /ckpt")
    return run.wait(MIN).queue(RUNNING, WAITING).wait(MIN).queue(RUNNING, WAITING)


OTHER = replace(RUNNING, job_id="9", array_job_id="9", start=RUNNING.start)
STORIES: dict[str, tuple[Callable[[], Judged], str]] = {
    "no answer now": (lambda: unknown_answer(stalled()), "answer is unknown: Socket timed out"),
    "an answer that is old": (lambda: stalled().wait(4 * MIN), "last answer is 4 min old"),
    "too few answers since it fires": (
        lambda: pass_minutes(unknown_answer(stalled()), 2, (RUNNING,)),
        "2 of 3 answers in a row",
    ),
    "two jobs run": (lambda: stalled().queue(RUNNING, OTHER), "2 jobs of the run have nodes"),
    "it completes": (
        lambda: stalled().queue(RUNNING, replace(OTHER, state="CONFIGURING")),
        "2 jobs of the run",
    ),
    "its id was given anew": (
        lambda: stalled().queue(replace(RUNNING, start=RUNNING.start + 900)),  # type: ignore[operator]
        "newest attempt in the log is of job 7_1, not of 7_1",
    ),
    "the next task runs and has not said a word": (
        lambda: pass_minutes(stalled(), 5, (replace(RUNNING, job_id="7_2", start=1.8e9),)),
        "newest attempt in the log is of job 7_1, not of 7_2",
    ),
    "nobody knows since when it runs": (
        lambda: stalled().queue(replace(RUNNING, start=None)),
        "not RUNNING since a known time",
    ),
    "blind": (
        lambda: (r := stalled()).see(WatcherReading(at=r.at, blind="Permission denied")),
        "blind",
    ),
    "sees again since just now": (
        lambda: (
            (r := stalled()).see(WatcherReading(at=r.at, blind="gone")).see(WatcherReading(at=r.at))
        ),
        "blind",
    ),
    "another job of the pattern lives": (of_a_sweep, "the newest attempt in the log is of job 7_1"),
    "nobody saw it train": (watched_too_late, "not seen to get on while job 7_1 alone had nodes"),
    "a person knows": (lambda: silence(stalled(), "ack"), "a person is at it"),
    "a person wants it quiet": (lambda: silence(stalled(), "silence"), "a person wants it so"),
}


@pytest.mark.parametrize(("story", "why"), STORIES.values(), ids=STORIES)
def test_what_is_not_proven_is_refused(story: Callable[[], Judged], why: str) -> None:
    assert why in refusal("cancel", desk(story()))


def test_a_phase_inside_its_budget_is_left_alone() -> None:
    """A save began after the stall was told: the alert is over, or no longer what its rule says."""
    found = of("cancel", desk(saves(stalled())))
    assert isinstance(found, Refusal)
    assert found.why[0] == "no stall fires" or "alert is old" in " ".join(found.why)


def test_an_alert_that_only_stands_because_nobody_can_say_is_no_proof() -> None:
    run = stalled()
    run.memory.pace.phase = "exit"
    assert "the stall alert is old" in refusal("cancel", desk(run))


@pytest.mark.parametrize("jobs", [(WAITING,), (replace(RUNNING, state="SUSPENDED"),), ()])
def test_a_job_that_does_not_run_is_not_cancelled(jobs: tuple[Job, ...]) -> None:
    assert isinstance(of("cancel", desk(stalled().queue(*jobs))), Refusal)


def test_an_iteration_ends_it() -> None:
    found = of("cancel", desk(stalled().read(iteration(61)).wait(1)))
    assert isinstance(found, Refusal)
    assert found.kind == "idle"


LOOKS: dict[str, tuple[dict[str, object], str]] = {
    "the log is not read to its end": ({"looked_at": None}, "not read to its end lately"),
    "the last look was long ago": ({"looked_at": 1e9}, "not read to its end lately"),
    "the last look is to come": ({"looked_at": 2e9}, "not read to its end lately"),
    "nothing can be kept": ({"unkept": "the disk is full"}, "written down: the disk is full"),
    "another run takes it, too": ({"others": frozenset({"7_1"})}, "also taken for another run's"),
}


@pytest.mark.parametrize(("more", "why"), LOOKS.values(), ids=LOOKS)
def test_who_does_not_see_acts_on_nothing(more: dict[str, object], why: str) -> None:
    for hand in ("evidence", "cancel"):
        assert why in refusal(hand, desk(stalled(), **more))  # type: ignore[arg-type]


# budgets


def test_never_twice_for_one_cause_also_in_another_life() -> None:
    run = stalled()
    found = deed("cancel", desk(run))
    pass_minutes(done(run, found), 120, (RUNNING, WAITING)).reborn()
    assert "done for this cause already: done" in refusal("cancel", desk(run))


@pytest.mark.parametrize("outcome", ["begun", "unknown", "refused", "failed", "done"])
def test_whatever_became_of_it_it_counts(outcome: str) -> None:
    run = stalled()
    done(run, deed("cancel", desk(run)), outcome)
    assert "done for this cause already" in refusal("cancel", desk(run))


def test_a_deed_of_which_nobody_heard_counts_until_the_queue_shows_that_it_was_not_done() -> None:
    run = stalled()
    done(run, deed("cancel", desk(run)), "unknown")
    pass_minutes(run, 5, (RUNNING, WAITING))
    assert "done for this cause already" in refusal("cancel", desk(run))
    pass_minutes(run, 40, (RUNNING, WAITING))
    assert deed("cancel", desk(run)).jobs == ("7_1",)


def test_a_deed_of_which_nobody_heard_is_done_once_the_job_is_gone() -> None:
    run = stalled()
    done(run, deed("cancel", desk(run)), "begun")
    run.wait(MIN).queue(WAITING)
    assert [each.outcome for each in run.memory.deeds.done] == ["done"]


def test_a_gap_and_a_day() -> None:
    run = stalled()
    found = deed("cancel", desk(run))
    done(run, replace(found, cause="another"))
    assert "least_gap_min" in refusal("cancel", desk(run))
    pass_minutes(run, 31, (RUNNING, WAITING))
    done(run, replace(found, cause="a third"))
    pass_minutes(run, 31, (RUNNING, WAITING))
    assert "most_per_day: 2 of 2" in refusal("cancel", desk(run))


def test_a_clock_that_is_set_back_does_not_make_a_deed_a_new_one_nor_a_day_a_year() -> None:
    run = stalled()
    done(run, deed("cancel", desk(run)))
    run.at -= 7 * 86_400.0
    pass_minutes(run, 90, (RUNNING, WAITING))
    assert "done for this cause already" in refusal("cancel", desk(run))
    assert all(each.at <= run.at for each in run.memory.deeds.done)


def test_a_clock_that_leaps_is_no_silence_until_answers_confirm_it() -> None:
    run = training().wait(MIN)
    run.wait(5 * 3600.0)
    assert run.fires("stall")
    run.queue(RUNNING, WAITING)
    assert "1 of 3 answers" in refusal("cancel", desk(run))


def test_deeds_that_are_called_off_crowd_out_none_that_were_done() -> None:
    run = stalled()
    found = deed("cancel", desk(run))
    done(run, found)
    for _ in range(300):
        run.wait(1)
        done(run, replace(found, cause="x"), "not-done")
    assert "done for this cause already" in refusal("cancel", desk(run))


# nodes


def named(nodes: tuple[str, ...], line: str) -> Desk:
    job = replace(RUNNING, nodes=nodes)
    run = training((job,)).read(line)
    return desk(pass_minutes(run, 60, (job,)))


@pytest.mark.parametrize(
    ("nodes", "line", "exclude"),
    [
        (RUNNING.nodes, "NCCL watchdog: no heartbeat of r1i0n3 since 300 s", "r1i0n3"),
        (RUNNING.nodes, "no heartbeat of r1i0n3.cluster.example", "r1i0n3"),
        (RUNNING.nodes, "no heartbeat of r9i9n9", ""),  # not one of its own
        (RUNNING.nodes, " ".join(RUNNING.nodes), ""),  # all of them
        (RUNNING.nodes, "ranks of r1i0n1 r1i0n2 r1i0n3 wait", ""),  # too many
        (("n1",), "no heartbeat of n1", ""),  # nothing would be left
    ],
)
def test_the_next_job_is_proposed_without_the_nodes_that_are_named(
    nodes: tuple[str, ...], line: str, exclude: str
) -> None:
    found = deed("cancel", named(nodes, line))
    assert found.exclude == exclude
    assert found.then == (f"sbatch --exclude={exclude}" if exclude else "")


def test_what_is_off_says_how_it_is_turned_on() -> None:
    made = desk(stalled(), replace(ON, cancel_stalled_after_min=None))
    found = of("cancel", made)
    assert isinstance(found, Refusal)
    assert (found.kind, found.why) == (
        "off",
        ("set cancel_stalled_after_min = 60 in [runs.hands]",),
    )


def test_the_alert_names_the_folder_and_what_was_done_and_is_told_again() -> None:
    run = stalled()
    done(run, deed("evidence", desk(run)), folder="/state/evidence/1")
    done(run, deed("cancel", desk(run)), exclude="r1i0n3")
    told = [change for change in run.changes if change.rule == "stall"]
    assert [change.change for change in told] == ["firing", "repeated"]
    (alarm,) = (a for a in run.memory.book.alarms if a.finding.rule == "stall")
    assert "collected evidence in /state/evidence/1" in alarm.finding.advice
    assert "cancelled job 7_1; for the next: --exclude=r1i0n3" in alarm.finding.advice
    assert alarm.finding.labels["evidence"] == "/state/evidence/1"


def test_two_jobs_at_once_are_one_too_many_also_for_evidence() -> None:
    run = stalled().queue(RUNNING, Job(job_id="8", name="run", state="RUNNING", start=1e9))
    assert "2 jobs of the run" in refusal("evidence", desk(run))
