"""What views keep of a journal: the last events, the last alerts apart from them, and the marks of all."""

import pytest

from trainwatch.core.journal import FIRING, KEPT, Journal, as_event, severity_of
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.state import Event

STALL = Change(
    at=100.0,
    run="tr1",
    rule="stall",
    severity="critical",
    change="firing",
    since=40.0,
    summary="no iteration: for 43 min",
    iteration=7,
)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "critical stall: no iteration: for 43 min"),
        ({"key": "r7i6n0"}, "critical stall r7i6n0: no iteration: for 43 min"),
        ({"muted": "silenced"}, "critical stall: no iteration: for 43 min (silenced)"),
    ],
)
def test_a_change_as_a_line_of_the_journal(changed: dict[str, str], text: str) -> None:
    event = as_event(Change(**{n: getattr(STALL, n) for n in STALL.__struct_fields__} | changed))
    assert event == Event(at=100.0, kind=FIRING, iteration=7, text=text)
    assert severity_of(event) == "critical"


def alert(kind: str, text: str, iteration: int | None = 7) -> Event:
    return Event(at=None, kind=kind, iteration=iteration, text=text)


def test_marks_are_of_what_fired_where_that_is_known() -> None:
    journal = Journal()
    journal.add(
        [
            alert(FIRING, "critical stall: x", 10),
            alert("alert-repeated", "critical stall: x", 20),
            alert("alert-resolved", "critical stall: x", 30),
            alert(FIRING, "warning slow-node: x", 40),
            alert(FIRING, "warning disk-full: x", None),
            alert(FIRING, "info lr-jump: x", 50),
            alert(FIRING, "", 60),
        ]
    )
    marks = journal.seen().marks
    assert (list(marks.critical), list(marks.warning)) == ([10.0], [40.0])


def test_many_saves_push_no_alert_out() -> None:
    journal = Journal()
    fired = alert(FIRING, "critical stall: x")
    journal.add([fired])
    journal.add(Event(at=None, kind="saved", iteration=n) for n in range(2 * KEPT))
    seen = journal.seen()
    assert fired not in seen.events
    assert seen.alerts == (fired,)
    journal.add([fired] * 2 * KEPT)
    assert len(journal.seen().alerts) == KEPT
    assert len(journal.seen().marks.critical) == 2 * KEPT + 1


def test_what_was_handed_out_stays_as_it_is() -> None:
    journal = Journal()
    before = journal.seen()
    journal.add([alert(FIRING, "critical stall: x")])
    assert (list(before.marks.critical), before.alerts) == ([], ())
    assert journal.seen() is journal.seen()
