"""Reports on how fast ranks are: Megatron-Core's `--log-straggler`, and NeMo's straggler detection.

Sources: megatron/core/README_STRAGGLER.md and core/utils.py of Megatron-LM; the Lightning callback of
nvidia-resiliency-ext. The trap: a report is several lines, and only its first says what the scores are of.
"""

from collections.abc import Iterator

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import RankSpeed, RankSpeeds, Record
from trainwatch.core.patterns import pattern

_HEAD = pattern(r"GPU (relative|individual) performance:\s*$")
_RANK = pattern(r"\bRank=(\d{1,7}) Node=([\w.-]{1,255}) Score=(\d{1,9}(?:\.\d{1,9})?)\s*$")
_EXTREMES = pattern(
    r"\| MnEtpt/Rnk: (\d{1,9}\.\d{1,9})TF/(\d{1,7}) \| MxEtpt/Rnk: (\d{1,9}\.\d{1,9})TF/(\d{1,7})\s*$"
)
_LISTED = pattern(
    r"\^\^\^\^ (?:Bottom|Top) +\d{1,7} Ranks with (?:lowest|highest) +Etpt\(TF\):(.*)$"
)
_PAIR = pattern(r"(?<![\d./])(\d{1,9}(?:\.\d{1,9})?)/(\d{1,7})(?=,|\s*$)")
_MOST = 64  # ranks of a line


def _parse(line: Line) -> Iterator[Record]:
    head, row = _HEAD.search(line.text), _RANK.search(line.text)
    if head is not None:
        yield _speeds(line, report="scores" if head[1] == "relative" else "other")
    elif row is not None:
        yield _speeds(line, RankSpeed(int(row[1]), float(row[3]), row[2]))
    elif (found := _EXTREMES.search(line.text)) is not None:
        least, most = (float(found[1]), int(found[2])), (float(found[3]), int(found[4]))
        yield _speeds(
            line, RankSpeed(least[1], least[0]), RankSpeed(most[1], most[0]), report="throughput"
        )
    elif (found := _LISTED.search(line.text)) is not None:
        pairs = [*_PAIR.finditer(found[1])][:_MOST]
        yield _speeds(line, *(RankSpeed(int(pair[2]), float(pair[1])) for pair in pairs))


def _speeds(line: Line, *speeds: RankSpeed, report: str = "") -> RankSpeeds:
    return RankSpeeds(
        format="stragglers",
        speaker=text.speaker(line.text),
        stamp=text.stamp(line.text),
        report=report,
        speeds=speeds,
    )


FORMAT = Format(
    name="stragglers",
    needles=(
        b"relative performance:",
        b"individual performance:",
        b" Score=",
        b"MxEtpt/Rnk:",
        b"Etpt(TF):",
    ),
    parse=_parse,
    group="stragglers",
)
