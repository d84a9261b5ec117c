"""Composer (MosaicML): `[epoch=1][batch=5/5]:`, then a line for each metric: `Train throughput/...: 2.7`.

A run that is planned in batches prints `[batch=5/4800]:` instead.
"""

import re
from collections.abc import Iterator

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Record, Validation
from trainwatch.core.patterns import pattern

NAME = "composer"

_HEAD = pattern(
    r"(?:\[epoch=(?P<epoch>\d{1,9})\])?\[batch=(?P<batch>\d{1,15})(?:/(?P<of>\d{1,15}))?\]:\s{0,8}$"
)
_METRIC = pattern(r"^\s*+(?:\[\w+\]\s*+)?(Train|Eval) ([\w/ .-]+?): ([-+\d.,eEnaif]+)\s{0,8}$")
_NAMES = {
    "loss/train/total": "loss",
    "throughput/samples_per_sec": "samples_per_s",
    "throughput/tokens_per_sec": "tokens_per_s",
    "throughput/device/tokens_per_sec": "tokens_per_s_per_gpu",
    "throughput/batches_per_sec": "iterations_per_s",
    "time/token": "consumed_tokens",
    "time/sample": "consumed_samples",
    "l2_norm/grad/global": "grad_norm",
}
_SHARED = pattern(r"lr-\w+/group0")


def _parse(line: Line) -> Iterator[Record]:
    if head := _HEAD.search(line.text):
        iteration, target = _numbers(head)
        yield Iteration(
            format=NAME,
            speaker=text.speaker(line.text),
            stamp=text.stamp(line.text[: head.start()]),
            iteration=iteration,
            target=target,
            values={},
        )
    elif metric := _METRIC.match(line.text):
        yield from _metric(metric[1], metric[2], text.number(metric[3]))


def _numbers(head: re.Match[str]) -> tuple[int, int | None]:
    """Iteration and target. Within an epoch batches are counted anew, and the target is not said."""
    batch, of = int(head["batch"]), text.whole(head["of"] or "")
    if head["epoch"] is None:
        return batch, of
    return max(0, int(head["epoch"]) - 1) * (of or 0) + batch, None


def _metric(which: str, name: str, value: float | None) -> Iterator[Record]:
    if value is None:
        return
    if which == "Eval":
        if name.endswith("CrossEntropy"):
            yield Validation(format=NAME, iteration=None, values={"loss": value}, name=name)
        return
    column = "learning_rate" if _SHARED.fullmatch(name) else _NAMES.get(name)
    if column == "iterations_per_s":
        column, value = "step_time_s", (1 / value if value > 0 else 0.0)
    if column and not (column == "step_time_s" and value <= 0):
        yield Iteration(format=NAME, iteration=None, values={column: value}, part=True)


FORMAT = Format(
    name=NAME,
    needles=(
        b"[batch=",
        b"Train l",
        b"throughput/",
        b"Train time/",
        b"Eval metrics/",
    ),
    parse=_parse,
)
