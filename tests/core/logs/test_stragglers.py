"""Reports on the speed of ranks, line by line as their sources print them."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import pytest

from tests.core.logs.reading import at, only, read
from trainwatch.core.model.records import RankSpeed, RankSpeeds

MEGATRON = (
    " 0: INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | "
    "MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnTmp/Rnk: 52C/0 | MxTmp/Rnk: 65C/21 | MnUtl/Rnk: 97%/8 | "
    "MxUtl/Rnk: 100%/6 | MnClk/Rnk: 1950MHz/28 | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 14.27ms/23 | "
    "MxDRtt/Rnk: 34.65ms/3 | MnEtpt/Rnk: 296.02TF/0 | MxEtpt/Rnk: 297.32TF/8"
)
BOTTOM = " 0: INFO:megatron.core.utils:^^^^ Bottom 4 Ranks with lowest  Etpt(TF): 296.02/0, 296.17/2, 296.23/1, 296.23/4,"
TOP = " 0: INFO:megatron.core.utils:^^^^ Top    4 Ranks with highest Etpt(TF): 297.28/15, 297.28/11, 297.32/12, 297.32/8,"

CASES: dict[str, tuple[str, str, tuple[RankSpeed, ...]]] = {
    "the extremes": (MEGATRON, "throughput", (RankSpeed(0, 296.02), RankSpeed(8, 297.32))),
    "the bottom": (
        BOTTOM,
        "",
        (RankSpeed(0, 296.02), RankSpeed(2, 296.17), RankSpeed(1, 296.23), RankSpeed(4, 296.23)),
    ),
    "the top": (
        TOP,
        "",
        (RankSpeed(15, 297.28), RankSpeed(11, 297.28), RankSpeed(12, 297.32), RankSpeed(8, 297.32)),
    ),
    "scores": ("GPU relative performance:", "scores", ()),
    "scores, behind a rank": ("[default0]:GPU relative performance:", "scores", ()),
    "against its past": ("GPU individual performance:", "other", ()),
    "a score": (
        "  Rank=76 Node=h100-001-253-012 Score=0.94",
        "",
        (RankSpeed(76, 0.94, "h100-001-253-012"),),
    ),
}


@pytest.mark.parametrize(("line", "report", "speeds"), CASES.values(), ids=CASES)
def test_a_line(line: str, report: str, speeds: tuple[RankSpeed, ...]) -> None:
    found = only(line + "\n")
    assert isinstance(found, RankSpeeds)
    assert (found.report, found.speeds) == (report, speeds)


def test_the_stamp_of_a_line() -> None:
    assert only(MEGATRON + "\n").stamp == at("2024-03-14 23:07:56")


@pytest.mark.parametrize(
    "line",
    [
        " Worst performing 5/512 ranks:",
        " Best performing 5/512 ranks:",
        "  Rank=76 Node=h100 Score=nan",
        "  Rank=76 Node=h100 Score=0.9 and more",
        "  Rank=76 Node=a b Score=0.94",
        "  Rank=99999999 Node=h100 Score=0.94",
        "the GPU relative performance: it is good",
        " | MnEtpt/Rnk: 296.02TF/0 | MxEtpt/Rnk: 297.32T",
        "F1 Score=0.9",
    ],
)
def test_what_only_looks_alike(line: str) -> None:
    assert [r for r in read(line + "\n") if isinstance(r, RankSpeeds)] == []


def test_a_line_that_is_cut_gives_whole_pairs_only() -> None:
    cut = BOTTOM[: BOTTOM.index("296.23/1") + 4]
    found = only(cut + "\n")
    assert isinstance(found, RankSpeeds)
    assert [speed.rank for speed in found.speeds] == [0, 2]
