"""What is scraped of a status: each number where it belongs, the unknown nowhere, foreign text bounded."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.core.metrics.making import AT, FULL, Found, alert, of
from trainwatch.core.metrics.around import MOST_RULES
from trainwatch.core.metrics.labels import LABEL_CHARS
from trainwatch.core.metrics.measure import MOST_RUNS, MOST_SHARED, Watcher
from trainwatch.core.metrics.table import METRICS
from trainwatch.core.model.housekeeping import SyncStatus
from trainwatch.core.model.observations import QueueReading
from trainwatch.core.model.status import DiskStatus, Status

RUN = ("run", "tr11-176B")
BARE = Status(run="gone", health="unknown")
EXPECTED: Found = {
    ("trainwatch_build_info", (("version", "1.2.3"),)): 1,
    ("trainwatch_heartbeat_timestamp_seconds", ()): AT,
    ("trainwatch_runs", ()): 1,
    (
        "trainwatch_run_info",
        (
            ("framework", "megatron-deepspeed"),
            ("gpu_type", "A100"),
            ("precision", "bfloat16"),
            RUN,
        ),
    ): 1,
    ("trainwatch_queue_jobs", (RUN, ("state", "running"))): 1,
    ("trainwatch_queue_jobs", (RUN, ("state", "pending"))): 2,
    ("trainwatch_queue_jobs", (RUN, ("state", "other"))): 1,
    ("trainwatch_alert_firing", (("rule", "disk-full"), RUN, ("severity", "warning"))): 2,
    ("trainwatch_alert_muted", (("rule", "disk-full"), RUN, ("severity", "warning"))): 1,
    ("trainwatch_alert_firing", (("rule", "stall"), RUN, ("severity", "critical"))): 1,
    ("trainwatch_alert_muted", (("rule", "stall"), RUN, ("severity", "critical"))): 0,
    ("trainwatch_alerts", (RUN, ("severity", "critical"))): 1,
    ("trainwatch_alerts", (RUN, ("severity", "warning"))): 2,
    ("trainwatch_alerts", (RUN, ("severity", "info"))): 0,
    ("trainwatch_disk_size_bytes", (("disk", "scratch"),)): 10**15,
    ("trainwatch_disk_free_bytes", (("disk", "scratch"),)): 10**14,
    ("trainwatch_disk_inodes", (("disk", "scratch"),)): 10**9,
    ("trainwatch_disk_inodes_free", (("disk", "scratch"),)): 10**8,
    ("trainwatch_disk_runway_seconds", (("disk", "scratch"),)): 86_400,
    ("trainwatch_disk_reading_timestamp_seconds", (("disk", "scratch"),)): AT - 5,
    ("trainwatch_sync_ok", (("route", "logs"),)): 0,
    ("trainwatch_sync_last_success_timestamp_seconds", (("route", "logs"),)): AT - 4000,
    ("trainwatch_sync_failing_since_timestamp_seconds", (("route", "logs"),)): AT - 3000,
    ("trainwatch_sync_waiting_bytes", (("route", "logs"),)): 56,
    ("trainwatch_sync_sent_bytes_total", (("route", "logs"),)): 123,
    ("trainwatch_sync_sent_files_total", (("route", "logs"),)): 4,
    ("trainwatch_sync_reading_timestamp_seconds", (("route", "logs"),)): AT - 9,
    **{
        ("trainwatch_health", (RUN, ("trainwatch_health", word))): word == "critical"
        for word in ("ok", "warning", "critical", "unknown")
    },
    **{
        ("trainwatch_phase", (RUN, ("trainwatch_phase", word))): word == "train"
        for word in ("unknown", "startup", "load", "train", "evaluate", "save", "exit")
    },
    **{
        (f"trainwatch_{name}", (RUN,)): value
        for name, value in {
            "run_heartbeat_timestamp_seconds": AT,
            "phase_start_timestamp_seconds": AT - 10,
            "log_size_bytes": 10_485_760,
            "log_torn_lines_total": 3,
            "iteration": 95_000,
            "target_iteration": 115_311,
            "progress_ratio": 0.824,
            "eta_seconds": 2_137_000,
            "last_progress_timestamp_seconds": AT - 60,
            "consumed_samples": 180_000_000,
            "consumed_tokens": 368_640_000_000,
            "attempts_total": 2,
            "step_time_seconds": 105.25,
            "usual_step_time_seconds": 104.5,
            "gpu_flop_per_second": 130.5e12,
            "mfu_ratio": 0.418,
            "samples_per_second": 19.5,
            "tokens_per_second": 39_936,
            "gpus": 384,
            "nodes": 48,
            "parameters": 176e9,
            "loss": 2.303,
            "loss_is_nan": 0,
            "validation_loss": 2.2,
            "grad_norm": 0.147,
            "learning_rate": 5.9e-05,
            "global_batch_samples": 2048,
            "checkpoint_iteration": 94_800,
            "checkpoint_timestamp_seconds": AT - 20_000,
            "checkpoint_duration_seconds": 40,
            "at_risk_iterations": 200,
            "at_risk_seconds": 5.5 * 3600,
            "at_risk_gpu_seconds": 2112 * 3600,
            "checkpoints": 12,
            "checkpoints_complete": 11,
            "checkpoints_size_bytes": 30 * 10**12,
            "checkpoints_prunable_bytes": 10**12,
            "checkpoints_listing_timestamp_seconds": AT - 100,
            "queue_answers": 1,
            "queue_reading_timestamp_seconds": AT - 30,
            "queue_start_timestamp_seconds": AT + 7300,
            "queue_end_timestamp_seconds": AT + 7200,
            "warnings": 1,
            "troubles": 1,
        }.items()
    },
}


def test_a_full_status_says_all_of_it() -> None:
    assert of(FULL) == EXPECTED
    assert {name for name, _ in EXPECTED} == {metric.series for metric in METRICS}


def test_what_is_unknown_has_no_series() -> None:
    names = {name for name, _ in of(BARE, watcher=Watcher("1", None))}
    assert names == {
        "trainwatch_build_info",
        "trainwatch_runs",
        "trainwatch_run_info",
        "trainwatch_health",
        "trainwatch_phase",
    }


def test_a_scheduler_without_an_answer_has_no_jobs_and_not_none() -> None:
    asked = QueueReading(at=AT, state="unknown", why="it hangs")
    found = of(replace(FULL, queue=asked))
    assert found["trainwatch_queue_answers", (RUN,)] == 0
    assert not any(name == "trainwatch_queue_jobs" for name, _ in found)
    empty = of(replace(FULL, queue=QueueReading(at=AT, state="ok")))
    assert empty["trainwatch_queue_jobs", (RUN, ("state", "running"))] == 0


def test_a_nan_loss_is_said_and_is_no_number() -> None:
    found = of(replace(FULL, loss=None, loss_is_nan=True))
    assert found["trainwatch_loss_is_nan", (RUN,)] == 1
    assert ("trainwatch_loss", (RUN,)) not in found


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_left_out(value: float) -> None:
    found = of(replace(FULL, grad_norm=value, eta_s=value))
    assert ("trainwatch_grad_norm", (RUN,)) not in found
    assert ("trainwatch_eta_seconds", (RUN,)) not in found


def test_a_word_of_a_newer_trainwatch_is_not_taken_for_another() -> None:
    assert not any(name == "trainwatch_health" for name, _ in of(replace(FULL, health="splendid")))


def test_runs_of_one_name_are_told_apart_and_keep_their_names() -> None:
    twins = [replace(FULL, log=f"/{place}/main_log.txt") for place in ("a", "b")]
    first, second = (
        {dict(labels)["run"] for name, labels in of(*runs) if name == "trainwatch_iteration"}
        for runs in (twins, reversed(twins))
    )
    assert first == second
    assert len(first) == 2
    assert all(re.fullmatch(r"tr11-176B#[0-9a-f]{8}", name) for name in first)


def test_the_same_run_twice_is_one() -> None:
    assert len(of(FULL, FULL)) == len(EXPECTED)


def test_a_disk_of_all_runs_is_told_once_as_it_was_heard_last() -> None:
    (heard,) = FULL.disks
    older = replace(FULL, run="b", disks=(replace(heard, at=AT - 60, bytes_free=1),))
    for runs in ((FULL, older), (older, FULL)):
        assert of(*runs)["trainwatch_disk_free_bytes", (("disk", "scratch"),)] == 10**14


def test_labels_of_a_watcher_are_on_all_it_says() -> None:
    found = of(FULL, watcher=Watcher("1.2.3", AT, (("shard", "2"),)))
    assert len(found) == len(EXPECTED)
    assert all(("shard", "2") in labels for _, labels in found)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x1b[31m\nb", "a [31m b"),
        ("\udcff", "unnamed"),
        ("", "unnamed"),
        ("x" * 500, "x" * (LABEL_CHARS - 1) + "…"),
        ('a"} 1\\', 'a"} 1\\'),  # escaped where it is written
    ],
)
def test_a_foreign_name_is_one_short_line(name: str, shown: str) -> None:
    found = of(replace(FULL, run=name))
    assert ("trainwatch_iteration", (("run", shown),)) in found


def test_a_token_in_a_name_is_masked() -> None:
    secret = "hf_abcdefghijklmnopqrstuvwxyz012345"
    assert not any(secret in str(labels) for _, labels in of(replace(FULL, run=f"run {secret}")))


def test_there_is_a_bound_on_everything() -> None:
    many = [replace(BARE, run=f"r{n}") for n in range(MOST_RUNS + 5)]
    alerts = tuple(alert(f"own-{n:04d}", "warning") for n in range(MOST_RULES + 5))
    disks = tuple(DiskStatus(disk=f"d{n}", folder="/", at=AT) for n in range(MOST_SHARED + 5))
    syncs = tuple(SyncStatus(route=f"s{n}", at=AT, ok=True) for n in range(MOST_SHARED + 5))
    gravest = alert("stall", "critical")
    loud = replace(FULL, alerts=(*alerts, gravest), disks=disks, syncs=syncs)
    found = of(loud, *many)
    names = [name for name, _ in found]
    assert found["trainwatch_runs", ()] == MOST_RUNS + 6
    assert names.count("trainwatch_run_info") == MOST_RUNS
    assert names.count("trainwatch_alert_firing") == MOST_RULES
    assert ("trainwatch_alert_firing", (("rule", "stall"), RUN, ("severity", "critical"))) in found
    assert names.count("trainwatch_disk_reading_timestamp_seconds") == MOST_SHARED
    assert names.count("trainwatch_sync_ok") == MOST_SHARED


def test_names_are_of_the_conventions() -> None:
    names = [metric.series for metric in METRICS]
    assert len(set(names)) == len(names)
    for metric in METRICS:
        assert re.fullmatch(r"trainwatch_[a-z][a-z_]*[a-z]", metric.name), metric.name
        assert not metric.name.endswith(("_total", "_info", "_count", "_sum", "_bucket"))
        assert metric.means.endswith(".")
        assert not metric.suffix or metric.series.removesuffix("_total").endswith(metric.suffix)


@given(st.lists(st.text(max_size=200), min_size=1, max_size=20))
def test_no_names_make_the_same_series_twice(names: list[str]) -> None:
    """`of` says so."""
    disks = tuple(DiskStatus(disk=name, folder="/", at=AT) for name in names)
    found = of(*(replace(FULL, run=name, disks=disks) for name in names))
    assert all(len(value) <= LABEL_CHARS for _, labels in found for _, value in labels)
    runs = {dict(labels)["run"] for name, labels in found if name == "trainwatch_iteration"}
    assert len(runs) == len(set(names))
