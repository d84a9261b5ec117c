"""What a fuzz does, made from a seed: every key of the tables, mouse, bytes, sizes, other snapshots.

All input is text as a terminal sends it, so that a screen here and a program in a terminal get the same.
"""

import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import _character_to_key

from trainwatch.app.tui.keys import ALERTS, ANYWHERE, BACK, CHARTS, FLEET, LISTS, LOG

_TABLES = (ANYWHERE, CHARTS, LISTS, LOG, ALERTS, FLEET, BACK)
_LEAVES = ("q", "ctrl+c")
_EDGES = ((1, 1), (2, 1), (1, 40), (300, 1), (5, 2), (20, 5), (80, 24), (120, 40), (300, 100))
_ANY = random.Random(0)
# Some, not all of 30,000: Textual keeps a little of each size it has seen, which would look like a leak.
_SIZES = _EDGES + tuple((_ANY.randint(1, 300), _ANY.randint(1, 100)) for _ in range(30))
# Not among what is sent: a key beyond all of Unicode, and what is not UTF-8. The apps in this process have no
# keyboard of ours to refuse it; tests/app/tui/test_keyboard.py sends both to the real program.
_SIGNALS = (
    0x1A,
    0x1C,
)  # ctrl+z and ctrl+\\: of the terminal itself, where a program is just leaving
_CONTROLS = "".join(chr(n) for n in (*range(0x20), *range(0x7F, 0xA0)) if n not in _SIGNALS)
_PIECES = (
    "\x1b[", "\x1b]", "\x1bO", "\x1bP", "\x1b[<", "\x1b[?", "\x1b[200~[red]\x00q損\x1b[201~", "\x1b[201~",
    "\x1b[I", "\x1b[O",
    "\x1b[M", "\x1b[1;1R", "\x1b[?2026;2$y", "\x1b[57399;1u", "\x1b[1;99A", "\x1b\\", ";", "m", "~",
    "損失", "🔥", "é", "\u202e", "\ufeff", "[/bold]", "[red]", "\\",
)  # fmt: skip


PASTE_ENDS = "\x1b[201~"


class Step(NamedTuple):
    """`input`: `text` as a terminal sends it. `resize`: to `size`. `see`: the snapshot of seed `number`.

    `rest`: until all of it is done; steps between two rests come at once.
    """

    kind: str
    text: str = ""
    size: tuple[int, int] = (0, 0)
    number: int = 0


def steps(seed: str) -> Iterator[Step]:
    """Without end; the same for the same seed."""
    dice = random.Random(seed)
    unrested = 0
    while True:
        kind = dice.choices(tuple(_MAKERS), (55, 6, 10, 4, 5, 6, 40))[0]
        if kind == "rest" or unrested > _MOST_AT_ONCE:
            unrested = 0
            yield Step("rest")
        else:
            unrested += 1
            yield _MAKERS[kind](dice)


_MOST_AT_ONCE = 12


def encoded(key: str) -> str:
    """What a terminal sends for a key, by its name."""
    return _ENCODED[key]


def _encodings() -> dict[str, str]:
    found = {_character_to_key(c): c for c in string.printable if c.isprintable()}
    for text, keys in ANSI_SEQUENCES_KEYS.items():
        if isinstance(keys, tuple) and len(keys) == 1:
            found.setdefault(keys[0].value, text)
    return {**found, "escape": "\x1b"}


_ENCODED = _encodings()
KEYS = tuple(
    sorted(
        {each for table in _TABLES for key in table for each in key.keys.split(",")}
        | {*string.digits, "backspace", "enter", "escape"}
    )
)
_STAYING = tuple(key for key in KEYS if key not in _LEAVES)


def _key(dice: random.Random) -> Step:
    often = dice.random() < 0.1  # what lies over a screen takes all other keys
    return Step("input", encoded("escape" if often else dice.choice(_STAYING)))


def _typed(dice: random.Random) -> Step:
    text = "".join(dice.choices(string.printable.strip().replace("q", ""), k=dice.randint(1, 8)))
    return Step("input", text + dice.choice(("", "\r")))


def _mouse(dice: random.Random) -> Step:
    """Pressed and let go, the wheel, or drawn from somewhere to elsewhere; also where there is no screen."""
    x, y = dice.randint(1, 310), dice.randint(1, 110)
    if dice.random() < 0.7:
        x, y = dice.randint(1, 120), dice.randint(1, 40)
    shape = dice.choice(("click", "twice", "wheel", "drag", "move", "odd"))
    button = dice.choice((0, 0, 0, 1, 2, 4, 8, 16))
    click = f"\x1b[<{button};{x};{y}M\x1b[<{button};{x};{y}m"
    if shape == "drag":
        to = f"{max(1, x + dice.randint(-60, 60))};{max(1, y + dice.randint(-9, 9))}"
        return Step("input", f"\x1b[<0;{x};{y}M\x1b[<32;{to}M\x1b[<0;{to}m")
    made = {
        "click": click,
        "twice": click * 2,
        "wheel": f"\x1b[<{dice.choice((64, 65, 66, 67, 80))};{x};{y}M" * dice.randint(1, 9),
        "move": f"\x1b[<35;{x};{y}M",
        "odd": f"\x1b[<{dice.choice((0, 35, 99, 255, 10**9))};{dice.choice((0, 10**6))};{y}M",
    }
    return Step("input", made[shape])


def _bytes(dice: random.Random) -> Step:
    """Anything; what leaves is rare, else little would come behind it."""
    pool = (_CONTROLS, string.printable, "".join(map(chr, range(0xA0, 0x250))))
    many = [
        dice.choice(_PIECES) if dice.random() < 0.3 else dice.choice(dice.choice(pool))
        for _ in range(dice.randint(1, 12))
    ]
    text = "".join(many)
    return Step("input", text if dice.random() < 0.02 else text.translate(_STAYS))


_STAYS = {ord("q"): "Q", 0x03: None, 0x11: None}


def _resize(dice: random.Random) -> Step:
    return Step("resize", size=dice.choice(_SIZES))


def _see(dice: random.Random) -> Step:
    return Step("see", number=dice.randrange(2**32))


_MAKERS: dict[str, Callable[[random.Random], Step]] = {
    "key": _key,
    "typed": _typed,
    "mouse": _mouse,
    "bytes": _bytes,
    "resize": _resize,
    "see": _see,
    "rest": lambda _: Step("rest"),
}
