"""NeMo and Lightning: metrics behind a progress bar; NeMo 2: `Training epoch 0, iteration 9/100 | ...`.

The step is the bar's: `global_step=2e+3` has lost its digits, and lags behind. Only from the second
epoch on, where the bar begins anew, `global_step` counts.
"""

import re
from collections.abc import Iterator

from trainwatch.core.logs import bars, pairs, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Exit, Iteration, Record, SaveDone, Validation
from trainwatch.core.patterns import pattern

NAME = "nemo"

_PAIR = pattern(r"(?:^|[,|])\s*+(\w[\w /]*+)[=:]\s*+([-+\d.eEnaif]+)")
_NAMES: pairs.Names = {
    "reduced_train_loss": ("loss", 1),
    "train_loss_step": ("loss", 1),
    "train_loss": ("loss", 1),
    "loss": ("loss", 1),
    "consumed_samples": ("consumed_samples", 1),
    "global_batch_size": ("global_batch_size", 1),
    "train_step_timing in s": ("step_time_s", 1),
    "grad_norm": ("grad_norm", 1),
    "lr": ("learning_rate", 1),
    "val_loss": ("val_loss", 1),
    "samples/sec": ("samples_per_s", 1),
    "global_step": ("global_step", 1),
    "TFLOPS_per_GPU": ("tflops", 1),
    "tokens_per_sec_per_gpu": ("tokens_per_s_per_gpu", 1),
}
_NEMO2 = pattern(r"Training epoch (\d{1,15}), iteration (\d{1,15})/(\d{1,15}) \|(.*)")
_VALIDATION = pattern(
    r"Epoch \d+, global step (\d{1,15}): '?(val_loss|validation_loss)'? .*?([\d.]+)"
)
_SAVED = pattern(
    r"Global Checkpoint Save : Rank: \d+ : Iteration: (\d{1,15}) : .{0,200}?Save duration: ([\d.]+)s"
)


def _number(value: str) -> float | None:
    """A number; Lightning pads each to five characters, `nan.0` and `-inf.` too."""
    word = value.rstrip(".0")
    return text.number(word if word in ("nan", "inf", "-inf") else value)


def _parse(line: Line) -> Iterator[Record]:
    if found := _NEMO2.search(line.text):
        yield _nemo2(line, found)
        return
    bar = bars.find(line.text)
    if bar is None or "=" not in bar.rest:
        return
    values = pairs.pick(_PAIR, bar.rest, _NAMES, _number)
    if not values.keys() & {"loss", "step_time_s"}:
        return
    global_step = text.count(values.pop("global_step", None))
    step = bar.done
    if bar.epoch and bar.total:
        step = bar.epoch * bar.total + bar.done
    elif bar.epoch and global_step:
        step = global_step
    if "step_time_s" not in values and bar.step_time_s:
        values["step_time_s"] = bar.step_time_s
    yield Iteration(
        format=NAME,
        speaker=text.speaker(line.text[: bar.start]),
        stamp=text.stamp(line.text[: bar.start]),
        iteration=step,
        target=None if bar.epoch else bar.total,
        values=values,
        elapsed_s=bar.elapsed_s,
    )


def _nemo2(line: Line, found: re.Match[str]) -> Record:
    values = pairs.pick(_PAIR, found[4], _NAMES, _number)
    values.pop("global_step", None)
    return Iteration(
        format=NAME,
        speaker=text.speaker(line.text),
        stamp=text.stamp(line.text[: found.start()]),
        # counted from 0 and printed after the step: `iteration 9/100` is the tenth
        iteration=int(found[2]) + 1,
        target=int(found[3]) + 1,
        values=values,
    )


def _events(line: Line) -> Iterator[Record]:
    if found := _SAVED.search(line.text):
        yield SaveDone(
            format=NAME,
            stamp=text.stamp(line.text),
            iteration=int(found[1]),
            duration_s=text.number(found[2]),
        )
    elif found := _VALIDATION.search(line.text):
        loss = text.number(found[3])
        yield Validation(
            format=NAME,
            stamp=text.stamp(line.text),
            iteration=int(found[1]),
            values={} if loss is None else {"loss": loss},
        )
    elif "`Trainer.fit` stopped:" in line.text:
        yield Exit(format=NAME, how="completed", why=line.text.strip()[:200])


FORMAT = Format(name=NAME, needles=(b"train_step_timing", b"train_loss"), parse=_parse)
EVENTS = Format(
    name="nemo-events",
    needles=(b"Global Checkpoint Save", b", global step ", b"`Trainer.fit` stopped"),
    parse=_events,
    group="nemo-events",
)
