"""config.example.toml: it loads, it names every key, and what it leaves commented out would load, too."""

import re
from pathlib import Path
from typing import get_args

import msgspec
from msgspec.structs import replace

from trainwatch.app import config
from trainwatch.app.checkpoints.settings import CheckpointSettings
from trainwatch.app.config import (
    Cluster,
    FormatSettings,
    JobSettings,
    Model,
    RunSettings,
    Settings,
    Training,
)
from trainwatch.app.cron.settings import CronSettings
from trainwatch.app.metricsettings import MetricsSettings
from trainwatch.app.publishing.settings import PublicSettings, TensorBoardSettings
from trainwatch.app.receivers import Kind, ReceiverSettings
from trainwatch.app.scriptsettings import ScriptSettings
from trainwatch.app.syncing.settings import SyncSettings
from trainwatch.core.hands.settings import Budget, HandSettings

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
    of_jobs = (JobSettings, CronSettings, ScriptSettings, HandSettings, Budget)
    beside = (FormatSettings, ReceiverSettings, SyncSettings, CheckpointSettings)
    shown = (PublicSettings, TensorBoardSettings, MetricsSettings)
    tables = (Model, Cluster, Training, *beside, *shown, *of_jobs)
    kinds = (Settings, RunSettings, *tables)
    for kind in kinds:
        for field in msgspec.structs.fields(kind):
            assert re.search(rf"^#? ?\[*(?:\w+\.)*{field.name}\b", TEXT, re.MULTILINE), field.name


def test_no_hand_is_on_by_default() -> None:
    hands = config.parse(TEXT).runs[0].hands
    assert hands == HandSettings()
    assert not hands.any


def test_no_checkpoint_is_removed_by_default() -> None:
    assert config.parse(TEXT).runs[0].checkpoints == CheckpointSettings()


def test_nothing_is_shown_outside_by_default() -> None:
    run = config.parse(TEXT).runs[0]
    assert (run.public, run.tensorboard) == (PublicSettings(), TensorBoardSettings())
    assert not config.parse(TEXT).metrics.any


def test_what_is_commented_out_loads_too() -> None:
    uncommented = re.sub(r"^# (\w+ = |\[)", r"\1", TEXT, flags=re.MULTILINE)
    settings = config.parse(uncommented)
    assert {one.kind for one in settings.receivers.values()} == set(get_args(Kind))
    assert [one.target for one in settings.runs[0].checkpoints.rounds] == [100, 1000]
    assert settings.scripts == replace(
        ScriptSettings(), hourly=("~/cron.hourly",), daily=("~/cron.daily",)
    )
    assert settings.metrics.listen == "127.0.0.1:9464"
    assert settings.metrics.path(None) == Path("~/node-exporter/trainwatch.prom").expanduser()
    (route,) = settings.sync
    defaults = SyncSettings(name="logs", root=route.root, what=route.what, to=route.to, into="logs")
    assert route == defaults
    facts = settings.runs[0].facts()
    hands = settings.runs[0].hands
    assert (hands.any, hands.apply, hands.most_per_day) == (True, False, Budget())
    assert hands.least_gap_min == HandSettings().least_gap_min
    assert (facts.parameters, facts.gpus, facts.rampup) == (176e9, 384, (192, 16, 9_765_625))
    assert len(facts.sources) == sum(len(k.__struct_fields__) for k in (Model, Cluster, Training))
