"""What is long to write is written in a thread of its own; the screen is told what became of it."""

import threading
from collections.abc import Callable

from trainwatch.core.errors import TrainwatchError


class Saver:
    """Writes one thing at a time."""

    def __init__(self, deliver: Callable[[str], None]) -> None:
        """`deliver` is told in that thread, in a sentence."""
        self._deliver = deliver
        self._thread: threading.Thread | None = None

    def save(self, keep: Callable[[], str]) -> str:
        """Begin: `keep` says where it kept what; it may raise OSError, TrainwatchError. What to say now."""
        if self._thread is not None and self._thread.is_alive():
            return "still saving; try again"
        self._thread = threading.Thread(target=self._run, args=(keep,), daemon=True, name="save")
        self._thread.start()
        return "saving"

    def _run(self, keep: Callable[[], str]) -> None:
        try:
            said = f"saved {keep()}"
        except TrainwatchError as error:
            said = str(error)
        except OSError as error:
            said = f"cannot save it: {error.strerror or error}"
        self._deliver(said)
