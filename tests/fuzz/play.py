"""Steps against a subject until the time is over, and what is kept of a failure."""

import asyncio
import time
import traceback
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from tests.fuzz import memory
from tests.fuzz.inside import Inside
from tests.fuzz.steps import Step, steps
from tests.fuzz.subject import Failed, Subject
from tests.fuzz.worlds import ManyRuns, OneRun

_KEPT = 2000  # steps before a failure
_RECOVER = 500  # steps
_SAMPLE_S = 5.0
_TOLD_S = 300.0
_FLAT_MB = 5.0  # in ten minutes
_LONG_S = 600.0  # shorter runs say nothing about memory


class Plan(NamedTuple):
    """What is to be fuzzed, for how long (s), from which seed and session on, and where failures are kept."""

    what: str
    for_s: float
    seed: int
    session: int = 0
    pause_s: float = 0.0
    failures: Path = Path()


class Failure(msgspec.Struct):
    """What is kept of one. `number` steps were taken in the session; `steps` are the last."""

    what: str
    seed: int
    session: int
    number: int
    why: str
    steps: list[Step]


class Course:
    """How it went so far."""

    def __init__(self) -> None:
        self.session = self.number = self.steps = 0
        self.longest_s = 0.0
        self.taken: deque[Step] = deque(maxlen=_KEPT)
        self.samples: list[tuple[float, int]] = []

    def __str__(self) -> str:
        return (
            f"{self.steps:,} steps, {self.session + 1} session(s), longest step {self.longest_s:.2f} s; "
            f"{memory.trend(self.samples)}"
        )


def subject_of(what: str) -> Subject:
    """By its name."""
    if what == "terminal":
        from tests.fuzz.terminal import InTerminal

        return InTerminal()
    return Inside(OneRun if what == "run" else ManyRuns)


async def play(plan: Plan) -> int:
    """1 for a failure, 2 where memory grows."""
    subject, course = subject_of(plan.what), Course()
    course.session = plan.session
    try:
        await _sessions(plan, subject, course)
    except Failed:
        print(f"{plan.what}: FAILED; {_keep(plan, course)}\n{traceback.format_exc()}", flush=True)
        return 1
    finally:
        with suppress(Failed):
            await subject.end()
    flat = memory.trend(course.samples).slope_mb
    grows = plan.for_s >= _LONG_S and flat is not None and flat > _FLAT_MB
    print(f"{plan.what}: {'MEMORY GROWS' if grows else 'alive'} after {course}", flush=True)
    return 2 if grows else 0


async def replay(file: Path) -> int:
    """The steps of a failure, in a new session."""
    failure = msgspec.json.decode(file.read_bytes(), type=Failure)
    subject = subject_of(failure.what)
    await subject.begin()
    for step in [*failure.steps, Step("rest")]:
        if not subject.left:
            await subject.do(step)
    await subject.recover()
    await subject.end()
    print("it did not fail again")
    return 0


async def _sessions(plan: Plan, subject: Subject, course: Course) -> None:
    """One after another: a key may leave, which is no failure."""
    ends = time.monotonic() + plan.for_s
    tells = time.monotonic() + _TOLD_S
    while True:
        await subject.begin()
        course.taken.clear()
        script = steps(f"{plan.seed} {plan.what} {course.session}")
        for course.number, step in enumerate(script, 1):
            await _step(subject, step, course, plan.pause_s)
            now = time.monotonic()
            if now > tells:
                tells += _TOLD_S
                print(f"{plan.what}: {course}", flush=True)
            if subject.left or now > ends:
                break
        if time.monotonic() > ends:
            return await _last(subject, course)
        await subject.end()
        course.session += 1


async def _step(subject: Subject, step: Step, course: Course, pause_s: float) -> None:
    began = time.monotonic()
    course.steps += 1
    course.taken.append(step)
    await subject.do(step)
    if course.number % _RECOVER == 0 and not subject.left:
        await subject.recover()
    if not course.samples or began >= course.samples[-1][0] + _SAMPLE_S:
        course.samples.append((began, subject.rss_bytes()))
    course.longest_s = max(course.longest_s, time.monotonic() - began)
    await asyncio.sleep(pause_s)


async def _last(subject: Subject, course: Course) -> None:
    if not subject.left:
        await subject.recover()
        course.samples.append((time.monotonic(), subject.rss_bytes()))
    await subject.end()


def _keep(plan: Plan, course: Course) -> str:
    """Write it down; how to have it again."""
    why = traceback.format_exc()
    taken = list(course.taken)
    failure = Failure(plan.what, plan.seed, course.session, course.number, why, taken)
    path = plan.failures / f"fuzz-{plan.what}-{plan.seed}-{course.session}.json"
    path.write_bytes(msgspec.json.encode(failure))
    again = f"--what {plan.what} --seed {plan.seed} --session {course.session}"
    return f"step {course.number}; again: {again}, or --replay {path}"
