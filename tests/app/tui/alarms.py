"""Runs with alerts, all by hand."""

from array import array

from msgspec.structs import replace

from tests.app.tui.histories import LAST, NOW
from tests.app.tui.runs import EVENTS, HEALTHY, MARKS, STATUS, event
from trainwatch.core.model.alerts import Alarm, Book, Finding, Muted
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.warned import with_alerts

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
