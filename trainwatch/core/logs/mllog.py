"""MLPerf's MLLOG: `:::MLLOG {"time_ms": ..., "key": "tracked_stats", "value": {...}, "metadata": {...}}`.

The trap: `step` counts iterations from 0 or 1, samples or tokens, as each submitter likes. A step
that equals `samples_count`, or is too large, is samples; it becomes an iteration by the batch size only
in the fold. A run is over at `run_stop`, whatever Slurm does to the job afterwards.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import (
    Exit,
    Fact,
    Iteration,
    Record,
    Startup,
    TrainingBegins,
    Validation,
)

NAME = "mllog"

_HEAD = ":::MLLOG "
_NO_TIME_MS = 1e14  # the year 5138: what is beyond is no time
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_NAMES = {
    "train_step_time": "step_time_s",
    "train_step_timing": "step_time_s",
    "reduced_train_loss": "loss",
    "train_loss": "loss",
    "loss": "loss",
    "lr": "learning_rate",
    "learning_rate": "learning_rate",
    "throughput": "samples_per_s",
}
_FACTS = {
    "global_batch_size": "global_batch_size",
    "max_steps": "target_iteration",
    "max_sequence_length": "seq_length",
}


def _parse(line: Line) -> Iterator[Record]:
    start = line.text.find(_HEAD + "{")
    if start < 0:
        return
    event = _event_of(line.text[start + len(_HEAD) : line.text.rfind("}") + 1])
    if event is None:
        return
    metadata = event.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    milliseconds = _float(event.get("time_ms"))
    stamp = None
    if milliseconds is not None and 0 <= milliseconds < _NO_TIME_MS:
        stamp = milliseconds / 1000
    yield from _event(event.get("key"), event.get("value"), metadata, stamp, line)


def _event_of(printed: str) -> dict[str, Any] | None:
    """The object; Python prints NaN and Infinity into its JSON, which is none then."""
    try:
        if "NaN" in printed or "Infinity" in printed:
            import json  # 2 ms that few logs need

            loaded = json.loads(printed)
            return loaded if isinstance(loaded, dict) else None
        return _decode(printed)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _event(
    key: object, value: object, metadata: dict[str, Any], stamp: float | None, line: Line
) -> Iterator[Record]:
    if key in ("tracked_stats", "train_loss") or isinstance(value, dict):
        yield from _stats(key, value, metadata, stamp, line)
    elif key in ("eval_accuracy", "eval_loss", "eval_error"):
        loss = _float(value)
        if loss is not None:
            values = {"loss": loss}
            yield Validation(format=NAME, stamp=stamp, iteration=None, values=values, name=str(key))
    elif key == "run_stop":
        completed = metadata.get("status") == "success"
        yield Exit(
            format=NAME,
            stamp=stamp,
            how="completed" if completed else "failed",
            why=f"run_stop: {str(metadata.get('status'))[:80]}",
        )
    elif key == "run_start":
        yield TrainingBegins(format=NAME, stamp=stamp)
    elif key == "init_start":
        yield Startup(format=NAME, stamp=stamp, marker="MLLOG init_start", once=False)
    elif isinstance(key, str) and key in _FACTS and (number := _float(value)):
        yield Fact(format=NAME, stamp=stamp, key=_FACTS[key], value=number)


def _stats(
    key: object, value: object, metadata: dict[str, Any], stamp: float | None, line: Line
) -> Iterator[Record]:
    stats = value if isinstance(value, dict) else {str(key): value}
    numbers = ((_NAMES[n], _float(v)) for n, v in stats.items() if n in _NAMES)
    values = {name: number for name, number in numbers if number is not None}
    step = text.count(_float(metadata.get("step", metadata.get("samples_count"))))
    if not values or step is None:
        return
    samples = _float(metadata.get("samples_count"))
    if samples is not None:
        values["consumed_samples"] = samples
    speaker = text.speaker(line.text)
    counted = samples is not None and step == samples
    yield Iteration(
        format=NAME,
        speaker=speaker,
        stamp=stamp,
        iteration=None if counted else step,
        values=values,
    )


def _float(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


FORMAT = Format(name=NAME, needles=(b":::MLLOG",), parse=_parse)
