"""What somebody chose on the screen, from one screen to the next: a part of app/wire.py for its commands.

The trap: the disk of the state folder may hang. A screen then begins and ends without it.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from trainwatch.adapters.store.habits import Habits
from trainwatch.app.probe import Probe

_PATIENCE_S = 2.0


def chosen_before(state_dir: Path) -> dict[str, object]:
    """What was chosen before, by name."""
    return Probe(Habits(state_dir).read).answer(_PATIENCE_S) or {}


def keep_chosen(state_dir: Path, changed: Mapping[str, object], *, read_only: bool) -> None:
    """Keep what was chosen on a screen, unless that was one for looking only."""
    if changed and not read_only:
        Probe(partial(Habits(state_dir).keep, changed)).answer(_PATIENCE_S)
