"""The line of `status` that says what runs, what waits, and when it starts."""

import pytest
from msgspec.structs import replace

from trainwatch.app.commands.status import text
from trainwatch.app.words import when
from trainwatch.core.model.observations import Job, QueueReading, Reservation
from trainwatch.core.model.predictions import Prediction
from trainwatch.core.model.status import Status

NOW, H = 1_790_000_000.0, 3600.0
WAITS = Job(job_id="7", name="run", state="PENDING", reason="Priority")
LATER = Prediction(job_id="7", first=NOW + H, first_at=NOW - 24 * H, start=NOW + 3 * H, at=NOW)


def _line(*jobs: Job, predictions: tuple[Prediction, ...] = ()) -> str:
    reading = QueueReading(at=NOW, state="ok", jobs=jobs)
    status = Status(run="run", health="ok", queue=reading, predictions=predictions)
    return _lines(status)[0]


def _lines(status: Status) -> list[str]:
    lines = text(status, NOW).splitlines()
    first = next(n for n, row in enumerate(lines) if row.startswith("  queue "))
    return lines[first:]


@pytest.mark.parametrize(
    ("job", "predictions", "said"),
    [
        (WAITS, (), "7 waits for its turn, no predicted start"),
        (replace(WAITS, reason="JobHeldUser"), (), "will never start by itself"),
        (replace(WAITS, start=NOW + 3 * H), (LATER,), " (in 3 h), 2 h later than said 1 d ago"),
        (WAITS, (LATER,), "7 waits for its turn, no predicted start"),
    ],
)
def test_a_job_that_waits(job: Job, predictions: tuple[Prediction, ...], said: str) -> None:
    assert _line(job, predictions=predictions).endswith(said)


def test_a_maintenance_and_the_job_that_waits_for_its_end() -> None:
    known = Reservation(name="m", start=NOW - H, end=NOW + 2 * H, nodes="n[1-4]", node_count=4)
    soon = replace(known, start=NOW + 48 * H, end=NOW + 50 * H, node_count=None)
    job = replace(WAITS, reason="ReqNodeNotAvail, Reserved for maintenance")
    reading = QueueReading(at=NOW, state="ok", jobs=(job,), maintenance=(soon, known))
    lines = _lines(Status(run="run", health="ok", queue=reading))
    until = when(NOW + 2 * H, NOW)
    assert f"7 maintenance until {until}, no predicted start" in lines[0]
    assert lines[1].strip() == f"maintenance until {until} on 4 nodes: nothing starts there"
    assert lines[2].strip() == (
        f"maintenance from {when(NOW + 48 * H, NOW)} until {when(NOW + 50 * H, NOW)}: "
        "jobs whose limit reaches into it will not start"
    )
