"""nanotron: `iteration: 211364 / 1500000 | consumed_tokens: 480B | time_per_iteration_ms: 8.79K | ...`.

Numbers have three digits and a K, M or B (older: G), so changes under 1 % are invisible. Newer stamps
lack the year. `global_batch_size` counts samples in old builds, tokens in new ones (`1.6M`); a log
with few GPUs tells them apart, a line cannot, so it is kept as printed only below 100K.
"""

from collections.abc import Iterator

from trainwatch.core.logs import pairs, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Fact, Iteration, Loaded, Record, SaveStarted
from trainwatch.core.patterns import pattern

NAME = "nanotron"

_HEAD = pattern(r"\biteration: (\d{1,15}) / (\d{1,15}) \| (consumed_tokens:.*)")
_PAIR = pattern(r"\b(\w++): ([^|\s]+)")
_NAMES: pairs.Names = {
    "consumed_tokens": ("consumed_tokens", 1),
    "elapsed_time_per_iteration_ms": ("step_time_s", 1000),
    "time_per_iteration_ms": ("step_time_s", 1000),
    "tokens_per_sec": ("tokens_per_s", 1),
    "tokens_per_sec_per_gpu": ("tokens_per_s_per_gpu", 1),
    "global_batch_size": ("global_batch_size", 1),
    "lm_loss": ("loss", 1),
    "lr": ("learning_rate", 1),
    "model_tflops_per_gpu": ("tflops", 1),
    "grad_norm": ("grad_norm", 1),
}
_TOKENS_FROM = 100_000  # no one trains with so many samples an iteration: the number counts tokens
_WHERE = pattern(r"\[INFO\|((?:[A-Z]+=\d++\|?+)++)([\w.-]*+)\]")
_SAVE = pattern(r"Saving checkpoint at (\S*?/(\d{1,15}))\b")
_LOAD = pattern(r"Loading checkpoint from (\S*?/(\d{1,15}))\b")
_PARAMETERS = pattern(r"Total number of parameters: ([\d.]+[KMGBT]?)")


def _parse(line: Line) -> Iterator[Record]:
    head = _HEAD.search(line.text)
    if head is None:
        return
    values = pairs.pick(_PAIR, head[3], _NAMES, text.short_number)
    batch = values.get("global_batch_size")
    if batch is not None and batch >= _TOKENS_FROM:
        values["tokens_per_iteration"] = values.pop("global_batch_size")
    where = _WHERE.search(line.text)
    yield Iteration(
        format=NAME,
        speaker=where[1] if where else text.speaker(line.text),
        stamp=text.stamp(line.text[: head.start()]),
        iteration=int(head[1]),
        target=int(head[2]),
        values=values,
    )


def _events(line: Line) -> Iterator[Record]:
    stamp = text.stamp(line.text)
    if found := _SAVE.search(line.text):
        yield SaveStarted(format=NAME, stamp=stamp, iteration=int(found[2]), path=found[1])
    elif found := _LOAD.search(line.text):
        yield Loaded(format=NAME, stamp=stamp, iteration=int(found[2]), path=found[1])
    elif found := _PARAMETERS.search(line.text):
        parameters = text.short_number(found[1])
        if parameters:
            yield Fact(format=NAME, key="parameters", value=parameters)


FORMAT = Format(name=NAME, needles=(b"d_tokens: ",), parse=_parse)
EVENTS = Format(
    name="nanotron-events",
    needles=(
        b"aving checkpoint ",
        b"oading checkpoint ",
        b"Total number of parameters: ",
    ),
    parse=_events,
    group="nanotron-events",
)
