"""A node that the job's own reports call slow, again and again; one report says nothing."""

import msgspec
import pytest

from tests.core.judging import Judged
from trainwatch.core.model.records import RankSpeed
from trainwatch.core.model.state import RankReport
from trainwatch.core.rules.settings import AlertSettings, SlowNode
from trainwatch.core.stragglers import MOST, slow_in_all

MIN = 60.0
STARTUP = "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4"
PIPELINE = f"{STARTUP}, pipeline-model-parallel size: 4"


def scores(slow: dict[int, float] | None = None, *, ranks: int = 16) -> list[str]:
    """A report of NVIDIA's, of eight ranks a node."""
    told = {rank: 0.97 + rank % 3 / 100 for rank in range(ranks)} | (slow or {})
    rows = [
        f"  Rank={rank} Node=n{rank // 8} Score={score:.2f}"
        for rank, score in sorted(told.items(), key=lambda row: row[1])
    ]
    worst, best = rows[:5], rows[:-6:-1]
    named = [" Worst performing 5/16 ranks:", *worst, " Best performing 5/16 ranks:", *best]
    past = ["", "GPU individual performance:", "  Rank=3 Node=n0 Score=0.10"]
    return ["GPU relative performance:", *named, *past]


def throughput(least: float) -> list[str]:
    return [f" | MnEtpt/Rnk: {least:.2f}TF/9 | MxEtpt/Rnk: 300.00TF/8"]


def reporting(run: Judged, *reports: list[str], apart: float = 5 * MIN) -> Judged:
    """Reports while it trains on."""
    last = run.memory.pace.iteration or 0
    for report in reports:
        run.read(report)
        steps = int(apart / 10)
        run.train(last + 1, last + steps)
        last += steps
    return run


def _summaries(run: Judged) -> list[str]:
    return [a.finding.summary for a in run.memory.book.alarms if a.finding.rule == "slow-node"]


SLOW = scores({9: 0.70, 10: 0.75})


def test_three_reports_in_a_row_name_the_node_and_what_it_costs() -> None:
    run = reporting(Judged().train(1, 10), scores(), SLOW, SLOW)
    assert run.firing() == []
    reporting(run, SLOW)
    assert _summaries(run) == [
        "n1 (ranks 9, 10) is 29.3 % slower than the median, 3 reports in a row; "
        "without it the run may be up to 38.6 % faster"
    ]
    (alarm,) = run.memory.book.alarms
    assert alarm.finding.key == "n1"
    assert alarm.finding.labels["exclude"] == "--exclude=n1"
    assert alarm.finding.cost
    reporting(run, scores())
    assert run.told("slow-node") == ["firing", "resolved"]


@pytest.mark.parametrize(
    "reports",
    [
        [scores()] * 9,
        [SLOW, SLOW, scores()] * 3,
        [scores({9: 0.7}), scores({2: 0.7}), scores({12: 0.7})],  # another one each time
        [scores({9: 0.85})] * 9,  # hardly
        [SLOW[:6]] * 2,  # cut
        [["GPU individual performance:", "  Rank=9 Node=n1 Score=0.1"]] * 9,
        [SLOW[1:]] * 9,  # nobody says what they are of
    ],
)
def test_what_says_nothing(reports: list[list[str]]) -> None:
    assert _summaries(reporting(Judged().train(1, 10), *reports)) == []


def test_a_rank_without_a_node() -> None:
    run = reporting(Judged().read(STARTUP).train(1, 10), *[throughput(200.0)] * 3)
    assert _summaries(run) == [
        "rank 9 is 33.3 % slower than the median, 3 reports in a row; "
        "without it the run may be up to 50.0 % faster"
    ]


def test_stages_of_a_pipeline_have_different_work() -> None:
    run = reporting(Judged().read(PIPELINE).train(1, 10), *[throughput(200.0)] * 4)
    assert run.state.facts.pipeline_parallel == 4
    assert _summaries(run) == []


def test_a_report_whose_lines_come_one_by_one_is_judged_when_it_is_whole() -> None:
    run = reporting(Judged().train(1, 10), SLOW, SLOW)
    for line in SLOW:
        run.read(line)
        run.wait(1)
        assert run.firing() == []
    run.wait(2 * MIN)
    assert run.firing() == ["slow-node"]


def test_it_lasts_while_another_attempt_has_not_reported_and_across_lives() -> None:
    run = reporting(Judged().train(1, 10), SLOW, SLOW, SLOW)
    run.reborn().wait(MIN)
    run.read(STARTUP)
    run.train(100, 160)
    assert run.fires("slow-node")
    reporting(run, scores(), scores(), scores())
    assert run.told("slow-node") == ["firing", "resolved"]


def test_thresholds_are_settings() -> None:
    chosen = AlertSettings(slow_node=SlowNode(least_slower=0.5, reports=2))
    assert _summaries(reporting(Judged(chosen).train(1, 10), SLOW, SLOW)) == []
    chosen = AlertSettings(slow_node=SlowNode(reports=2))
    assert len(_summaries(reporting(Judged(chosen).train(1, 10), SLOW, SLOW))) == 1


def test_reports_of_a_year_keep_the_state_small() -> None:
    many = [f"  Rank={rank} Node=n{rank} Score=0.9" for rank in range(2000)]
    run = Judged().train(1, 10)
    for _ in range(40):
        run.read(["GPU relative performance:", *many, "GPU individual performance:"])
    assert len(run.state.rank_reports) <= MOST + 2
    assert len(msgspec.json.encode(run.state)) < 150_000


@pytest.mark.parametrize(
    "speeds",
    [(), ((1, 0.0),), ((1, 0.0), (2, 0.0)), ((1, 0.0), (2, 1.0)), ((1, 5.0), (1, 1.0))],
)
def test_numbers_of_all_kinds(speeds: tuple[tuple[int, float], ...]) -> None:
    made = tuple(RankSpeed(rank, speed) for rank, speed in speeds)
    report = RankReport(kind="scores", attempt=0, speeds=made)
    for slow in slow_in_all([report] * 3, 0.15):
        assert 0.15 <= slow.slower <= 1
        assert slow.gain >= 0
    assert slow_in_all([], 0.15) == []
