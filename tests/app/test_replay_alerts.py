"""What `replay` tells of real logs: each change, and the line of the log that caused it.

The chronicles are pieces that people quoted in their diaries: a few lines before a trouble and a few after.
"""

import re
from pathlib import Path

import pytest

from trainwatch.app.replaying import of_log, replay
from trainwatch.core.facts import Facts
from trainwatch.core.judge import Judge
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.rules.settings import AlertSettings

NOW = 1_790_000_000.0
Told = tuple[str, str, str, int | None]  # rule, change, severity, iteration

# the changes of a log, each with a pattern of the line that caused it
EXPLAINED: dict[str, list[tuple[Told, str]]] = {
    "tr1-13B-base_chronicles.log": [
        # three lines around 2.77, then two in a row far above
        (
            ("loss-spike", "firing", "info", 29_060),
            r" iteration    29060/ .* lm loss: 8\.715872E\+00",
        ),
        # the piece after it begins 4,000 iterations later: nothing of the spike is known any more
        (
            ("loss-spike", "resolved", "info", 29_060),
            r" iteration    33240/ .* lm loss: 2\.722675E\+00",
        ),
    ],
    "tr8-104B-wide_chronicles.log": [
        # 3.3, 3.4, 3.7, then 7.3, 4.1, 7.6: the second of three that are far above
        (
            ("loss-spike", "firing", "info", 8_743),
            r" iteration     8743/ .* lm loss: 7\.596509E\+00",
        ),
        # 283 iterations later it is still at 7: it did not heal
        (
            ("loss-spike", "firing", "warning", 8_743),
            r" iteration     9026/ .* lm loss: 7\.024580E\+00",
        ),
        # the loss is left out of the line, and no iteration was skipped
        (
            ("loss-nan", "firing", "warning", 9_027),
            r" iteration     9027/ .* global batch size:   192 \| loss scale: .*skipped iterations:   0",
        ),
    ],
}


def _told(path: Path) -> list[Told]:
    judge = Judge("run", AlertSettings(), Facts())
    steps = replay("run", of_log(path, NOW), Scanner(), 0.0, judge)
    changes = [change for step in steps for change in step.changes]
    return [(c.rule, c.change, c.severity, c.iteration) for c in changes]


@pytest.mark.parametrize("name", EXPLAINED)
def test_each_change_of_a_chronicle_has_its_line(shared_logs: Path, name: str) -> None:
    path = shared_logs / "chronicles" / name
    assert _told(path) == [told for told, _ in EXPLAINED[name]]
    text = path.read_text(errors="replace")
    for _, line in EXPLAINED[name]:
        assert re.search(line, text), line


def test_short_runs_tell_nothing_but_one_leap(shared_logs: Path) -> None:
    """Runs that measured speed. What ended them stands in their last lines, and no time passes after it."""
    logs = sorted((shared_logs / "bigscience").glob("*.out"))
    told = {path.name: _told(path) for path in logs}
    # its warm-up goes wrong: 12.4, 12.4, 41.0, 43.1, 38.1; ten iterations later it is at 17 and falls
    assert told.pop("meg_ds_3d_gpt2_perf_n16-ds-on.out") == [
        ("loss-spike", "firing", "info", 5),
        ("loss-spike", "resolved", "info", 5),
    ]
    assert told
    assert not any(told.values())
