"""OLMo: `[step=2/739328]`, then a line for each metric: `    throughput/device/tokens_per_second=45,538`."""

from collections.abc import Iterator

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Record, SaveDone, SaveStarted
from trainwatch.core.patterns import pattern

NAME = "olmo"

_HEAD = pattern(r"\[step=(\d{1,15})/(\d{1,15})(?:,epoch=\d+)?\]\s*$")
_METRIC = pattern(r"^\s++([\w/][\w/ ()]*+)=([-+\d.,eEnaif]+)\s*$")
_NAMES = {
    "train/CrossEntropyLoss": "loss",
    "train/CE loss": "loss",
    "throughput/total_tokens": "consumed_tokens",
    "throughput/device/tokens_per_second": "tokens_per_s_per_gpu",
    "throughput/device/TPS": "tokens_per_s_per_gpu",
    "throughput/device/batches_per_second": "iterations_per_s",
    "optim/total_grad_norm": "grad_norm",
    "optim/learning_rate_group0": "learning_rate",
    "System/Peak GPU Memory (MB)": "peak_gpu_memory_mb",
}
_SAVE = pattern(r"Saving checkpoint\.\.\.|Checkpoint saved to (\S*?step(\d{1,15})\S*)")


def _parse(line: Line) -> Iterator[Record]:
    if head := _HEAD.search(line.text):
        yield Iteration(
            format=NAME,
            speaker=text.speaker(line.text),
            stamp=text.stamp(line.text[: head.start()]),
            iteration=int(head[1]),
            target=int(head[2]),
            values={},
        )
    elif (metric := _METRIC.match(line.text)) and metric[1] in _NAMES:
        value = text.number(metric[2])
        if value is not None:
            values = _values(_NAMES[metric[1]], value)
            yield Iteration(format=NAME, iteration=None, values=values, part=True)


def _values(name: str, value: float) -> dict[str, float]:
    if name == "iterations_per_s":
        return {"step_time_s": 1 / value} if value > 0 else {}
    return {name: value}


def _events(line: Line) -> Iterator[Record]:
    if found := _SAVE.search(line.text):
        stamp = text.stamp(line.text)
        if found[2]:
            yield SaveDone(format=NAME, stamp=stamp, iteration=int(found[2]), path=found[1])
        else:
            yield SaveStarted(format=NAME, stamp=stamp, iteration=None)


FORMAT = Format(
    name=NAME,
    needles=(
        b"[step=",
        b"train/C",
        b"throughput/",
        b"optim/",
        b"System/Peak GPU Memory",
    ),
    parse=_parse,
)
EVENTS = Format(
    name="olmo-events",
    needles=(b"aving checkpoint...", b"Checkpoint saved to "),
    parse=_events,
    group="olmo-events",
)
