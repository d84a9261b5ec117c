"""HF Trainer: `{'loss': 1.2984, 'grad_norm': 1.01, 'learning_rate': 8.3e-08, 'epoch': 3.0}` and its bar.

The record does not say which step it is: the bar before it does, else the epoch. Recent builds quote
the numbers, `nan` stands bare. The closing `train_runtime` record is printed once per node.
"""

from collections.abc import Iterator

from trainwatch.core.logs import bars, pairs, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import (
    Bar,
    Exit,
    Fact,
    Iteration,
    Record,
    SaveStarted,
    Startup,
    Validation,
)
from trainwatch.core.patterns import pattern

NAME = "hf-trainer"

_PAIR = pattern(r"'(\w+)': '?([-+\w.]+)'?")
_NAMES: pairs.Names = {
    "loss": ("loss", 1),
    "grad_norm": ("grad_norm", 1),
    "learning_rate": ("learning_rate", 1),
    "epoch": ("epoch", 1),
    "num_tokens": ("consumed_tokens", 1),
    "entropy": ("entropy", 1),
    "mean_token_accuracy": ("mean_token_accuracy", 1),
}
_EVAL_NAMES: pairs.Names = {"eval_loss": ("loss", 1), "eval_runtime": ("duration_s", 1)}
_FACTS = {
    "Total optimization steps": "target_iteration",
    "Num Epochs": "epochs",
    "Total train batch size": "global_batch_size",
    "Instantaneous batch size per device": "micro_batch_size",
    "Number of trainable parameters": "parameters",
}
_FACT = pattern(rf"\b({'|'.join(_FACTS)})\b[^=]{{0,80}}= ([\d,]+)")
_SAVE = pattern(r"Saving model checkpoint to (\S*checkpoint-(\d{1,15}))")


def _parse(line: Line) -> Iterator[Record]:
    if "'train_runtime':" in line.text:
        return
    if "'eval_loss':" in line.text:
        values = pairs.pick(_PAIR, line.text, _EVAL_NAMES, text.number)
        if values:
            yield Validation(format=NAME, iteration=None, values=values)
    elif "{'loss':" in line.text:
        values = pairs.pick(_PAIR, line.text, _NAMES, text.number)
        speaker = text.speaker(line.text)
        yield Iteration(format=NAME, speaker=speaker, iteration=None, values=values)


def _bar(line: Line) -> Iterator[Record]:
    found = bars.find(line.text)
    if found is not None:
        yield Bar(
            format=NAME,
            done=found.done,
            total=found.total,
            epoch=found.epoch,
            step_time_s=found.step_time_s,
            elapsed_s=found.elapsed_s,
        )


def _events(line: Line) -> Iterator[Record]:
    stamp = text.stamp(line.text)
    if "***** Running training *****" in line.text:
        yield Startup(format=NAME, stamp=stamp, marker="HF Trainer", once=False)
    elif found := _FACT.search(line.text):
        count = text.whole(found[2])
        if count is not None:
            yield Fact(format=NAME, key=_FACTS[found[1]], value=float(count))
    elif found := _SAVE.search(line.text):
        yield SaveStarted(format=NAME, stamp=stamp, iteration=int(found[2]), path=found[1])
    elif "'train_runtime':" in line.text:
        yield Exit(format=NAME, how="completed", why="train_runtime")


FORMAT = Format(name=NAME, needles=(b"{'loss':", b"'eval_loss':"), parse=_parse)
BARS = Format(name="bar", needles=(b"s/it", b"it/s"), parse=_bar)
EVENTS = Format(
    name="hf-trainer-events",
    needles=(
        b"***** Running training",
        b"Total optimization steps",
        b"Num Epochs",
        b"Total train batch size",
        b"Instantaneous batch size",
        b"trainable parameters",
        b"model checkpoint to ",
        b"'train_runtime':",
    ),
    parse=_events,
    group="hf-trainer-events",
)
