"""Runs as the screen is handed them, all by hand: the same on every machine and at every time."""

import math
from array import array
from collections.abc import Callable

from msgspec.structs import replace

from trainwatch.core.model.alerts import Alarm, Book, Finding, Muted
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import (
    EMPTY,
    History,
    Line,
    Marks,
    Page,
    Reading,
    Search,
    Snapshot,
    Wanted,
)
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import AttemptStatus, CheckpointStatus, Status
from trainwatch.core.warned import with_alerts

NOW = 1_773_277_380.0  # Thursday 12 March 2026, 01:03 UTC
STEP_S = 105.0
FIRST, LAST, TARGET = 1, 2400, 3000

# Every way in which a line has broken a screen, or might.
HOSTILE = (
    "[default7]: iter [/bold] x [0]",
    "[@click=app.quit]leave[/] [link=file:///etc/passwd]x[/link] [red on",
    "\x1b[2J\x1b[1;31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31m C1 \x85 next line \x00NUL\x00 \x07bell \x08\x08back \x7f",
    "right to left: \u202e\u2066 שלום \u200f مرحبا \u202c",
    "wide: 損失は発散した 🔥🔥🔥 e\u0301 a\u0300\u0301\u0302\u0303 \u200b\u200d\ufeff",
    "surrogate \udce9\udcff, private \ue000, not a character \uffff",
    "tabs\tand\ttabs\t and \r carriage returns",
    "x" * 100_000,
    "🔥" * 20_000,
    "\\[escaped\\] $success {braces} %s %(x)s",
    "",
)

COLUMN_NAMES = (
    "iteration",
    "attempt",
    "at_s",
    "step_time_s",
    "loss",
    "grad_norm",
    "learning_rate",
    "global_batch_size",
    "loss_scale",
    "flags",
)


def columns(first: int = FIRST, last: int = LAST) -> dict[str, "array[float]"]:
    """History of a run that went back from 900 to 801 once, and lost its loss at 1500."""
    iterations = (
        [*range(first, 901), *range(801, last + 1)] if first < 801 else [*range(first, last + 1)]
    )
    table = {name: array("d") for name in COLUMN_NAMES}
    for row, n in enumerate(iterations):
        wave = math.sin(n * 12.9898) * 43758.5453 % 1 - 0.5  # noise, the same everywhere
        values = {
            "iteration": n,
            "attempt": 0.0 if row < 900 else 1.0,
            "at_s": NOW - (len(iterations) - row) * STEP_S,
            "step_time_s": STEP_S * (1 + 0.02 * wave) * (1.06 if 1900 < n < 2000 else 1),
            "loss": math.nan if n == 1500 else 1.9 + 9 * math.exp(-n / 60) + 0.1 * wave,
            "grad_norm": 0.2 + abs(wave) * 0.1 + (5 if n in (700, 1499) else 0),
            "learning_rate": 6e-5 * min(1, n / 100) * (1 - n / 4000),
            "global_batch_size": 2048.0,
            "loss_scale": 2.0 ** (12 + n // 1000),
            "flags": 1.0 if n == 1500 else 0.0,
        }
        for name, value in values.items():
            table[name].append(value)
    return table


def history(table: dict[str, "array[float]"]) -> History:
    """All of a table."""
    return History(rows=len(table["iteration"]), names=tuple(table), columns=dict(table))


def event(kind: str, n: int, text: str = "", attempt: int = 1, **values: float) -> Event:
    """Something that happened at an iteration."""
    at = NOW - (LAST - n) * STEP_S
    return Event(
        at=at, kind=kind, attempt=attempt, iteration=n, offset=n * 10, text=text, values=values
    )


EVENTS = (
    event("attempt-began", 1, "megatron arguments", attempt=0),
    event("saved", 400, "checkpoints/tr11", attempt=0),
    event("saved", 800, "checkpoints/tr11", attempt=0),
    event("fault", 900, "cuda: RuntimeError: CUDA error: an illegal memory access", attempt=0),
    event("attempt-began", 801, "megatron arguments"),
    event("loaded", 800, "checkpoints/tr11"),
    event("validation", 1000, loss=1.95, ppl=7.03),
    event("saved", 1200, "checkpoints/tr11"),
    event("save-started", 1600, "checkpoints/tr11"),
    event("saved", 1600, "checkpoints/tr11"),
    event("validation", 2000, loss=1.93, ppl=6.89),
    event("saved", 2000, "checkpoints/tr11"),
)
MARKS = Marks(
    saved=array("d", (400, 800, 1200, 1600, 2000)),
    saved_offset=array("d", (4000, 8000, 12000, 16000, 20000)),
    validated=array("d", (1000, 2000)),
    validation_loss=array("d", (1.95, 1.93)),
    attempt_offset={0: 0, 1: 8010},
)
ATTEMPTS = (
    AttemptStatus(
        index=0,
        began_at=NOW - 2500 * STEP_S,
        first_iteration=1,
        last_iteration=900,
        records=900,
        gpus=384,
        job_id="1809577",
        end="crashed",
        cause="cuda: RuntimeError: CUDA error: an illegal memory access was encountered",
    ),
    AttemptStatus(
        index=1,
        began_at=NOW - 1600 * STEP_S,
        first_iteration=801,
        last_iteration=2400,
        records=1600,
        retrained=100,
        gpus=384,
    ),
)
STATUS = Status(
    run="tr11-176B-ml",
    health="ok",
    reason="training",
    phase="train",
    phase_since=NOW - 400 * STEP_S,
    framework="megatron-deepspeed",
    log="/gpfs/tr11/main_log.txt",
    log_bytes=24_100,
    iteration=LAST,
    target_iteration=TARGET,
    progress=LAST / TARGET,
    progress_unit="samples",
    eta_s=(TARGET - LAST) * STEP_S,
    step_time_s=STEP_S,
    usual_step_time_s=104.1,
    tflops=149.02,
    tflops_exact=True,
    mfu=0.4776,
    samples_per_s=19.5,
    tokens_per_s=39_946.0,
    loss=1.912,
    grad_norm=0.231,
    learning_rate=2.4e-5,
    global_batch_size=2048,
    consumed_samples=LAST * 2048.0,
    consumed_tokens=LAST * 2048.0 * 2048,
    last_progress_at=NOW - 42,
    parameters=176.2e9,
    gpus=384,
    gpu_type="A100",
    peak_tflops=312,
    nodes=48,
    tensor_parallel=4,
    pipeline_parallel=12,
    data_parallel=8,
    micro_batch_size=2,
    seq_length=2048,
    precision="bfloat16",
    save_interval=400,
    attempts=ATTEMPTS,
    checkpoint=CheckpointStatus(
        iteration=2000, at=NOW - 400 * STEP_S, duration_s=43.2, path="checkpoints/tr11"
    ),
    iterations_at_risk=400,
    hours_at_risk=400 * STEP_S / 3600,
    gpu_hours_at_risk=400 * STEP_S / 3600 * 384,
    validation_loss=1.93,
    validation_iteration=2000,
    sources={"framework": "derived", "gpus": "log", "parameters": "derived", "tflops": "derived"},
    heartbeat_at=NOW - 5,
)


def log_text(first: int = FIRST, last: int = LAST) -> list[str]:
    """A log, ten bytes or more a line."""
    return [
        f"[default7]: iteration {n:8d}/{TARGET:8d} | consumed samples: {n * 2048:12d} | elapsed time "
        f"per iteration (s): {STEP_S:.2f} | learning rate: 2.400E-05 | lm loss: 1.912000E+00 |"
        for n in range(first, last + 1)
    ]


HEALTHY = Snapshot(
    taken_at=NOW,
    status=STATUS,
    events=EVENTS,
    marks=MARKS,
    history=history(columns()),
    watching="here",
)


class FixedSource:
    """A source that always says the same, of a log that is a list of lines."""

    def __init__(self, snapshot: Snapshot = HEALTHY, lines: list[str] | None = None) -> None:
        self.snapshot = snapshot
        self.lines = log_text() if lines is None else lines
        self.asked: list[Wanted] = []
        self.requests: list[AlertRequest] = []
        self.refuse: Exception | None = None
        self.offsets = [0]
        for line in self.lines:
            self.offsets.append(self.offsets[-1] + len(line.encode("utf-8", "replace")) + 1)

    def read(self, wanted: Wanted) -> Snapshot:
        self.asked.append(wanted)
        table = self.snapshot.history.columns
        nothing = array("d", (math.nan,)) * self.snapshot.history.rows
        chosen = {name: table.get(name, nothing) for name in wanted.columns}
        seen = replace(self.snapshot.history, columns=chosen)
        page = self.snapshot.page if self.snapshot.page.trouble else self.page(wanted)
        return replace(self.snapshot, history=seen, page=page)

    def ask(self, request: AlertRequest) -> None:
        if self.refuse is not None:
            raise self.refuse
        self.requests.append(request)

    def page(self, wanted: Wanted) -> Page:
        stop = len(self.lines)
        if wanted.place is not None:
            at = next((n for n in range(stop) if self.offsets[n + 1] > wanted.place), stop)
            stop = min(stop, at + wanted.lines - wanted.lines // 2)
        start = max(0, stop - wanted.lines)
        lines = tuple(Line(self.offsets[n], self.lines[n]) for n in range(start, stop))
        return Page(lines=lines, end=self.offsets[stop], size=self.offsets[-1])

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        import re

        try:
            pattern = re.compile(wanted.text)
        except (re.error, OverflowError):
            pattern = re.compile(re.escape(wanted.text))
        hits = [n for n, line in enumerate(self.lines) if pattern.search(line)]
        if wanted.backwards:
            above = [self.offsets[n] for n in hits if self.offsets[n] < wanted.place]
            return above[-1] if above else None
        return next((self.offsets[n] for n in hits if self.offsets[n] >= wanted.place), None)


def critical() -> Snapshot:
    """The loss is NaN, and the run is slow."""
    table = columns()
    for n in range(2, 60):
        table["loss"][-n], table["flags"][-n] = math.nan, 1.0
    table["loss"][-1] = math.inf
    status = replace(
        STATUS,
        health="critical",
        reason="the loss is NaN at iteration 2400",
        loss=None,
        loss_is_nan=True,
        step_time_s=118.0,
        iterations_at_risk=700,
        warnings=("the model in the log has 58.3 B parameters, the configuration says 104 B",),
    )
    return replace(HEALTHY, status=status, history=history(table))


def ended() -> Snapshot:
    """The last attempt crashed."""
    last = replace(
        ATTEMPTS[1], end="out-of-memory", cause="out-of-memory: killed by Slurm: oom-kill"
    )
    reason = "attempt 2 ended: out-of-memory on r7i6n0: killed by Slurm: oom-kill"
    status = replace(
        STATUS,
        health="critical",
        reason=reason,
        phase="exit",
        attempts=(ATTEMPTS[0], last),
        eta_s=None,
    )
    return replace(HEALTHY, status=status)


STALL = Alarm(
    finding=Finding(
        rule="stall",
        summary="no iteration for 43 min while evaluating; 25 min would be usual",
        since=NOW - 43 * 60,
        iteration=LAST,
        evidence=(
            "[default7]: iteration     2400/    3000 | lm loss: 1.912000E+00 |",
            "[default7]: evaluating ...",
        ),
        cost="275 GPU-hours",
        advice="Look at the ranks (py-spy dump); if it hangs, cancel the job.",
    ),
    severity="critical",
    noticed_at=NOW - 18 * 60,
    fired_at=NOW - 17 * 60,
    told_at=NOW - 17 * 60,
    told="critical",
)
SLOW = Alarm(
    finding=Finding(
        rule="slow-node",
        key="r7i6n0",
        summary="105 s/it against 94 s/it usually: 11 % slower",
        since=NOW - 5 * 3600,
        iteration=2200,
    ),
    severity="warning",
    noticed_at=NOW - 5 * 3600,
    fired_at=NOW - 4 * 3600,
    told_at=NOW - 4 * 3600,
    told="warning",
)
LATE = Alarm(
    finding=Finding(rule="checkpoint-overdue", summary="no save since iteration 2000"),
    severity="warning",
    noticed_at=NOW - 120,
)
BOOK = Book(
    alarms=(LATE, SLOW, STALL),
    muted=(
        Muted(kind="acknowledged", at=NOW - 3600, rule="slow-node", key="r7i6n0", by="jo"),
        Muted(
            kind="silenced",
            at=NOW - 600,
            rule="log-flood",
            until=NOW + 3600,
            by="jo",
            why="debugging",
        ),
    ),
)
CHANGES = (
    event(
        "alert-firing", 700, "warning grad-norm-surge: the gradient norm rose to 5.2, usually 0.2"
    ),
    event(
        "alert-resolved", 760, "warning grad-norm-surge: the gradient norm rose to 5.2, usually 0.2"
    ),
    event("alert-firing", 2200, "warning slow-node r7i6n0: 105 s/it against 94 s/it usually"),
    event("alert-firing", 2400, "critical stall: no iteration for 43 min while evaluating"),
)


def alarming(book: Book | None = BOOK) -> Snapshot:
    """A hang in the evaluation, and a slow node that somebody knows of."""
    status = STATUS if book is None else with_alerts(STATUS, book, NOW)
    marks = replace(MARKS, critical=array("d", (2400,)), warning=array("d", (700, 2200)))
    return replace(HEALTHY, status=status, alerts=CHANGES, events=EVENTS + CHANGES, marks=marks)


def complete() -> Snapshot:
    """It reached its target."""
    last = replace(ATTEMPTS[1], end="completed", last_iteration=TARGET)
    status = replace(
        STATUS,
        reason="training is complete",
        phase="exit",
        iteration=TARGET,
        progress=1.0,
        eta_s=0.0,
        attempts=(ATTEMPTS[0], last),
        iterations_at_risk=0,
        hours_at_risk=0.0,
        gpu_hours_at_risk=0.0,
    )
    return replace(HEALTHY, status=status)


def blind() -> Snapshot:
    """A log without a format."""
    status = Status(
        run="main_log",
        health="unknown",
        reason="blind: the log holds no format trainwatch knows",
        log="/gpfs/x/main_log.txt",
        log_bytes=100,
    )
    return Snapshot(taken_at=NOW, status=status, watching="here")


def missing() -> Snapshot:
    """No log yet."""
    page = Page(trouble="/gpfs/x/main_log.txt does not exist")
    status = Status(run="tr11", health="unknown", reason="/gpfs/x/main_log.txt does not exist")
    return Snapshot(taken_at=NOW, status=status, watching="here", page=page)


def reading() -> Snapshot:
    """A log of 10 GB is read for the first time."""
    status = replace(
        STATUS, health="unknown", reason="the log is being read: this is how it was", eta_s=None
    )
    progress = Reading(
        done_bytes=3_400_000_000, size_bytes=10_000_000_000, bytes_per_s=512e6, left_s=12.9
    )
    return replace(HEALTHY, status=status, reading=progress)


def many_attempts(count: int = 10_000) -> Snapshot:
    """A crash loop that nobody noticed."""
    attempts = tuple(
        AttemptStatus(
            index=n,
            began_at=NOW - (count - n) * 600,
            first_iteration=n + 1,
            last_iteration=n + 2,
            records=2,
            retrained=1,
            gpus=384,
            end="crashed",
            cause="cuda: RuntimeError",
        )
        for n in range(count)
    )
    table = {name: array("d") for name in COLUMN_NAMES}
    for n in range(count):
        for iteration in (n + 1, n + 2):
            for name in COLUMN_NAMES:
                table[name].append(
                    {"iteration": iteration, "attempt": n, "flags": 0}.get(name, 1.0)
                )
    return replace(HEALTHY, status=replace(STATUS, attempts=attempts), history=history(table))


def hostile(text: str) -> Snapshot:
    """A run all of whose words are somebody else's."""
    attempts = tuple(replace(a, job_id=text, end=text, cause=text) for a in ATTEMPTS)
    status = replace(
        STATUS,
        run=text,
        reason=text,
        health="critical",
        phase=text,
        framework=text,
        log=text,
        gpu_type=text,
        precision=text,
        eta_unknown=text,
        eta_s=None,
        progress=None,
        warnings=(text, text),
        attempts=attempts,
        checkpoint=CheckpointStatus(iteration=1, path=text),
    )
    events = tuple(replace(e, kind=text, text=text) for e in EVENTS)
    table = {**columns(), text: array("d", [1.0]) * 2500}
    return replace(HEALTHY, status=status, events=events, trouble=text, history=history(table))


def hostile_alerts(text: str) -> Snapshot:
    """Alerts all of whose words are somebody else's."""
    finding = Finding(
        rule=text,
        key=text,
        summary=text,
        evidence=(text,) * 3,
        cost=text,
        advice=text,
        labels={text: text},
        iteration=LAST,
    )
    alarm = replace(STALL, finding=finding)
    muted = Muted(kind="silenced", at=NOW, rule=text, key=text, until=NOW + 60, by=text, why=text)
    known = replace(muted, kind="acknowledged", until=None)
    changes = tuple(replace(change, text=text) for change in CHANGES)
    return replace(alarming(Book(alarms=(alarm, LATE), muted=(muted, known))), alerts=changes)


FLOATS = (
    "eta_s progress step_time_s usual_step_time_s tflops mfu samples_per_s tokens_per_s loss grad_norm "
    "learning_rate global_batch_size consumed_samples consumed_tokens last_progress_at parameters "
    "peak_tflops hours_at_risk gpu_hours_at_risk validation_loss phase_since"
)


def numberless(value: float) -> Snapshot:
    """A run all of whose numbers are this one."""
    table = columns()
    for name in set(table) - {"iteration"}:
        table[name] = array("d", [value]) * len(table["iteration"])
    floats = dict.fromkeys(FLOATS.split(), value)
    checkpoint = CheckpointStatus(iteration=2000, at=value, duration_s=value)
    attempts = tuple(replace(a, began_at=value) for a in ATTEMPTS)
    status = replace(STATUS, checkpoint=checkpoint, attempts=attempts, **floats)
    marks = replace(MARKS, validation_loss=array("d", (value, value)))
    events = tuple(replace(e, at=value, values={"loss": value}) for e in EVENTS)
    progress = Reading(done_bytes=1, size_bytes=2, bytes_per_s=value, left_s=value)
    return replace(
        HEALTHY,
        status=status,
        marks=marks,
        events=events,
        history=history(table),
        reading=progress if value < 0 else None,
    )


STATES: dict[str, Snapshot] = {
    "empty": EMPTY,
    "critical": critical(),
    "alarming": alarming(),
    "ended": ended(),
    "complete": complete(),
    "blind": blind(),
    "missing": missing(),
    "reading": reading(),
}
