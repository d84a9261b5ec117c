"""A log of 2 GB in a terminal, beside lnav and toolong: its first screen, memory, a search to its beginning.

lnav is a package of most distributions (`apt-get install lnav`). toolong holds an old Textual and goes into
a place of its own: `python -m venv DIR && DIR/bin/pip install toolong`; `TRAINWATCH_BENCH_TOOLONG=DIR/bin/tl`
says where (`TRAINWATCH_BENCH_LNAV` likewise), else `lnav` and `tl` are looked for in PATH.

The trap: both index the whole log before they search, we do not. So each search begins when nobody works any
more, which is to their good; how long they take until then is told, too.
"""

import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import TRAINWATCH, Claim
from benchmarks.terminal import Terminal
from trainwatch.simulate.bulk import REALISTIC, blocks
from trainwatch.simulate.scenarios import SCENARIOS

MB = 1024 * 1024
SIZE = 2048 * MB
_TURNS = 2
_SCREEN = (160, 50)
_READY_S = 60.0  # until a log is indexed, at most
_FOUND_S = 30.0
_PRESSED_S = 0.1  # lnav is asked for the match before until it has come there
# Searched for upwards from the end, and what then is on the screen; letters that stand nowhere else.
_PLANTED = {"near the end": ("pebble", b"qzxjwkvy"), "near the beginning": ("needle", b"zvkqjxwz")}

Took = Mapping[str, list[float | None]]  # seconds or MB of each, turn by turn


class Rival(NamedTuple):
    """A program that shows logs: how it is called, what is typed to search upwards from the end."""

    name: str
    variable: str
    command: tuple[str, ...]
    before: tuple[bytes, ...]  # the text that is searched for
    goes: bytes
    again: bytes = b""
    whole: bytes = b""  # stands on a screen that is complete; else it comes all at once


OURS = Rival(
    "trainwatch", "", (*TRAINWATCH, "tui"), (b"\x1b", b"lG", b"/"), b"\r", whole=b"commands"
)
RIVALS = (
    Rival("lnav", "TRAINWATCH_BENCH_LNAV", ("lnav",), (b"\x1b", b"G", b"/"), b"\r", b"N"),
    # It takes the empty end of a file for a match: the second key goes on from there.
    Rival(
        "toolong",
        "TRAINWATCH_BENCH_TOOLONG",
        ("tl",),
        (b"\x1b", b"\x1b[F", b"/", b"\x15"),
        b"\x1b[A\x1b[A",
    ),
)


class Seen(NamedTuple):
    """What one look at the log took: seconds, MB. None: not within the time there is."""

    first_s: float
    whole_s: float
    ready_s: float
    searches_s: Mapping[str, float | None]
    peak_mb: float


def claims() -> Iterator[Claim]:
    """Ours beside each of the others that is here, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "main_log.txt"
        plant(log, SIZE)
        here = [(rival, found) for rival in RIVALS if (found := _where(rival)) is not None]
        seen: dict[str, list[Seen]] = {"trainwatch": [], **{rival.name: [] for rival, _ in here}}
        for turn in range(_TURNS):
            state = ("--state-dir", str(Path(folder) / f"state{turn}"))
            seen["trainwatch"].append(look(OURS, [*OURS.command, *state, str(log)]))
            for rival, found in here:
                seen[rival.name].append(look(rival, [found, str(log)]))
    for rival in RIVALS:
        if rival.name not in seen:
            yield Claim(f"a log of 2 GB beside {rival.name}", f"{rival.name} is not here", "", None)
    yield from _told(seen)


def plant(log: Path, size: int) -> None:
    """A log of about so many bytes, in which a line near either end stands but once each."""
    places = dict(zip((0.99, 0.01), _PLANTED.values(), strict=True))
    written = 0
    with log.open("wb") as file:
        for block in blocks(SCENARIOS["demo"], size, share=REALISTIC):
            for share in [share for share in places if written >= share * size]:
                word, shown = places.pop(share)
                file.write(f"[default3]: planted {word}: gradients of {shown.decode()}\n".encode())
            file.write(block)
            written += len(block)
        for word, shown in places.values():
            file.write(f"[default3]: planted {word}: gradients of {shown.decode()}\n".encode())
        file.write(b"[default0]: the end of it\n")


def look(rival: Rival, command: list[str]) -> Seen:
    """Open the log, wait until it is read, search upwards from its end."""
    with Terminal(command, _SCREEN) as terminal:
        first_s = terminal.wait_for(b"[default")
        whole_s = terminal.wait_for(rival.whole) if rival.whole else first_s
        ready_s = terminal.rests(_READY_S)
        searches_s = {
            where: _search(terminal, rival, f"planted {word}".encode(), shown)
            for where, (word, shown) in _PLANTED.items()
        }
        return Seen(first_s, whole_s, ready_s, searches_s, terminal.peak_mb())


def _search(terminal: Terminal, rival: Rival, text: bytes, shown: bytes) -> float | None:
    """Seconds from the key that begins the search to the line on the screen."""
    for keys in (*rival.before, text):
        terminal.press(keys)
        terminal.read_for(1.0)
    terminal.press(rival.goes)
    waited = 0.0
    while waited < _FOUND_S:
        waited += _PRESSED_S if rival.again else _FOUND_S
        try:
            return terminal.wait_for(shown, waited)
        except RuntimeError:
            terminal.type(rival.again)
    return None


def _where(rival: Rival) -> str | None:
    return shutil.which(os.environ.get(rival.variable, rival.command[0]))


def _told(seen: Mapping[str, list[Seen]]) -> Iterator[Claim]:
    first: Took = {name: [s.first_s for s in all_] for name, all_ in seen.items()}
    yield _claim("its end on the screen", "s", first)
    whole: Took = {name: [s.whole_s for s in all_] for name, all_ in seen.items()}
    yield _claim("all of the first screen", "s", whole)
    yield _claim(
        "peak memory", "MB", {name: [s.peak_mb for s in all_] for name, all_ in seen.items()}
    )
    for where in _PLANTED:
        took = {name: [s.searches_s[where] for s in all_] for name, all_ in seen.items()}
        yield _claim(f"last match of a pattern, {where}, on the screen", "s", took)
    ready = _claim(
        "until all of it is read", "s", {n: [s.ready_s for s in a] for n, a in seen.items()}
    )
    yield ready._replace(asked="", holds=None)


def _claim(what: str, unit: str, took: Took) -> Claim:
    """Medians side by side: no worse than the best of the others."""
    medians: dict[str, float | None] = {}
    for name, values in took.items():
        known = [value for value in values if value is not None]
        medians[name] = statistics.median(known) if len(known) == len(values) else None
    ours, others = medians.pop("trainwatch"), [m for m in medians.values() if m is not None]
    shown = "; ".join(f"{name} {_value(value, unit)}" for name, value in medians.items())
    holds = None if not medians else ours is not None and all(ours <= other for other in others)
    asked = "no worse than the better one"
    return Claim(f"a log of 2 GB, {what}", f"{_value(ours, unit)} ({shown})", asked, holds)


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return f"not within {_FOUND_S:.0f} s"
    return f"{value:.0f} MB" if unit == "MB" else f"{value:.2f} s"
