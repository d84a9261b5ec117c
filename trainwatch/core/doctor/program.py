"""The program itself: Python, its libraries, the extras that a configuration needs, the terminal."""

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from trainwatch.core.doctor.check import Check

GROUP, TERMINAL = "program", "terminal"
LEAST_PYTHON = (3, 11)
# As pyproject.toml has them, which a test proves: the least version, and the first that is too new.
LIBRARIES: Mapping[str, tuple[str, str]] = {
    "textual": ("8.2", "9"),
    "numpy": ("1.26", ""),
    "watchdog": ("4", ""),
    "psutil": ("5.9", ""),
    "huggingface_hub": ("2.4", "3"),
    "fsspec": ("2024.6", ""),
    "apscheduler": ("3.11", "4"),
    "msgspec": ("0.19", ""),
    "click": ("8.1", ""),
    "apprise": ("2.2", "3"),
    "jinja2": ("3.1", ""),
    "prometheus_client": ("0.22", ""),
    "flufl.lock": ("8", ""),
}
# Extra -> the library that it brings, and what it is for.
EXTRAS: Mapping[str, tuple[str, str]] = {
    "parquet": ("pyarrow", "`export --format parquet`"),
    "tensorboard": ("tensorboardX", "[runs.tensorboard], `export --format tensorboard`"),
    "plot": ("matplotlib", "`report --plot`"),
    "s3": ("s3fs", "s3:// as a place to send to"),
}
_LEAST_COLUMNS, _LEAST_LINES = 80, 24
_ALSO_LEAD = re.compile(r"\d+")


class Terminal(NamedTuple):
    """Where the output goes. `encoding` is the output's; `term`, `colorterm` are of the environment."""

    is_tty: bool
    columns: int
    lines: int
    encoding: str
    term: str = ""
    colorterm: str = ""
    no_color: bool = False


def python(version: tuple[int, int, int], executable: str, trainwatch: str) -> Check:
    """Which Python runs us."""
    text = ".".join(map(str, version))
    saw = f"trainwatch {trainwatch}, Python {text} ({executable})"
    if version[:2] < LEAST_PYTHON:
        least = ".".join(map(str, LEAST_PYTHON))
        return Check(
            group=GROUP,
            name="python",
            verdict="wrong",
            saw=saw,
            do=f"install it with a Python of {least} or newer",
        )
    return Check(group=GROUP, name="python", verdict="ok", saw=saw)


def libraries(versions: Mapping[str, str | None], executable: str) -> Check:
    """What must be there. `versions`: by name; None where it is not."""
    bad = {name: why for name in LIBRARIES if (why := _unfit(name, versions.get(name)))}
    if bad:
        wanted = [shlex.quote(_wanted(name)) for name in bad]
        return Check(
            group=GROUP,
            name="libraries",
            verdict="wrong",
            saw="; ".join(bad.values()),
            do=f"{shlex.quote(executable)} -m pip install {' '.join(wanted)}",
        )
    saw = ", ".join(f"{name} {versions[name]}" for name in LIBRARIES)
    return Check(group=GROUP, name="libraries", verdict="ok", saw=saw)


def broken(why: str, executable: str) -> Check:
    """A library is missing or damaged, and nothing else can be looked at."""
    return Check(
        group=GROUP,
        name="libraries",
        verdict="wrong",
        saw=f"one cannot be loaded, and so nothing else was looked at: {why}",
        do=f"{shlex.quote(executable)} -m pip install --force-reinstall trainwatch",
    )


def extras(
    versions: Mapping[str, str | None], needed: Mapping[str, str], executable: str
) -> list[Check]:
    """What may be there. `needed`: extras that the configuration needs, and the key that says so."""
    there = [name for name, (library, _) in EXTRAS.items() if versions.get(library)]
    absent = {name: use for name, (_, use) in EXTRAS.items() if name not in there}
    missing = [name for name in absent if name in needed]
    found = [
        Check(
            group=GROUP,
            name=f"extra {name}",
            verdict="wrong",
            saw=f"{EXTRAS[name][0]} is not installed, and {needed[name]} needs it",
            do=f"{shlex.quote(executable)} -m pip install 'trainwatch[{name}]'",
        )
        for name in missing
    ]
    idle = [f"{name} (for {use})" for name, use in absent.items() if name not in missing]
    said = [
        f"there: {', '.join(there)}" if there else "",
        f"not there: {', '.join(idle)}" * bool(idle),
    ]
    saw = "; ".join(part for part in said if part)
    return [*found, Check(group=GROUP, name="extras", verdict="ok", saw=saw)]


def needed_extras(places: Iterable[tuple[str, str]], scalars: Iterable[str]) -> dict[str, str]:
    """Extras by what needs them. `places`: key and URL of all that is sent to; `scalars`: keys of folders."""
    found = dict[str, str]()
    for key, to in places:
        if to.startswith(("s3://", "s3a://")):
            found.setdefault("s3", key)
    for key in scalars:
        found.setdefault("tensorboard", key)
    return found


def terminal(seen: Terminal) -> Check:
    """Whether the screen can be drawn on it."""
    if not seen.is_tty:
        saw = "none: the output goes to a file or a pipe"
        return Check(group=TERMINAL, name="terminal", verdict="ok", saw=saw)
    troubles = list(_troubles(seen))
    colours = _colours(seen)
    saw = f"{seen.columns}x{seen.lines}, {seen.encoding or 'no encoding'}, {colours}"
    what, do = zip(*troubles, strict=True) if troubles else ((), ("",))
    return Check(
        group=TERMINAL,
        name="terminal",
        verdict="warning" if troubles else "ok",
        saw="; ".join((saw, *what)),
        do=do[0],
    )


def _troubles(seen: Terminal) -> Iterable[tuple[str, str]]:
    if seen.term in ("", "dumb", "unknown"):
        yield (
            f"TERM is {seen.term or 'not set'}: the screen cannot be drawn",
            "export TERM=xterm-256color",
        )
    if not is_unicode(seen.encoding):
        yield "lines and glyphs are not shown as they are meant", "export LANG=C.UTF-8"
    if seen.columns < _LEAST_COLUMNS or seen.lines < _LEAST_LINES:
        yield (
            f"the screen wants {_LEAST_COLUMNS}x{_LEAST_LINES}",
            "make the window larger; `trainwatch status` needs less",
        )


def is_unicode(encoding: str) -> bool:
    """Whether an output of this encoding can show any character."""
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "utf16", "utf32")


def _colours(seen: Terminal) -> str:
    if seen.no_color:
        return "no colours (NO_COLOR)"
    if seen.colorterm in ("truecolor", "24bit"):
        return "all colours"
    return "256 colours" if "256color" in seen.term else "few colours"


def _unfit(name: str, version: str | None) -> str:
    """What is wrong with a library; empty if nothing is."""
    if version is None:
        return f"{name} is not installed"
    least, below = LIBRARIES[name]
    if _order(version) < _order(least):
        return f"{name} {version} is too old"
    if below and _order(version) >= _order(below):
        return f"{name} {version} is too new"
    return ""


def _wanted(name: str) -> str:
    least, below = LIBRARIES[name]
    return f"{name}>={least}{f',<{below}' if below else ''}"


def _order(version: str) -> list[int]:
    """The leading numbers of a version: 8.2.0rc1 counts as 8.2.0."""
    found = list[int]()
    for part in version.split("."):
        number = _ALSO_LEAD.match(part)
        if number is None:
            break
        found.append(int(number[0]))
    return found
