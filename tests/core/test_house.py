"""What a status says of the house: how often a run saves, what a route has still to send."""

import pytest

from trainwatch.core.house import period_of
from trainwatch.core.model.state import RunState, Save
from trainwatch.core.model.syncing import Ledger, Seen, Sent
from trainwatch.core.upload import HOUR_S, lately, waiting

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("interval", "step_s", "save", "period_s"),
    [
        (100, 10.0, Save(), 1000.0),
        (100, 10.0, Save(timed=2, duration_sum_s=90.0), 1045.0),
        (None, 10.0, Save(), None),
        (100, None, Save(), None),
    ],
)
def test_from_one_save_to_the_next(
    interval: int | None, step_s: float | None, save: Save, period_s: float | None
) -> None:
    assert period_of(RunState(run="run", save=save), interval, step_s) == period_s


def _sent(size: int) -> Sent:
    return Sent(bytes=size, size=size, mtime_ns=1, at=NOW, part_bytes=64)


def test_of_a_log_what_it_grew_by_waits_and_of_another_file_all_of_it() -> None:
    seen = {
        "main_log.txt": Seen(bytes=130, mtime_ns=2, since=NOW),  # grew by 30
        "emptied.log": Seen(bytes=10, mtime_ns=2, since=NOW),  # began anew
        "model.pt": Seen(bytes=500, mtime_ns=2, since=NOW),  # another than was sent
        "new.txt": Seen(bytes=7, mtime_ns=2, since=NOW),
    }
    sent = {"main_log.txt": _sent(100), "emptied.log": _sent(400), "model.pt": _sent(480)}
    assert waiting(Ledger(seen=seen, sent=sent)) == 30 + 10 + 500 + 7
    assert waiting(Ledger()) == 0


def test_commits_of_the_last_hour_count() -> None:
    ledger = Ledger(commits=(NOW - HOUR_S, NOW - HOUR_S + 1, NOW - 5, NOW + 60))
    assert lately(ledger, NOW) == 2
