"""fairseq: `2021-03-08 12:32:33 | INFO | train_inner | {"epoch": 1, "update": 0.0, "loss": "16.446", ...`.

Metaseq and fairseq quote the numbers of a JSON object that a terminal may have cut; `update` counts
epochs, `num_updates` iterations.
"""

from collections.abc import Iterator

from trainwatch.core.logs import pairs, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Overflow, Record, Validation
from trainwatch.core.patterns import pattern

NAME = "fairseq"

_HEAD = pattern(r"\| (train_inner|valid) \| (?:\{|epoch \d+)")
_PAIR = pattern(r"\b(\w++)\"?:? \"?([-+\d.eEnaif]+)")
_NAMES: pairs.Names = {
    "loss": ("loss", 1),
    "train_loss": ("loss", 1),
    "valid_loss": ("loss", 1),
    "gnorm": ("grad_norm", 1),
    "lr": ("learning_rate", 1),
    "loss_scale": ("loss_scale", 1),
    "wps": ("tokens_per_s", 1),
    "ups": ("iterations_per_s", 1),
    "bsz": ("global_batch_size", 1),
    "wpb": ("tokens_per_iteration", 1),
    "num_updates": ("num_updates", 1),
}
_OVERFLOW = pattern(r"gradient overflow detected.{0,200}?setting loss scale to: ([\d.]+)")


def _parse(line: Line) -> Iterator[Record]:
    if found := _OVERFLOW.search(line.text):
        scale = text.number(found[1])
        yield Overflow(format=NAME, stamp=text.stamp(line.text), loss_scale=scale)
        return
    head = _HEAD.search(line.text)
    if head is None:
        return
    stamp = text.stamp(line.text[: head.start()])
    values = pairs.pick(_PAIR, line.text[head.end() :], _NAMES, text.number)
    iteration = text.count(values.pop("num_updates", None))
    rate = values.pop("iterations_per_s", 0.0)
    if head[1] == "valid":
        kept = {k: v for k, v in values.items() if k == "loss"}
        yield Validation(format=NAME, stamp=stamp, iteration=iteration, values=kept)
        return
    # Two digits of updates a second (`0.02`) are no step time; tokens a step and a second are.
    if values.get("tokens_per_s") and values.get("tokens_per_iteration"):
        values["step_time_s"] = values["tokens_per_iteration"] / values["tokens_per_s"]
    elif rate >= 1:
        values["step_time_s"] = 1 / rate
    yield Iteration(format=NAME, stamp=stamp, iteration=iteration, values=values)


FORMAT = Format(
    name=NAME,
    needles=(b"| train_inner |", b"| valid | ", b"overflow detected, ignoring"),
    parse=_parse,
)
