"""What is long to write is written in a thread of its own; the screen is told what became of it."""

import threading
from collections.abc import Callable, Iterable

Save = Callable[
    [Iterable[str]], str
]  # keeps text that comes in pieces, and says where; raises OSError


class Saver:
    """Writes one thing at a time."""

    def __init__(self, save_view: Save, deliver: Callable[[str], None]) -> None:
        """`deliver` is told in that thread, in a sentence."""
        self._save, self._deliver = save_view, deliver
        self._thread: threading.Thread | None = None

    def save(self, pieces: Iterable[str]) -> bool:
        """Begin; not while something is still being written."""
        if self._thread is not None and self._thread.is_alive():
            return False
        self._thread = threading.Thread(target=self._run, args=(pieces,), daemon=True, name="save")
        self._thread.start()
        return True

    def _run(self, pieces: Iterable[str]) -> None:
        try:
            said = f"saved {self._save(pieces)}"
        except OSError as error:
            said = f"cannot save the view: {error.strerror or error}"
        self._deliver(said)
