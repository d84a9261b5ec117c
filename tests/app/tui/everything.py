"""A run of which all is known: every pane has something to show."""

from msgspec.structs import replace

from tests.app.tui.accounts import hours
from tests.app.tui.alarms import BOOK, CHANGES, alarming
from tests.app.tui.attempted import attempted
from tests.app.tui.chains import ALONE, chained
from tests.app.tui.histories import NOW
from tests.app.tui.housed import housed
from tests.app.tui.test_queue import BEFORE, HELD, NEXT, RUNNING, queued
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.warned import with_alerts


def everything() -> Snapshot:
    """One run."""
    house, alarms = housed(), alarming()
    attempts = attempted().status
    status = replace(
        house.status,
        attempts=attempts.attempts,
        allocations=attempts.allocations,
        queue=queued(HELD, NEXT, RUNNING, past=BEFORE).status.queue,
    )
    return replace(
        house,
        status=with_alerts(status, BOOK, NOW),
        alerts=CHANGES,
        events=alarms.events,
        marks=alarms.marks,
        cron=chained(ALONE).cron,
        hours=hours(),
    )
