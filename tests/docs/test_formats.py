"""The examples of docs/formats.md are read as the formats they stand under, and no format is left out."""

import re
from pathlib import Path

import pytest

from tests.core.logs.reading import read
from trainwatch.core.logs.table import FORMATS
from trainwatch.core.model.records import Iteration

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
EXAMPLES = dict(re.findall(r"^## (\S+)\n[^#]*?^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
_EVENTS = {"bar", "megatron-start", "arguments", "launcher", "gpu", "checkpoints", "loads"}
_EVENTS |= {"validations", "deepspeed-profiler", "exits", "slurm", "faults", "stragglers"}


def test_every_format_stands_there() -> None:
    printed = {f.name for f in FORMATS if not f.name.endswith("-events")} - _EVENTS
    assert set(EXAMPLES) == printed


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read_as_what_it_is(name: str) -> None:
    found = [record for record in read(EXAMPLES[name]) if isinstance(record, Iteration)]
    assert {record.format for record in found} == {name}
    assert any(len(record.values) > 0 for record in found)
