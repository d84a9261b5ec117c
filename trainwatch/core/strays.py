"""Files that nobody asked for: core dumps, and outputs that ran away.

The trap: a name proves nothing. A core file is one whose first bytes say so; `core` may be somebody's source
code.
"""

from typing import Literal, NamedTuple

import msgspec

from trainwatch.core.patterns import pattern
from trainwatch.core.words import clean, duration, short

HEAD_BYTES = 18  # of a file: enough to tell
MOST_SHOWN = 5

_DAY_S, _APART_S = 86_400.0, 1800.0
_LEAST_GROWING = 10**8  # bytes: smaller outputs are not remembered
_MOST_REMEMBERED = 1000
_CORE = pattern(r"core|core\.\d+|core\.[\w.-]{1,200}\.\d+|vgcore\.\d+(?:\.\d+)?|.{1,200}\.core")
_OUTPUT = pattern(r".{1,200}\.(?:out|err|log)|main_log.{0,200}")
_ELF, _LITTLE, _CORE_TYPE = b"\x7fELF", 1, 4

Kind = Literal["core", "output"]


class Found(NamedTuple):
    """A regular file with such a name; of kind `core` only if its first bytes say so."""

    path: str
    kind: Kind
    bytes: int


class Stray(NamedTuple):
    """A file that ought not to be there, or not be so large."""

    path: str
    bytes: int
    why: str


def kind_of(name: str) -> Kind | None:
    """What a file of that name may be."""
    if _CORE.fullmatch(name):
        return "core"
    return "output" if _OUTPUT.fullmatch(name) else None


def is_core(head: bytes) -> bool:
    """Whether a file that begins so is a core dump: an ELF header of type ET_CORE (elf.h)."""
    if len(head) < HEAD_BYTES or not head.startswith(_ELF):
        return False
    order: Literal["little", "big"] = "little" if head[5] == _LITTLE else "big"
    return int.from_bytes(head[16:18], order) == _CORE_TYPE


class Growth(msgspec.Struct, kw_only=True):
    """How large outputs were within the last day: (when, bytes), by path."""

    sizes: dict[str, list[tuple[float, int]]] = {}

    def take(self, found: Found, now: float) -> tuple[int, float]:
        """Remember a size. By how many bytes it grew within a day, and in how many seconds."""
        rows = self.sizes.setdefault(found.path, [])
        if rows and (found.bytes < rows[-1][1] or now < rows[-1][0]):
            rows.clear()  # begun anew, or by a clock that was set back
        while rows and rows[0][0] < now - _DAY_S:
            rows.pop(0)
        grown = (found.bytes - rows[0][1], now - rows[0][0]) if rows else (0, 0.0)
        if not rows or now - rows[-1][0] >= _APART_S:
            rows.append((now, found.bytes))
        return grown

    def forget(self, there: set[str]) -> None:
        """What is gone, or is too much to remember."""
        self.sizes = {path: rows for path, rows in self.sizes.items() if path in there}


def strays(
    found: list[Found], growth: Growth, now: float, output_bytes: float, per_day_bytes: float
) -> tuple[Stray, ...]:
    """Those that are: the largest first. `growth` takes their sizes."""
    told, remembered = list[Stray](), set[str]()
    for each in sorted(found, key=lambda one: (-one.bytes, one.path)):
        if each.kind == "core":
            told.append(Stray(each.path, each.bytes, "core file"))
            continue
        grown, in_s = 0, 0.0
        if each.bytes >= _LEAST_GROWING and len(remembered) < _MOST_REMEMBERED:
            remembered.add(each.path)
            grown, in_s = growth.take(each, now)
        if grown > per_day_bytes:
            told.append(Stray(each.path, each.bytes, f"grew by {_size(grown)} in {duration(in_s)}"))
        elif each.bytes > output_bytes:
            told.append(Stray(each.path, each.bytes, "large output"))
    growth.forget(remembered)
    return tuple(told)


def lines(found: tuple[Stray, ...]) -> tuple[str, ...]:
    """As they are shown: the largest, and how many more there are."""
    shown = [f"{_size(one.bytes)} {clean(one.path, 160)}: {one.why}" for one in found[:MOST_SHOWN]]
    rest = found[MOST_SHOWN:]
    if rest:
        shown.append(f"{_size(sum(one.bytes for one in rest))} in {len(rest):,} more")
    return tuple(shown)


def _size(size: float) -> str:
    return short(size, "B")
