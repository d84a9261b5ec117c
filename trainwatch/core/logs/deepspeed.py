"""DeepSpeed's own lines: steps, throughput, overflows, saves, its flops profiler, and DeepSpeed-Chat.

The trap: under Megatron these repeat what Megatron prints a line later. They are read all the same;
the fold joins records of one iteration, and lets the richer format speak for the attempt.
"""

import re
from collections.abc import Iterator

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Fact, Iteration, Overflow, Record, SaveDone, SaveStarted
from trainwatch.core.patterns import pattern

NAME = "deepspeed"

_STEPS = pattern(
    r"\bsteps: (\d{1,15}) loss: ([-\d.naif]+) iter time \(s\): ([\d.]+) samples/sec: ([\d.]+)"
)
_STEP = pattern(r"\bstep=(\d{1,15}), skipped=(\d{1,15}), lr=\[([^\],]*)")
_TIMER = pattern(
    r"(?:\b\d+/|\bglobal_step=)(\d{1,15}), RunningAvgSamplesPerSec=[\d.]+, CurrSamplesPerSec=([\d.]+)"
)
_CHAT = pattern(
    r"epoch: (\d{1,15})\|step: (\d{1,15})\|ppo_ep: \d{1,15}"
    r"\|act_loss: ([-\d.einfa]+)\|cri_loss: ([-\d.einfa]+)"
)
_LATENCY = pattern(r"\|E2E latency=([\d.]+)s ")
# Nothing before or behind the record could be another one: no `(`, no `=`, no word that they begin with.
# What stands before, and the record up to the end of the line; each is looked for by its first word.
_ASIDES = (
    (
        pattern(rb"[ '*-~]{0,200}"),
        pattern(
            rb"\bsteps: ([1-9]\d{0,14}) loss: [-\d.naif]+ iter time \(s\): [\d.]+"
            rb" samples/sec: [\d.]+ *\Z"
        ),
    ),
    (
        pattern(rb"[ -'*-<>-~]{0,200}"),
        pattern(
            rb"\bstep=([1-9]\d{0,14}), skipped=\d{1,15}, lr=\[[\d.e, -]*\], mom=[\d.e, ()\[\]-]*\Z"
        ),
    ),
    (
        pattern(rb"[ -'*-<>-~]{0,200}"),
        pattern(
            rb"\b\d{1,15}/([1-9]\d{0,14}), RunningAvgSamplesPerSec=[\d.]+, CurrSamplesPerSec=[\d.]+"
            rb"(?:, MemAllocated=[\d.]+GB, MaxMemAllocated=[\d.]+GB)?\Z"
        ),
    ),
)
_LONGEST_ASIDE = 1000
_NO_LOSS = -1.0  # what a rank prints that is not the last pipeline stage
_OVERFLOW = pattern(
    r"(?:OVERFLOW!|overflow!|Overflow detected\.).{0,200}?Attempted loss scale: ([\d.e+]+), "
    r"(?:reducing to ([\d.e+]+)|but hysteresis)"
)
_SAVE = pattern(r"Saving model checkpoint: (\S*?global_step(\d{1,15})\S*)")
_TAG = pattern(r"Checkpoint global_step(\d{1,15}) is (about to be saved!|ready now!)")


def _record(line: Line, iteration: int | None, values: dict[str, float]) -> Iteration:
    return Iteration(
        format=NAME,
        speaker=text.speaker(line.text),
        stamp=text.stamp(line.text),
        iteration=iteration,
        values=values,
    )


# A line of its own -> the columns of its groups; the first group is the iteration.
_LINES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (_STEPS, ("loss", "step_time_s", "samples_per_s")),
    # `skipped` counts since the beginning here, not within the log interval: not the same thing.
    (_STEP, ("skipped_in_all", "learning_rate")),
    (_TIMER, ("samples_per_s",)),
)


def _steps(line: Line) -> Iterator[Record]:
    for known, names in _LINES:
        found = known.search(line.text)
        if found and int(found[1]) > 0:
            yield _record(line, int(found[1]), _numbers(names, found.groups()[1:]))
            return
    if found := _CHAT.search(line.text):
        values = _numbers(("act_loss", "cri_loss"), found.groups()[2:])
        # counted from 0, in each epoch anew; how many steps an epoch has is not said
        yield _record(line, int(found[2]) + 1 if found[1] == "0" else None, values)
    elif (found := _LATENCY.search(line.text)) and (seconds := text.number(found[1])):
        values = {"step_time_s": seconds}
        yield Iteration(format=NAME, iteration=None, values=values, part=True)


def _aside(data: bytes, start: int, stop: int) -> int | None:
    if stop - start > _LONGEST_ASIDE:
        return None
    for before, record in _ASIDES:
        found = record.search(data, start, stop)
        if found:
            return int(found[1]) if before.fullmatch(data, start, found.start()) else None
    return None


def _numbers(names: tuple[str, ...], values: tuple[str, ...]) -> dict[str, float]:
    pairs = ((n, text.number(v.strip())) for n, v in zip(names, values, strict=True))
    known = {name: value for name, value in pairs if value is not None}
    if known.get("loss") == _NO_LOSS:
        del known["loss"]
    return known


def _scale(printed: str) -> float | None:
    return text.number(printed.rstrip("."))


def _events(line: Line) -> Iterator[Record]:
    stamp = text.stamp(line.text)
    if found := _OVERFLOW.search(line.text):
        yield Overflow(format=NAME, stamp=stamp, loss_scale=_scale(found[2] or found[1]))
    elif found := _SAVE.search(line.text):
        yield SaveStarted(format=NAME, stamp=stamp, iteration=int(found[2]), path=found[1])
    elif found := _TAG.search(line.text):
        kind = SaveDone if found[2] == "ready now!" else SaveStarted
        yield kind(format=NAME, stamp=stamp, iteration=int(found[1]))


# Labels of the profiler's summary vary by version; the unit stands behind the number.
_PROFILED: dict[str, tuple[str, dict[str, float]]] = {
    "iter latency": ("profiled_step_time_s", {"s": 1, "ms": 1e-3, "us": 1e-6}),
    "samples/second": ("profiled_samples_per_s", {"": 1}),
    "FLOPS per GPU": ("profiled_tflops", {"TFLOPS": 1, "GFLOPS": 1e-3, "PFLOPS": 1e3}),
    "params per gpu": (
        "parameters_per_gpu",
        {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9},
    ),
}
_PROFILE = pattern(
    r"(?:^|\]:)\s*(iter latency|samples/second|FLOPS per GPU|params per gpu)\b[^:=]*"
    r"(?:=[^:=]*(?=:)|=\s*(?=[\d.]+ \w))?:?\s*([\d.,]+)\s*([A-Za-z]*)\s*$",
    re.IGNORECASE,
)
_LONGEST_PROFILE = 300


def _profile(line: Line) -> Iterator[Record]:
    found = _PROFILE.search(line.text) if len(line.text) < _LONGEST_PROFILE else None
    if found is None:
        return
    for label, (key, units) in _PROFILED.items():
        value = text.number(found[2])
        if label.lower() == found[1].lower() and found[3] in units and value is not None:
            yield Fact(format=NAME, key=key, value=value * units[found[3]])


FORMAT = Format(
    name=NAME,
    needles=(
        b"r time (s): ",
        b", skipped=",
        b"AvgSamplesPerSec=",
        b"|act_loss: ",
        b"|E2E latency=",
    ),
    parse=_steps,
    aside=_aside,
)
EVENTS = Format(
    name="deepspeed-events",
    needles=(b"Attempted loss scale: ", b"model checkpoint: ", b"Checkpoint global_step"),
    parse=_events,
    group="deepspeed-events",
)
PROFILER = Format(
    name="deepspeed-profiler",
    needles=(
        b"r latency",
        b"s/second",
        b"OPS per GPU",
        b" gpu: ",
        b" GPU: ",
    ),
    parse=_profile,
    group="deepspeed-profiler",
)
