"""IDEFICS (M4): `iteration:  4875/500000   0% | elapsed time: 19:29:30 | per_token_loss: 3.3900 | ...`.

No iteration time is printed, only the time since the job began; `fwd_bwd_time` is a sum since the
beginning too (seconds).
"""

from collections.abc import Iterator

from trainwatch.core.logs import pairs, text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Iteration, Record, Validation, ValidationBegins
from trainwatch.core.patterns import pattern

NAME = "idefics"

_HEAD = pattern(r"\biteration:\s+(\d{1,15})/(\d{1,15})\s+\d+% \| elapsed time: ([\d:]+) \| (.*)")
_PAIR = pattern(r"\b(\w++): ([-+\d.eEnaif]+)")
_NAMES: pairs.Names = {
    "per_token_loss": ("loss", 1),
    "lr": ("learning_rate", 1),
    "num_tokens": ("consumed_tokens", 1),
    "num_images": ("consumed_images", 1),
    "z_loss": ("z_loss", 1),
    "per_example_loss": ("per_example_loss", 1),
    "global_batch_size": ("global_batch_size", 1),
    "grad_norm": ("grad_norm", 1),
    "tflops_acc": ("tflops", 1),
}
_VALIDATION_NAMES: pairs.Names = {
    "val_per_token_loss": ("loss", 1),
    "val_num_tokens": ("tokens", 1),
}


def _parse(line: Line) -> Iterator[Record]:
    if head := _HEAD.search(line.text):
        yield Iteration(
            format=NAME,
            speaker=text.speaker(line.text),
            stamp=text.stamp(line.text[: head.start()]),
            iteration=int(head[1]),
            target=int(head[2]),
            values=pairs.pick(_PAIR, head[4], _NAMES, text.number),
            elapsed_s=text.duration(head[3]),
        )
    elif "Validation logs:" in line.text:
        values = pairs.pick(_PAIR, line.text, _VALIDATION_NAMES, text.number)
        if values:
            yield Validation(
                format=NAME, stamp=text.stamp(line.text), iteration=None, values=values
            )
    elif "** Starting validation **" in line.text:
        yield ValidationBegins(format=NAME)


FORMAT = Format(
    name=NAME,
    needles=(b"| per_token_loss: ", b"Validation logs: ", b"** Starting validation"),
    parse=_parse,
)
