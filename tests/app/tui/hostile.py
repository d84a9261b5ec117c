"""Runs all of whose words, or numbers, are somebody else's."""

from array import array

from msgspec.structs import replace

from tests.app.tui.alarms import CHANGES, LATE, STALL, alarming
from tests.app.tui.histories import LAST, NOW, columns, history
from tests.app.tui.runs import ATTEMPTS, EVENTS, HEALTHY, MARKS, STATUS
from trainwatch.core.model.alerts import Book, Finding, Muted
from trainwatch.core.model.snapshot import Reading, Snapshot
from trainwatch.core.model.status import CheckpointStatus

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


def timeless(at: float) -> Snapshot:
    """A run all of whose times are this one, and the clock of who looks."""
    attempts = tuple(replace(a, began_at=at, last_at=at) for a in ATTEMPTS)
    checkpoint = CheckpointStatus(iteration=2000, at=at)
    times = dict.fromkeys(("last_progress_at", "phase_since", "heartbeat_at"), at)
    status = replace(STATUS, attempts=attempts, checkpoint=checkpoint, **times)
    finding = replace(STALL.finding, since=at)
    alarm = replace(STALL, finding=finding, noticed_at=at, fired_at=at, told_at=at)
    muted = Muted(kind="silenced", at=at, rule="stall", until=at)
    shown = alarming(Book(alarms=(alarm,), muted=(muted,)))
    events = tuple(replace(e, at=at) for e in EVENTS)
    told = replace(status, alerts=shown.status.alerts, book=shown.status.book)
    return replace(shown, taken_at=at, status=told, events=events)


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
