"""Checkpoints in Megatron's words: saving, saved (`at`, in Megatron-Core `from`), how long, loading.

The time of a save stands on a line of its own, or on the next after `(min, max) time across ranks`;
of the two the slowest rank's counts. Asynchronous saves say "successfully" much later.
"""

from collections.abc import Iterator

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import (
    FreshWeights,
    Loaded,
    Record,
    SaveDone,
    SaveStarted,
    SaveTime,
    Validation,
)
from trainwatch.core.patterns import pattern

NAME = "checkpoints"

_STARTED = pattern(r"\bsaving checkpoint at iteration\s+(\d{1,15})(?: to (\S+))?")
_DONE = pattern(r"successfully saved checkpoint (?:at|from) iteration\s+(\d{1,15})(?: to (\S+))?")
_TIME = pattern(r"\bsave-checkpoint[ .]*:\s*\(?([\d.]+)(?:,\s*([\d.]+)\))?")
_LOADED = pattern(
    r"(successfully loaded|\bloading) (?:release )?(?:distributed )?checkpoint (?:from )?(\S*)"
)
_AT_ITERATION = pattern(r" at iteration (\d{1,15})$")
_VALIDATION = pattern(
    r"\b(?:validation|valid|test)(?:-(?P<name>\S{1,200})| ?\((?P<set>[^)]{0,200})\))? "
    r"(?:loss|results) at (?:iteration (?P<iteration>\d{1,15})|the end of training)"
    r"(?P<more>[^|]{0,200})\|(?P<rest>.*)"
)


def _events(line: Line) -> Iterator[Record]:
    stamp = text.stamp(line.text)
    if found := _STARTED.search(line.text):
        yield SaveStarted(format=NAME, stamp=stamp, iteration=int(found[1]), path=found[2] or "")
    if found := _DONE.search(line.text):
        yield SaveDone(format=NAME, stamp=stamp, iteration=int(found[1]), path=found[2] or "")
    if found := _TIME.search(line.text):
        milliseconds = text.number(found[2] or found[1])
        if milliseconds is not None:
            yield SaveTime(format=NAME, stamp=stamp, duration_s=milliseconds / 1000)


def _loads(line: Line) -> Iterator[Record]:
    if "will not load any checkpoints and will start from random" in line.text:
        yield FreshWeights(format=NAME, stamp=text.stamp(line.text))
    elif found := _LOADED.search(line.text):
        at = _AT_ITERATION.search(line.text.rstrip())
        yield Loaded(
            format=NAME,
            stamp=text.stamp(line.text),
            iteration=int(at[1]) if at else None,
            path=found[2] or "",
            done=found[1].startswith("successfully"),
        )


def _validations(line: Line) -> Iterator[Record]:
    found = _VALIDATION.search(line.text)
    if found is None:
        return
    values: dict[str, float] = {}
    for field in found["rest"].split("|"):
        label, _, value = field.rpartition(":")
        number = text.number(value.strip())
        key = _column(label.strip().lower().replace("_", " ").replace("-", " "))
        if label and number is not None:
            values.setdefault(key, number)
    if values:
        yield Validation(
            format=NAME,
            stamp=text.stamp(line.text[: found.start()]),
            iteration=int(found["iteration"]) if found["iteration"] else None,
            values=values,
            name=(found["name"] or found["set"] or found["more"].strip(" -")).strip(),
        )


def _column(label: str) -> str:
    label = label.removesuffix(" value")
    if label in ("lm loss", "loss"):
        return "loss"
    return "ppl" if label in ("lm loss ppl", "ppl") else label.replace(" ", "_")[:40]


EVENTS = Format(
    name=NAME,
    needles=(b"aving checkpoint ", b"saved checkpoint ", b"save-c"),
    parse=_events,
    group=NAME,
)
LOADS = Format(
    name="loads",
    needles=(
        b"load any checkpoints",
        b"oading checkpoint ",
        b"loaded checkpoint ",
        b"distributed checkpoint ",
        b"release checkpoint ",
    ),
    parse=_loads,
    group="loads",
)
VALIDATIONS = Format(
    name="validations",
    needles=(b"s at iteration ", b"s at the end of"),
    parse=_validations,
    group="validations",
)
