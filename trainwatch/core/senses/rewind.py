"""A clock that is set back: what is remembered of a time to come is taken as of now.

The trap: a clock that ran a day ahead for one look would else keep a hang from being seen for a day.
"""

import msgspec
from msgspec.structs import replace

_ENDS, _NAMES = ("_at", "_since"), frozenset({"at", "since", "now", "due"})


def rewind(memory: msgspec.Struct, now: float) -> None:
    """No time of the memory, or of a sense in it, is after `now` (s since the epoch). In place."""
    for name in memory.__struct_fields__:
        held = getattr(memory, name)
        if isinstance(held, msgspec.Struct) and not held.__struct_config__.frozen:
            rewind(held, now)
        elif name == "done":  # the ledger of deeds
            setattr(memory, name, [replace(one, at=min(one.at, now)) for one in held])
        elif name in _NAMES or name.endswith(_ENDS):
            if isinstance(held, float):
                setattr(memory, name, min(held, now))
            elif isinstance(held, dict):
                setattr(memory, name, {key: min(at, now) for key, at in held.items()})
