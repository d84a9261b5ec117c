"""docs/metrics.md and the dashboard against the code: every metric, and none that there is not."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from trainwatch.app import config
from trainwatch.core.metrics.model import Metric
from trainwatch.core.metrics.table import METRICS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "metrics.md").read_text()
DASHBOARD: dict[str, Any] = json.loads((ROOT / "docs" / "grafana" / "trainwatch.json").read_text())
_YAML = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(RULES,) = (block for block in _YAML if "alert:" in block)
NAMES = {metric.series: metric for metric in METRICS}
_WORDS = re.compile(r"\btrainwatch_[a-z_]+")


def expressions(dashboard: dict[str, Any]) -> list[str]:
    """What its panels ask."""
    return [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]


def row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.series}` | {labels} | {metric.kind} | {metric.unit} | {metric.means} |"


def test_the_page_has_a_row_of_every_metric_and_no_other() -> None:
    assert re.findall(r"^\| `trainwatch_.*$", PAGE, re.MULTILINE) == [row(one) for one in METRICS]


def test_the_page_names_no_metric_that_there_is_not() -> None:
    assert set(_WORDS.findall(PAGE)) <= set(NAMES)


def test_the_configuration_of_the_page_is_one() -> None:
    (lines,) = re.findall(r"^    (\[metrics\]\n(?:    .*\n)+)", PAGE, re.MULTILINE)
    found = config.parse(lines.replace("\n    ", "\n")).metrics
    assert (str(found.address), found.path(3)) == (
        "127.0.0.1:9464",
        Path("~/node-exporter/trainwatch.shard-3.prom").expanduser(),
    )


@pytest.mark.parametrize("expression", expressions(DASHBOARD))
def test_a_query_of_the_dashboard_asks_for_what_there_is(expression: str) -> None:
    asked = _WORDS.findall(expression)
    assert asked
    assert set(asked) <= set(NAMES)
    of_runs = [name for name in asked if "run" in NAMES[name].labels]
    is_whole = expression.startswith("sum(")  # over all runs
    assert not of_runs or "$run" in expression or is_whole


def test_the_dashboard_asks_the_prometheus_that_is_chosen_and_lists_the_runs() -> None:
    variables = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    (asked,) = _WORDS.findall(variables["run"]["definition"])
    assert "run" in NAMES[asked].labels
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            assert target["datasource"]["uid"] == "${datasource}"


def test_panels_have_numbers_of_their_own_and_do_not_overlap() -> None:
    taken = set[tuple[int, int]]()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells
    numbers = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(numbers)) == len(numbers)


TRIALS = """
rule_files: [rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: trainwatch_heartbeat_timestamp_seconds, values: "0 60 120 120 120 120 120 120 120 120"}
    alert_rule_test:
      - {eval_time: 6m, alertname: TrainwatchSilent}
      - eval_time: 9m
        alertname: TrainwatchSilent
        exp_alerts:
          - exp_labels: {severity: critical}
            exp_annotations: {summary: nobody has looked at the runs for 7m 0s}
  - interval: 1m
    input_series:
      - {series: 'trainwatch_alert_firing{run="a", rule="disk-full", severity="warning"}', values: "2x5"}
      - {series: 'trainwatch_alert_muted{run="a", rule="disk-full", severity="warning"}', values: "1x5"}
      - {series: 'trainwatch_alert_firing{run="a", rule="stall", severity="critical"}', values: "1x5"}
      - {series: 'trainwatch_alert_muted{run="a", rule="stall", severity="critical"}', values: "1x5"}
    alert_rule_test:
      - eval_time: 2m
        alertname: TrainwatchAlert
        exp_alerts:
          - exp_labels: {run: a, rule: disk-full, severity: warning}
            exp_annotations: {summary: "a: disk-full"}
"""


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool (Debian: prometheus)")
def test_the_alert_rules_of_the_page_fire_when_they_should(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(RULES)
    (tmp_path / "trials.yml").write_text(TRIALS)
    for command in (["check", "rules", "rules.yml"], ["test", "rules", "trials.yml"]):
        got = subprocess.run(["promtool", *command], cwd=tmp_path, capture_output=True, text=True)
        assert got.returncode == 0, got.stdout + got.stderr
