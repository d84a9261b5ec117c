"""Lines of a configuration: values as TOML, foreign text in comments of one line.

The trap: a name may hold quotes, line ends and escapes, and none of them may end a string or a comment.
"""

import re

from trainwatch.core.slurm.site import WORD
from trainwatch.core.words import clean

WIDTH = 36  # of a line before its comment


def value(it: object) -> str:
    """As TOML has it."""
    if isinstance(it, bool):
        return "true" if it else "false"
    if isinstance(it, str):
        escaped = it.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(_character(c) for c in escaped) + '"'
    if isinstance(it, tuple):
        return "[" + ", ".join(map(value, it)) + "]"
    return f"{it:.6g}" if isinstance(it, float) else str(it)


def comment(text: str) -> str:
    """Foreign names in one line."""
    return clean(text, 200)


def line(key: str, it: object, note: str = "", *, off: bool = False) -> str:
    """A key; `off`: commented out."""
    text = f"{'# ' if off else ''}{key} = {value(it)}"
    return f"{text:<{WIDTH}}  # {comment(note)}\n" if note else f"{text}\n"


def choice(key: str, it: object, note: str) -> str:
    """A key; commented out where nothing is chosen, or no name that can be meant."""
    return line(key, it, note, off=it == "" or re.search(WORD, str(it)) is None)


def _character(c: str) -> str:
    if c.isprintable():
        return c
    return f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"
