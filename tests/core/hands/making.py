"""A run that calls for a hand: one that stalls, dies again and again, or is left without a job."""

from collections.abc import Sequence

from msgspec.structs import replace

from tests.core.judging import T0, Judged
from trainwatch.core.hands.deeds import Deed, Desk, Refusal
from trainwatch.core.hands.plan import plan
from trainwatch.core.hands.settings import HandSettings
from trainwatch.core.model.observations import (
    AccountingReading,
    AttemptEnd,
    DeedReading,
    Hand,
    Job,
    QueueReading,
)
from trainwatch.core.ours import Ours

MIN = 60.0
ON = HandSettings(
    apply=True,
    evidence=True,
    cancel_stalled_after_min=30,
    hold_crash_loop=True,
    resubmit="/home/ada/train.slurm",
)
STARTUP = "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4"
FATAL = "r1i0n1: RuntimeError: CUDA error: an illegal memory access was encountered"
RUNNING = Job(
    job_id="7_1",
    array_job_id="7",
    name="run",
    state="RUNNING",
    nodes=tuple(f"r1i0n{n}" for n in range(8)),
    start=T0 - 60,
)
WAITING = Job(
    job_id="7_[2-10%1]",
    array_job_id="7",
    name="run",
    state="PENDING",
    reason="JobArrayTaskLimit",
)


def pass_minutes(run: Judged, minutes: int, jobs: Sequence[Job]) -> Judged:
    """So long nothing is written, and the scheduler answers each minute."""
    for _ in range(minutes):
        run.wait(MIN).queue(*jobs)
    return run


def training(jobs: Sequence[Job] = (RUNNING, WAITING), last: int = 60) -> Judged:
    """A job that trains."""
    run = Judged().queue(*jobs).read(STARTUP).train(1, last)
    return run.queue(*jobs)


def stalled(minutes: int = 60, jobs: Sequence[Job] = (RUNNING, WAITING)) -> Judged:
    """One that was silent for so long while the queue said RUNNING."""
    return pass_minutes(training(jobs), minutes, jobs)


def ended(state: str = "TIMEOUT", minutes: int = 30) -> Judged:
    """One whose last job ended like this, with nothing behind it."""
    run = training((RUNNING,)).wait(MIN).queue()
    end = AttemptEnd(
        job_id="7_1",
        state=state,
        start=RUNNING.start,
        end=run.at,
        nodes=RUNNING.nodes,
        array_job_id="7",
    )
    run.see(AccountingReading(at=run.at, state="ok", ended=(end,)))
    return pass_minutes(run, minutes, ())


def looping(jobs: Sequence[Job] = (WAITING,)) -> Judged:
    """Three tasks of an array, each dead where the first was."""
    run = training(last=20)
    for task in range(2, 5):
        run.read(FATAL).wait(30)
        at = replace(RUNNING, job_id=f"7_{task}", start=run.at)
        run.queue(at, WAITING).read(STARTUP).wait(30)
    run.read(FATAL)
    return pass_minutes(run, 5, jobs)


def desk(run: Judged, settings: HandSettings = ON, **more: object) -> Desk:
    """All is seen, and can be kept."""
    made = Desk(
        run.judge.sight(run.state, run.at), settings, Ours(job_name="run"), MIN, looked_at=run.at
    )
    return made._replace(**more)  # type: ignore[arg-type]


def of(hand: Hand, made: Desk) -> Deed | Refusal:
    """What one hand would do."""
    (found,) = (each for each in plan(made) if each.hand == hand)
    return found


def deed(hand: Hand, made: Desk) -> Deed:
    """It would do something."""
    found = of(hand, made)
    assert isinstance(found, Deed), found
    return found


def refusal(hand: Hand, made: Desk) -> str:
    """It refuses: why."""
    found = of(hand, made)
    assert isinstance(found, Refusal), found
    assert found.kind == "refused", found
    return "; ".join(found.why)


def done(run: Judged, what: Deed, outcome: str = "done", **more: object) -> Judged:
    """A deed is in the ledger."""
    reading = DeedReading(
        at=run.at,
        hand=what.hand,
        cause=what.cause,
        outcome=outcome,  # type: ignore[arg-type]
        rule=what.rule,
        jobs=what.jobs,
        start=what.start,
        iteration=what.iteration,
        exclude=what.exclude,
        token=f"{what.hand} {run.at:.0f}",
    )
    return run.see(replace(reading, **more))


def unknown_answer(run: Judged) -> Judged:
    """The scheduler does not answer."""
    return run.see(QueueReading(at=run.at, state="unknown", why="Socket timed out"))
