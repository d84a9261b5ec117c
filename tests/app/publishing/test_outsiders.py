"""What outsiders are told: nothing that somebody else wrote, and all that is meant for them."""

import json

import msgspec
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.app.publishing.planting import MARK, planted
from trainwatch.app.publishing.curves import Drawn
from trainwatch.app.publishing.page import page
from trainwatch.core.journal import as_event
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.goodput import Goodput, Hours
from trainwatch.core.model.public import PublicStatus, Shown
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import Alert, AttemptStatus, Status
from trainwatch.core.public import public_of
from trainwatch.core.thinning import Bin, Point

NOW = 1_780_000_000.0


@st.composite
def journals(draw: st.DrawFn) -> list[Event]:
    events = draw(st.lists(planted(Event), max_size=2))
    for change in ("firing", "resolved"):
        seen = Change(
            at=NOW, run=MARK, rule=MARK, severity="info", change=change, since=NOW, summary=MARK, key=MARK
        )  # fmt: skip
        events += [as_event(seen), replace(as_event(seen), text=f"{MARK} {MARK} {MARK}: {MARK}")]
    return events


# Without shrinking: a status with all that it can hold takes minutes to make smaller.
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
@given(planted(Status), journals())
def test_no_text_of_a_status_reaches_anybody(status: Status, events: list[Event]) -> None:
    assert MARK in repr(status)
    spent = Goodput(begin=0.0, end=9.0, lost_gpu_s={MARK: 5.0})
    hours = Hours(told=spent, why=MARK)
    told = public_of(status, Shown(), NOW, hours=hours, events=events)
    text = page(told, Drawn(), {})
    assert MARK not in msgspec.json.encode(told).decode()
    assert MARK not in text


def test_what_is_meant_for_them_is_told() -> None:
    alert = Alert(rule="loss-spike", severity="info", since=NOW, summary=f"see {MARK}")
    own = replace(alert, rule="their-own-rule")
    attempt = AttemptStatus(
        index=0, first_iteration=1, last_iteration=95, end="crashed", cause=MARK, job_id=MARK
    )
    again = AttemptStatus(index=1, first_iteration=91, last_iteration=100)
    status = Status(
        run=MARK, health="ok", phase="train", iteration=100, loss=2.5, tflops=150.0, gpus=8,
        gpu_type="A100", framework="megatron-core", alerts=(alert, own), attempts=(attempt, again),
    )  # fmt: skip
    spent = Goodput(begin=0.0, end=7200.0)
    spent.spend("train", 5400.0, 8)
    spent.spend("stall", 1800.0, 8)
    told = public_of(status, Shown(name="tr11"), NOW, hours=Hours(told=spent))
    assert (told.name, told.health, told.phase, told.loss) == ("tr11", "ok", "train", 2.5)
    assert (told.tflops, told.gpus, told.gpu_type, told.framework) == (
        150,
        8,
        "A100",
        "megatron-core",
    )
    assert [(one.rule, one.severity) for one in told.alerts] == [
        ("loss-spike", "info"),
        ("own", "info"),
    ]
    assert [(one.number, one.lost, one.end) for one in told.last_attempts] == [
        (1, 5, "crashed"),
        (2, None, None),
    ]
    assert told.hours is not None
    assert (told.hours.goodput, told.hours.seconds["stall"]) == (0.75, 1800)
    assert json.loads(msgspec.json.encode(told))["schema_version"] == 1


def test_what_is_not_to_be_shown_is_null() -> None:
    status = Status(
        run="x", health="ok", iteration=7, loss=2.5, tflops=150.0, gpus=8, tokens_per_s=1e5,
        alerts=(Alert(rule="stall", severity="critical", since=NOW, summary=""),),
        attempts=(AttemptStatus(index=0, first_iteration=1, last_iteration=95),),
    )  # fmt: skip
    nothing = Shown(loss=False, hardware=False, attempts=False, alerts=False)
    told = public_of(status, nothing, NOW, hours=Hours(told=Goodput(begin=0.0, end=1.0)))
    assert told == PublicStatus(made_at=NOW, health="ok", iteration=7, tokens_per_s=1e5)
    line = tuple(Bin(n, 1, *[Point(n, NOW + n, 9.5)] * 2) for n in range(5))
    text = page(told, Drawn(loss=line, logged_tflops=line, logged_tokens=line), {})
    assert "Throughput" in text
    for hidden in (
        "Loss",
        "TFLOPs",
        "Attempts",
        "Alerts",
        "Where the hours went",
        'class="restarts"',
    ):
        assert hidden not in text
