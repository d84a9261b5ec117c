"""What somebody chose on the screen, from one screen to the next: a part of app/wire.py for its commands.

The trap: the disk of the state folder may hang. A screen then begins and ends without it.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from trainwatch.adapters.store.habits import Habits

_PATIENCE_S = 2.0


def chosen_before(state_dir: Path) -> dict[str, object]:
    """What was chosen before, by name."""
    found: list[dict[str, object]] = []
    _patiently(lambda: found.append(Habits(state_dir).read()))
    return found[0] if found else {}


def keep_chosen(state_dir: Path, changed: Mapping[str, object], *, read_only: bool) -> None:
    """Keep what was chosen on a screen, unless that was one for looking only."""
    if changed and not read_only:
        _patiently(lambda: Habits(state_dir).keep(changed))


def _patiently(do: Callable[[], object]) -> None:
    thread = threading.Thread(target=do, daemon=True, name="habits")
    thread.start()
    thread.join(_PATIENCE_S)
