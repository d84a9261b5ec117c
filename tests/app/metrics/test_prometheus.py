"""A real Prometheus scrapes a real watch of a growing log: it has what `trainwatch status` says.

Its own view of the dashboard and of the alert rules of docs/metrics.md is asked for, too.
"""

import json
import re
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.adapters.receiving import free_port
from tests.core.metrics.making import AT, FULL
from tests.docs.test_metrics_page import DASHBOARD, RULES, expressions
from tests.waiting import waits
from trainwatch.app import config, wiremetrics

PROMETHEUS = shutil.which("prometheus")
NODE_EXPORTER = shutil.which("prometheus-node-exporter") or shutil.which("node_exporter")
ITERATIONS = 40
CONFIG = """
poll_interval_s = 0.5
heartbeat_interval_s = 1
[[runs]]
log = "{folder}/run/main_log.txt"
name = 'sim "7B"'
[metrics]
listen = "127.0.0.1:{port}"
"""
SCRAPE = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{folder}/rules.yml"]
scrape_configs:
  - job_name: trainwatch
    static_configs:
      - targets: ["127.0.0.1:{port}"]
"""
SAME = {
    "iteration": "iteration",
    "target_iteration": "target_iteration",
    "progress": "progress_ratio",
    "eta_s": "eta_seconds",
    "step_time_s": "step_time_seconds",
    "mfu": "mfu_ratio",
    "samples_per_s": "samples_per_second",
    "tokens_per_s": "tokens_per_second",
    "loss": "loss",
    "grad_norm": "grad_norm",
    "learning_rate": "learning_rate",
    "global_batch_size": "global_batch_samples",
    "consumed_samples": "consumed_samples",
    "consumed_tokens": "consumed_tokens",
    "last_progress_at": "last_progress_timestamp_seconds",
    "parameters": "parameters",
    "gpus": "gpus",
    "log_bytes": "log_size_bytes",
}


def until(true: Callable[[], bool]) -> bool:
    """Whether it becomes true; a question to Prometheus is not asked fifty times a second."""
    return waits(true, within_s=90, every_s=0.2)


@contextmanager
def running(command: list[str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process, until the context ends."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=log.parent)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Scraped(NamedTuple):
    """A watch, and the Prometheus that scrapes it."""

    folder: Path
    url: str
    simulated: "subprocess.Popen[bytes]"

    def api(self, path: str, **parameters: str) -> dict[str, Any]:
        """Its answer."""
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
        assert found["status"] == "success", found
        data: dict[str, Any] = found["data"]
        return data

    def series(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """Labels and value of each, now."""
        found = self.api("query", query=expression)["result"]
        return [(one["metric"], float(one["value"][1])) for one in found]

    def number(self, expression: str) -> float | None:
        """Of the only one."""
        found = self.series(expression)
        assert len(found) < 2, found
        return found[0][1] if found else None

    def status(self) -> dict[str, Any]:
        """What `trainwatch status` says."""
        places = ["--config", str(self.folder / "trainwatch.toml"), "--state-dir", "state"]
        command = [sys.executable, "-m", "trainwatch", "status", "--json", *places]
        said = subprocess.run(command, capture_output=True, cwd=self.folder, check=False)
        found: dict[str, Any] = json.loads(said.stdout)[0]
        return found


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    if PROMETHEUS is None:
        pytest.skip("no Prometheus here (Debian: prometheus)")
    folder = tmp_path_factory.mktemp("prometheus")
    port, api = free_port(), free_port()
    (folder / "trainwatch.toml").write_text(CONFIG.format(folder=folder, port=port))
    (folder / "prometheus.yml").write_text(SCRAPE.format(folder=folder, port=port))
    (folder / "rules.yml").write_text(RULES)
    ours = [sys.executable, "-m", "trainwatch"]
    simulate = [*ours, "simulate", "run", "--speed", "20", "--iterations", str(ITERATIONS)]
    watch = [*ours, "watch", "--config", "trainwatch.toml", "--state-dir", "state"]
    scrape = [
        str(PROMETHEUS),
        "--config.file=prometheus.yml",
        "--storage.tsdb.path=data",
        f"--web.listen-address=127.0.0.1:{api}",
    ]
    with ExitStack() as stack:
        simulated = stack.enter_context(running(simulate, folder / "simulate.log"))
        assert until((folder / "run" / "main_log.txt").exists)
        stack.enter_context(running(watch, folder / "watch.log"))
        stack.enter_context(running(scrape, folder / "prometheus.log"))
        made = Scraped(folder, f"http://127.0.0.1:{api}", simulated)
        assert until(lambda: _is_up(made)), (folder / "prometheus.log").read_text()
        yield made


def _is_up(scraped: Scraped) -> bool:
    try:
        return scraped.number("up") == 1
    except OSError:
        return False


def test_it_has_what_the_status_says_while_the_log_grows_and_at_its_end(scraped: Scraped) -> None:
    run = '{run="sim \\"7B\\""}'
    first = f"trainwatch_iteration{run}"
    assert until(lambda: scraped.number(first) is not None)
    began = scraped.number(first) or 0
    assert began < ITERATIONS
    assert until(lambda: (scraped.number(first) or 0) > began)  # it grows
    assert scraped.simulated.wait(90) == 0
    assert until(lambda: scraped.status()["iteration"] == ITERATIONS)

    def differing() -> dict[str, Any]:
        said = scraped.status()
        found = {key: scraped.number(f"trainwatch_{name}{run}") for key, name in SAME.items()}
        found["tflops"] = (scraped.number(f"trainwatch_gpu_flop_per_second{run}") or 0) / 1e12
        same = {key: pytest.approx(said[key], rel=1e-12) for key in found}
        return {key: (found[key], said[key]) for key in found if found[key] != same[key]}

    assert until(lambda: not differing()), differing()
    words = {
        labels["trainwatch_health"]: value
        for labels, value in scraped.series(f"trainwatch_health{run}")
    }
    assert words == {
        word: float(word == scraped.status()["health"])
        for word in ("ok", "warning", "critical", "unknown")
    }
    age = scraped.number("time() - trainwatch_heartbeat_timestamp_seconds")
    assert age is not None
    assert -5 < age < 60


def test_nothing_of_a_scrape_is_refused(scraped: Scraped) -> None:
    (target,) = scraped.api("targets")["activeTargets"]
    assert (target["health"], target["lastError"]) == ("up", "")
    kinds = scraped.api("metadata")
    assert kinds["trainwatch_health"][0]["type"] == "stateset"  # it was asked in OpenMetrics
    assert kinds["trainwatch_step_time_seconds"][0]["unit"] == "seconds"


def test_it_takes_the_alert_rules_of_the_page(scraped: Scraped) -> None:
    def rules() -> list[dict[str, Any]]:
        (group,) = scraped.api("rules")["groups"]
        found: list[dict[str, Any]] = group["rules"]
        return found

    assert until(lambda: all(rule["health"] == "ok" for rule in rules())), rules()
    firing = {rule["name"] for rule in rules() if rule["state"] == "firing"}
    assert not firing & {"TrainwatchSilent", "TrainwatchGone"}


@pytest.mark.parametrize("expression", expressions(DASHBOARD))
def test_it_understands_a_query_of_the_dashboard(scraped: Scraped, expression: str) -> None:
    replaced = expression.replace("$run", ".*").replace("$__rate_interval", "1m")
    found = scraped.series(replaced)
    needs = re.search(
        r"disk|sync|queue|checkpoint|alert_firing|at_risk|validation|usual|unknown", expression
    )
    # This worker's Prometheus may have been asked for the first time just now.
    assert found or needs or until(lambda: bool(scraped.series(replaced)))


def test_the_port_is_of_loopback_only(scraped: Scraped) -> None:
    port = int((scraped.folder / "prometheus.yml").read_text().rpartition(":")[2].strip('"]\n '))
    listening = Path("/proc/net/tcp").read_text().splitlines()[1:]
    ours = [line.split()[1] for line in listening if line.split()[3] == "0A"]
    assert [one for one in ours if int(one.partition(":")[2], 16) == port] == [
        f"0100007F:{port:04X}"
    ]


# textfiles


@pytest.mark.skipif(
    NODE_EXPORTER is None, reason="no node_exporter here (Debian: prometheus-node-exporter)"
)
def test_a_node_exporter_collects_the_files_of_all_shards_also_of_one_that_is_lost(
    tmp_path: Path,
) -> None:
    """Series that are the same in two files would be an error of the whole node."""
    files = tmp_path / "textfiles"
    files.mkdir()
    settings = config.parse(f'[metrics]\ntextfile = "{files}/t.prom"')
    shared = replace(FULL, run="taken over")
    for shard, runs in ((0, [FULL, shared]), (1, [shared])):
        exposer = wiremetrics.exposer(settings, shard=shard, once=True)
        assert exposer is not None
        exposer.finish(AT, lambda runs=runs: runs, 0.0)  # type: ignore[misc]
        assert not exposer.remarks
        exposer.close()
    url = f"127.0.0.1:{free_port()}"
    command = [
        str(NODE_EXPORTER),
        "--collector.disable-defaults",
        "--collector.textfile",
        f"--collector.textfile.directory={files}",
        f"--web.listen-address={url}",
    ]
    log = tmp_path / "node_exporter.log"
    with running(command, log):
        assert until(lambda: _text_of(url) != ""), log.read_text()
        text = _text_of(url)
    assert "\nnode_textfile_scrape_error 0\n" in text
    assert "error gathering" not in log.read_text()
    found = {line for line in text.splitlines() if line.startswith("trainwatch_")}
    written = {
        line.rpartition(" ")[0]
        for path in files.iterdir()
        for line in path.read_text().splitlines()
        if not line.startswith("#")
    }
    assert {line.rpartition(" ")[0] for line in found} == written
    assert 'trainwatch_iteration{run="taken over",shard="1"} 95000' in found


def _text_of(url: str) -> str:
    try:
        with urllib.request.urlopen(f"http://{url}/metrics", timeout=30) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""
