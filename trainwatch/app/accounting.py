"""Where the hours of a run went, added up beside the screen, while somebody looks at it.

The trap: a million iterations take two seconds of a processor. They are added up in a thread of their own
and seldom, so that neither reading nor drawing waits for them; until then what was added up before is shown.
"""

import threading
from collections.abc import Callable
from typing import Protocol

from trainwatch.core import derived
from trainwatch.core.columns import Columns, from_rows
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.facts import Facts
from trainwatch.core.goodput import account, until_of
from trainwatch.core.model.goodput import Hours
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.ports import Saved
from trainwatch.core.timeline import as_columns

COLUMNS = ("at_s", "iteration", "step_time_s", "attempt")  # of each iteration what an account needs
_EVERY_S, _ROW_S = 60.0, 0.3e-3  # between accounts: so long, and so much more for each iteration
_NO_CLOCK = "the log holds no time of day, so that no hour can be accounted for"


class Books(Protocol):
    """What is kept of a run, read from its beginning; may be called in any thread."""

    def load(self) -> Saved | None: ...

    def rows(self, start: int, stop: int, wanted: tuple[str, ...]) -> Columns: ...

    def events(self) -> list[Event]: ...


def add_up(books: Books, configured: Facts, now: float) -> Hours:
    """The account of a run by what is kept of it. Raises OSError, StoreUnusable."""
    saved = books.load()
    if saved is None:
        return Hours(why="nothing is kept of this run yet")
    state = saved.state
    gpus = derived.facts_of(state, configured).gpus
    told = account(
        state.attempts,
        _rows(books, state),
        books.events(),
        state.allocations,
        gpus=gpus or 0,
        until=until_of(state, now),
    )
    why = "" if told is not None else _NO_CLOCK
    return Hours(told=told, gpus=gpus, by_scheduler=bool(state.allocations), why=why)


def pace_s(rows: int) -> float:
    """How long an account of so many iterations is good enough: adding up takes so much longer, too."""
    return _EVERY_S + rows * _ROW_S


class Accounts:
    """Says where the hours went, as they were added up last."""

    def __init__(self, add_up: Callable[[float], Hours]) -> None:
        """`add_up` takes the time, and may raise as `add_up` above."""
        self._add_up, self._begun_at = add_up, float("-inf")
        self._last: Hours | None = None
        self._thread: threading.Thread | None = None

    def look(self, now: float, rows: int) -> Hours | None:
        """The account of a run of so many iterations; None while there is none yet. Returns at once."""
        busy = self._thread is not None and self._thread.is_alive()
        if not busy and not 0 <= now - self._begun_at < pace_s(rows):
            self._begun_at = now
            self._thread = threading.Thread(
                target=self._run, args=(now,), daemon=True, name="hours"
            )
            self._thread.start()
        return self._last

    def _run(self, now: float) -> None:
        try:
            self._last = self._add_up(now)
        except OSError as error:
            self._last = Hours(why=f"{error.filename or 'the store'}: {error.strerror or error}")
        except TrainwatchError as error:
            self._last = Hours(why=str(error))
        except Exception as error:  # noqa: BLE001 - what cannot be added up must be said, not waited for
            why = f"cannot be added up ({type(error).__name__}: {error}); this is a bug"
            self._last = Hours(why=why)


def _rows(books: Books, state: RunState) -> Columns:
    """All iterations, the one that is open as the last."""
    rows = books.rows(0, state.rows, COLUMNS)
    if state.open is not None:
        last = as_columns(state.open)
        rows.extend(from_rows([{name: last[name] for name in COLUMNS if name in last}]))
    return rows
