"""Progress bars (tqdm), shared by NeMo, Lightning and HF: `47%|███     | 7/15 [06:19<07:13,  2.1s/it]`.

A bar that counts iterations has no description but `Epoch N:`; bars over files, shards and batches of
an evaluation have one, or another unit.
"""

import re
from typing import NamedTuple

from trainwatch.core.logs import text
from trainwatch.core.patterns import pattern

_BAR = pattern(
    r"(?:Epoch\s+(?P<epoch>\d{1,9})[:\s]{0,8})?"
    r"(?:(?P<percent>\d{1,3})%\|[^|]*\|\s*(?P<done>\d{1,15})/(?P<total>\d{1,15})|(?<![\d/])(?P<only>\d{1,15})it)"
    r"\s*\[(?P<elapsed>[\d:]+)(?:<(?P<left>[\d:?]+))?(?:,\s*(?P<rate>[\d.]+|\?)(?P<unit>s/it|it/s))?"
    r"(?P<rest>(?:,[^\]\[]*+)?)\]"
)


class BarText(NamedTuple):
    """A bar as printed. Times in seconds; `rest` is what was attached to it."""

    start: int
    epoch: int | None
    done: int
    total: int | None
    elapsed_s: float | None
    step_time_s: float | None
    rest: str


def find(line: str) -> BarText | None:
    """The bar on this line, if it counts iterations."""
    match = _BAR.search(line)
    if match is None or _described(line[: match.start()], match):
        return None
    rate = text.number(match["rate"]) if match["rate"] and match["rate"] != "?" else None
    step_time_s = None
    if rate:
        step_time_s = rate if match["unit"] == "s/it" else 1 / rate
    total = match["total"]
    return BarText(
        start=match.start(),
        epoch=int(match["epoch"]) if match["epoch"] else None,
        done=int(match["done"] or match["only"]),
        total=int(total) if total else None,
        elapsed_s=text.duration(match["elapsed"]),
        step_time_s=step_time_s,
        rest=match["rest"],
    )


def _described(before: str, match: re.Match[str]) -> bool:
    """Whether a description stands before the bar: it counts something else then."""
    if match["epoch"]:
        return False
    return bool(text.unframed(before).strip()) or match["unit"] is None or match["only"] is not None
