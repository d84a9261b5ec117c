"""The store in memory: it keeps everything, and hands out copies."""

from msgspec.structs import replace

from tests.app.viewed import ASKED, STATUS
from trainwatch.app import memory
from trainwatch.core.columns import from_rows
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.state import Event, Row, RunState


def test_a_memory_store_keeps_everything_and_hands_out_copies() -> None:
    store = memory.MemoryStore()
    row = Row(iteration=3, attempt=0, format="f", time=None, values={"loss": 0.3})
    table = from_rows([{"iteration": 1, "loss": 0.1}, {"iteration": 2, "loss": 0.2}])
    event = Event(at=None, kind="saved", iteration=2, offset=5)
    store.commit(table, [event], RunState(run="r", open=row), Mark())
    seen = store.history(frozenset({"iteration", "loss"}))
    assert list(seen.columns["loss"]) == [0.1, 0.2, 0.3]
    assert store.journal().events == (event,)
    more = from_rows([{"iteration": 3, "loss": 0.3}])
    store.commit(more, [], RunState(run="r"), Mark())
    assert list(seen.columns["loss"]) == [0.1, 0.2, 0.3]
    assert store.history(frozenset({"iteration"})).rows == 3
    assert store.status() is None
    store.publish(STATUS)
    assert store.status() is STATUS


def test_a_memory_store_hands_out_what_was_asked_for_once() -> None:
    store = memory.MemoryStore()
    second = replace(ASKED, ask="unmute")
    store.ask(ASKED)
    store.ask(second)
    assert store.requests() == [ASKED, second]
    assert store.requests() == []
