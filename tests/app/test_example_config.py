"""config.example.toml: it loads, it names every key, and what it leaves commented out would load, too."""

import re
from pathlib import Path
from typing import get_args

import msgspec

from trainwatch.app import config
from trainwatch.app.config import Cluster, FormatSettings, Model, RunSettings, Settings, Training
from trainwatch.app.receivers import Kind, ReceiverSettings

TEXT = (Path(__file__).parents[2] / "config.example.toml").read_text()


def test_it_loads_and_its_format_reads_a_line() -> None:
    settings = config.parse(TEXT)
    assert settings.runs[0].name == "tr11-176B"
    found = re.search(settings.formats["mine"].pattern, "step 5/10 took 0.25s loss=2.5")
    assert found is not None
    assert found.groupdict() == {
        "iteration": "5",
        "target": "10",
        "step_time_s": "0.25",
        "loss": "2.5",
    }


def test_every_key_is_in_it() -> None:
    kinds = (Settings, RunSettings, Model, Cluster, Training, FormatSettings, ReceiverSettings)
    for kind in kinds:
        for field in msgspec.structs.fields(kind):
            assert re.search(rf"^#? ?\[*(?:\w+\.)?{field.name}\b", TEXT, re.MULTILINE), field.name


def test_what_is_commented_out_loads_too() -> None:
    uncommented = re.sub(r"^# (\w+ = |\[)", r"\1", TEXT, flags=re.MULTILINE)
    settings = config.parse(uncommented)
    assert {one.kind for one in settings.receivers.values()} == set(get_args(Kind))
    facts = settings.runs[0].facts()
    assert (facts.parameters, facts.gpus, facts.rampup) == (176e9, 384, (192, 16, 9_765_625))
    assert len(facts.sources) == sum(len(k.__struct_fields__) for k in (Model, Cluster, Training))
