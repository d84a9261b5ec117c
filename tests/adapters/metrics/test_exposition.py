"""What is written is read by two others: prometheus_client's own parser, and Prometheus' promtool."""

import shutil
import subprocess

import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.adapters.metrics.pages import FAMILIES
from tests.core.metrics.making import numbers
from trainwatch.adapters.metrics import OPENMETRICS, PROMETHEUS, text_of

PROMTOOL = shutil.which("promtool")


def read_back() -> list[Metric]:
    """What the library's own parser makes of it."""
    text = text_of(FAMILIES, OPENMETRICS).decode()
    return list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


def test_openmetrics_is_read_back_as_what_it_was() -> None:
    found = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in read_back()
        for sample in family.samples
    }
    assert found == numbers(FAMILIES)


def test_openmetrics_says_kinds_and_units() -> None:
    families = {family.name: (family.type, family.unit) for family in read_back()}
    assert families["trainwatch_health"] == ("stateset", "")
    assert families["trainwatch_sync_sent_bytes"] == ("counter", "bytes")
    assert families["trainwatch_mfu_ratio"] == ("gauge", "ratio")
    assert families["trainwatch_build"] == ("info", "")


@pytest.mark.skipif(PROMTOOL is None, reason="no promtool here (Debian: prometheus)")
def test_promtool_has_nothing_to_say_about_the_textfile() -> None:
    text = text_of(FAMILIES, PROMETHEUS)
    got = subprocess.run([str(PROMTOOL), "check", "metrics"], input=text, capture_output=True)
    assert (got.returncode, got.stdout, got.stderr) == (0, b"", b"")
