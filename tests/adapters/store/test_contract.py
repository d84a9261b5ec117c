"""The store and the fake that stands for it, against one contract."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.adapters.store.committing import rows, state
from tests.fakes import MemoryStore
from trainwatch.adapters.store import StoreWriter
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Store

Opener = Callable[[], Store]


@pytest.fixture(params=["files", "fake"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Opens the same store again and again."""
    if request.param == "files":
        return lambda: StoreWriter(tmp_path / "run")
    fake = MemoryStore()
    return lambda: fake


class TestContract:
    """What every Store does."""

    def test_a_new_run_holds_nothing(self, opened: Opener) -> None:
        assert opened().load() is None

    def test_what_is_committed_is_there_after_a_restart(self, opened: Opener) -> None:
        store = opened()
        store.load()
        event = Event(at=5.0, kind="saved", iteration=3)
        store.commit(rows(1, 3), [event], state(3), Mark(offset=77))
        store.publish(Status(run="tr11", health="ok", heartbeat_at=9.0))
        store.close()
        saved = opened().load()
        assert saved is not None
        assert (saved.state, saved.mark, saved.looked_at) == (state(3), Mark(offset=77), 9.0)
        assert saved.recent == rows(1, 3)

    def test_a_column_that_comes_late_is_unknown_before(self, opened: Opener) -> None:
        store = opened()
        store.load()
        store.commit(rows(1, 2), [], state(2), Mark())
        store.commit(rows(3, 2, z_loss=7.0), [], state(4), Mark())
        store.commit(rows(5, 1), [], state(5), Mark())
        store.close()
        saved = opened().load()
        assert saved is not None
        expected = rows(1, 2)
        expected.extend(rows(3, 2, z_loss=7.0))
        expected.extend(rows(5, 1))
        assert saved.recent == expected
        assert list(saved.recent.column("z_loss")[2:4]) == [7.0, 7.0]

    def test_many_commits_make_one_history(self, opened: Opener) -> None:
        store = opened()
        store.load()
        for start in range(1, 101, 10):
            store.commit(rows(start, 10), [], state(start + 9), Mark(offset=start))
        store.close()
        saved = opened().load()
        assert saved is not None
        assert saved.recent == rows(1, 100)
