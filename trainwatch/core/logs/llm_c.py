"""llm.c: `s:1 trl:10.9598 lr:0.000002 norm:15.24` in its log file (no time at all), a table on stdout."""

from collections.abc import Iterator

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Record, SaveDone, Validation
from trainwatch.core.patterns import pattern

NAME = "llm.c"

_FILE = pattern(r"^\s*s:(\d{1,15}) trl:(\S+)(?: lr:(\S+))?(?: norm:(\S+))?\s*$")
_VALIDATION = pattern(r"^\s*s:(\d{1,15}) tel:(\S+)\s*$")
_TABLE = pattern(
    r"\bstep\s+(\d{1,15})/(\d{1,15}) \| (?:train )?loss ([\d.naif-]+)(?: \([^)]{0,40}\))?\s{0,8}"
    r"\| norm ([\d.naif-]+)(?: \([^)]{0,40}\))?\s{0,8}\| lr (\S+) \| ([\d.]+) ms"
    r"(?: \| [\d.-]+% (?:bf16|fp16|fp32) MFU)?(?: \| ([\d.]+) tok/s)?"
)
_SAVE = pattern(r"Writing checkpoint at step (\d{1,15})")


def _parse(line: Line) -> Iterator[Record]:
    if found := _FILE.match(line.text):
        values = _values(("loss", "learning_rate", "grad_norm"), found.groups()[1:])
        if "loss" in values:
            yield Iteration(format=NAME, iteration=int(found[1]), values=values)
    elif found := _VALIDATION.match(line.text):
        values = _values(("loss",), (found[2],))
        if values:
            yield Validation(format=NAME, iteration=int(found[1]), values=values)
    elif found := _TABLE.search(line.text):
        names = ("loss", "grad_norm", "learning_rate", "step_time_s", "tokens_per_s")
        values = _values(names, found.groups()[2:])
        values["step_time_s"] = values.get("step_time_s", 0.0) / 1000
        step, target = int(found[1]), int(found[2])
        yield Iteration(format=NAME, iteration=step, target=target, values=values)


def _values(names: tuple[str, ...], printed: tuple[str | None, ...]) -> dict[str, float]:
    pairs = ((n, text.number(v) if v else None) for n, v in zip(names, printed, strict=True))
    return {name: value for name, value in pairs if value is not None}


def _events(line: Line) -> Iterator[Record]:
    if found := _SAVE.search(line.text):
        yield SaveDone(format=NAME, iteration=int(found[1]))


FORMAT = Format(name=NAME, needles=(b" trl:", b" tel:", b"| norm "), parse=_parse)
EVENTS = Format(
    name="llm.c-events",
    needles=(b"Writing checkpoint at step",),
    parse=_events,
    group="llm.c-events",
)
