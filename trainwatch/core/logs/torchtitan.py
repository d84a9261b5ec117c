"""torchtitan: `step:  2  loss:  7.7082  grad_norm: ...  tps: 301,092  tflops: 21.55  mfu: 2.18%`.

tps is per device. Fields are coloured, also in 24-bit; the line repeats for each rank that is not
filtered. No iteration time is printed: the fold takes it from the stamps.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest

from trainwatch.core.logs import pairs, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import (
    Exit,
    Fact,
    Iteration,
    Loaded,
    Record,
    SaveDone,
    SaveStarted,
    Startup,
    TrainingBegins,
    Validation,
)
from trainwatch.core.patterns import pattern

NAME = "torchtitan"

_STEP = pattern(r"(?<!\w)(validate )?step:\s*+([\d,]+)\s++(?=loss:)")
_PAIR = pattern(r"\b(\w++):\s*+([-\d.,naif]+)")
_NO_LOSS = -1.0  # what a rank prints that is not the last pipeline stage
_NAMES: pairs.Names = {
    "loss": ("loss", 1),
    "grad_norm": ("grad_norm", 1),
    "memory": ("memory_gib", 1),
    "tps": ("tokens_per_s_per_gpu", 1),
    "tflops": ("tflops", 1),
    "mfu": ("mfu", 100),
}
_SETUP = pattern(
    r"local batch size (?P<mbs>\d{1,15}), global batch size (?P<gbs>\d{1,15}),.{0,200}?"
    r"sequence length (?P<seq>\d{1,15}), total steps (?P<steps>\d{1,15})"
)
_BEGINS = pattern(r"Training starts at step (\d{1,15})")
_SIZE = pattern(r"Model (\S+) (\S+) size: ([\d,]+) total parameters")
_PEAK = pattern(r"Peak FLOPS used for computing MFU: ([\d.]+e\+?\d+)")
_ARGS = pattern(r"\b(dim|n_layers|n_heads|n_kv_heads|vocab_size|max_seq_len)=(-?\d{1,15})")
_MESH = pattern(r"\b(pp|dp_replicate|dp_shard|cp|tp)=(-?\d{1,15})")
_SAVED = pattern(r"Finished saving the checkpoint.{0,200}?in ([\d.]+) seconds")
_LAST_SAVE = pattern(
    r"Saving a [\w ]{1,40}checkpoint\b.{0,80}? (?:at|in) last step, step (\d{1,15})"
)
# Nobody says that the last save is done, but that the job goes on to its end.
_AFTER_LAST_SAVE = ("Sleeping 2 seconds for other ranks to complete", "Training completed")
_LOADING = pattern(
    r"(Loading|Finished loading) the checkpoint"
    r"(?: at step (?P<at>\d{1,15})| from (?P<path>\S*?step-(?P<step>\d{1,15})|\S+))?"
)


def _steps(line: Line) -> Iterator[Record]:
    """Each step on the line that is whole: ranks write into one another's lines."""
    heads, begun = list(_STEP.finditer(line.text)), 0
    for head, following in zip_longest(heads, heads[1:]):
        rest = line.text[head.end() : following.start() if following else None]
        before, begun = line.text[begun : head.start()], head.end()
        step = text.whole(head[2])
        if step is None or "tps:" not in rest:
            continue
        stamp, values = text.stamp(before), pairs.pick(_PAIR, rest, _NAMES, text.number)
        if head[1]:
            yield Validation(format=NAME, stamp=stamp, iteration=step, values=values)
            continue
        if values.get("loss") == _NO_LOSS:
            del values["loss"]
        speaker = text.speaker(line.text)
        yield Iteration(format=NAME, speaker=speaker, stamp=stamp, iteration=step, values=values)


def _events(line: Line) -> Iterator[Record]:
    stamp = text.stamp(line.text)
    if "Starting job:" in line.text:
        yield Startup(format=NAME, stamp=stamp, marker="torchtitan job", once=False)
    elif found := _BEGINS.search(line.text):
        yield TrainingBegins(format=NAME, stamp=stamp, iteration=int(found[1]))
    elif "Saving the checkpoint" in line.text:
        yield SaveStarted(format=NAME, stamp=stamp, iteration=None)
    elif found := _SAVED.search(line.text):
        seconds = text.number(found[1])
        yield SaveDone(format=NAME, stamp=stamp, iteration=None, duration_s=seconds)
    elif found := _LAST_SAVE.search(line.text):
        yield SaveStarted(format=NAME, stamp=stamp, iteration=int(found[1]))
    elif found := _LOADING.search(line.text):
        yield _loaded(found, stamp)
    elif line.text.rstrip().endswith(_AFTER_LAST_SAVE):
        yield SaveDone(format=NAME, stamp=stamp, iteration=None)
        if line.text.rstrip().endswith("Training completed"):
            yield Exit(format=NAME, stamp=stamp, how="completed")
    yield from _facts(line)


def _loaded(found: re.Match[str], stamp: float | None) -> Loaded:
    step = found["at"] or found["step"]
    return Loaded(
        format=NAME,
        stamp=stamp,
        iteration=int(step) if step else None,
        path=found["path"] or "",
        done=found[1].startswith("Finished"),
    )


def _facts(line: Line) -> Iterator[Record]:
    if found := _SETUP.search(line.text):
        keys = ("micro_batch_size", "global_batch_size", "seq_length", "target_iteration")
        for key, value in zip(keys, found.groups(), strict=True):
            yield Fact(format=NAME, key=key, value=float(value))
    elif (found := _SIZE.search(line.text)) and (parameters := text.number(found[3])):
        yield Fact(format=NAME, key="parameters", value=parameters)
    elif (found := _PEAK.search(line.text)) and (peak := text.number(found[1])):
        yield Fact(format=NAME, key="peak_tflops", value=peak / 1e12)
    elif "Building " in line.text and "dim=" in line.text:
        yield from _shape(line.text)
    elif "mesh with parallelism:" in line.text:
        yield from _mesh(line.text)


def _shape(line: str) -> Iterator[Record]:
    keys = {
        "dim": "hidden_size",
        "n_layers": "num_layers",
        "n_heads": "num_attention_heads",
        "n_kv_heads": "num_query_groups",
        "vocab_size": "vocab_size",
    }
    for name, value in _ARGS.findall(line):
        if name in keys:
            yield Fact(format=NAME, key=keys[name], value=float(value))


def _mesh(line: str) -> Iterator[Record]:
    sizes = {name: int(value) for name, value in _MESH.findall(line)}
    data_parallel = sizes.get("dp_replicate", 1) * sizes.get("dp_shard", 1)
    yield Fact(format=NAME, key="tensor_parallel", value=float(sizes.get("tp", 1)))
    yield Fact(format=NAME, key="pipeline_parallel", value=float(sizes.get("pp", 1)))
    if data_parallel < 0:  # dp_shard=-1: all GPUs that are left, however many
        return
    yield Fact(format=NAME, key="data_parallel", value=float(data_parallel))
    total = data_parallel * sizes.get("tp", 1) * sizes.get("pp", 1) * sizes.get("cp", 1)
    yield Fact(format=NAME, key="gpus", value=float(total))


FORMAT = Format(name=NAME, needles=(b"tps: ",), parse=_steps)
EVENTS = Format(
    name="torchtitan-events",
    needles=(
        b"Starting job: ",
        b"Training starts at step",
        b"Trainer is initialized with",
        b"aving the c",
        b"last step, step ",
        b"Sleeping 2 seconds for",
        b"oading the c",
        b" total parameters",
        b"Peak FLOPS used",
        b"mesh with parallelism",
        b"n_layers=",
        b"Training completed",
    ),
    parse=_events,
    group="torchtitan-events",
)
