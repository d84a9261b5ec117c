"""Configuration: what is wrong is named, with its line, and what would be right."""

from pathlib import Path

import pytest

from trainwatch.app import config
from trainwatch.core.errors import ExitCode, UsageError

WRONG = {
    "no option": (
        '[[runs]]\nlog = "x"\n[runs.hands]\nresubmit_options = ["qos=normal"]',
        "line 4: runs[0].hands.resubmit_options[0]: expected an option of sbatch, which begins with -",
    ),
    "unknown key": (
        "poll_intervall_s = 5",
        "config.toml line 1: unknown key 'poll_intervall_s'. Did you mean 'poll_interval_s'?",
    ),
    "unknown key in a run": (
        '[[runs]]\nlog = "x"\nnmae = "y"',
        "config.toml line 3: unknown key 'runs[0].nmae'. Did you mean 'name'?",
    ),
    "unknown key in a run's table": (
        '[[runs]]\nlog = "x"\n[runs.model]\nhiden_size = 5',
        "config.toml line 4: unknown key 'runs[0].model.hiden_size'. Did you mean 'hidden_size'?",
    ),
    "unknown key in a format": (
        "[formats.mine]\npattern = 'x'\ncontain = 'y'",
        "config.toml line 3: unknown key 'formats.mine.contain'. Did you mean 'contains'?",
    ),
    "nothing near": (
        "zzz = 1",
        "config.toml line 1: unknown key 'zzz'. Known here: state_dir, poll_interval_s, "
        "heartbeat_interval_s, log_utc_offset_h, runs, disks, formats, slurm, cron, scripts, alerts, "
        "receivers, sync, metrics.",
    ),
    "wrong type": (
        'poll_interval_s = "fast"',
        "config.toml line 1: poll_interval_s: expected number, got text",
    ),
    "a negative size": (
        '[[runs]]\nlog = "x"\n[runs.model]\nhidden_size = -8',
        "config.toml line 4: runs[0].model.hidden_size: expected whole number >= 1",
    ),
    "no name of a user": (
        '[slurm]\nusers = ["a b"]',
        "config.toml line 2: slurm.users[0]: expected one name, without blanks and commas",
    ),
    "a folder that is no list of them": (
        '[scripts]\nhourly = "~/cron.hourly"',
        "config.toml line 2: scripts.hourly: expected list, got text",
    ),
    "a folder without a root": (
        '[scripts]\nhourly = ["cron.hourly"]',
        "config.toml line 2: scripts.hourly[0]: expected a folder that begins with / or ~",
    ),
    "an hour that no day has": (
        '[scripts]\ndaily_at = "24:00"',
        'config.toml line 2: scripts.daily_at: expected a time of day like "04:00"',
    ),
    "an hour without quotes": (
        "[scripts]\ndaily_at = 04:00:00",
        "config.toml line 2: scripts.daily_at: expected text, got 'time'",
    ),
    "no deadline": (
        "[scripts]\ndeadline_min = 0",
        "config.toml line 2: scripts.deadline_min: expected number > 0",
    ),
    "an option that would undo the job": (
        '[slurm.jobs]\noptions = ["--array=1-3"]',
        "config.toml line 2: slurm.jobs.options[0]: expected an option of sbatch as --name or --name=value, "
        "and none that trainwatch sets itself",
    ),
    "a partition of two words": (
        '[slurm.jobs]\npartition = "a b"',
        "config.toml line 2: slurm.jobs.partition: expected one word, without blanks",
    ),
    "a missing log": ('[[runs]]\nname = "x"', "missing required field 'log'"),
    "no toml": ("a = = 1", "config.toml is not TOML: Invalid value (at line 1, column 5)"),
    "a name with a slash": (
        '[[runs]]\nlog = "x"\nname = "a/b"',
        "line 3: runs[0].name: expected a name without a slash",
    ),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        config.parse(text)
    assert message in str(raised.value)
    assert raised.value.exit_code == ExitCode.USAGE


def test_overrides_become_facts_that_say_they_are_configured() -> None:
    text = '[[runs]]\nlog = "x"\n[runs.model]\nparameters = 176e9\n[runs.cluster]\ngpus = 384'
    facts = config.parse(text).runs[0].facts()
    assert (facts.parameters, facts.gpus) == (176e9, 384)
    assert facts.sources == {"parameters": "config", "gpus": "config"}


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        config.load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe = 1")
    with pytest.raises(UsageError, match="not a text file"):
        config.load(tmp_path / "latin.toml")


def test_where_it_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    assert config.default_path() is None
    (tmp_path / "xdg" / "trainwatch").mkdir(parents=True)
    (tmp_path / "xdg" / "trainwatch" / "config.toml").write_text("")
    assert config.default_path() == tmp_path / "xdg" / "trainwatch" / "config.toml"
    (tmp_path / "trainwatch.toml").write_text("")
    assert config.default_path() == Path("trainwatch.toml")
    monkeypatch.setenv("TRAINWATCH_CONFIG", "elsewhere.toml")
    assert config.default_path() == Path("elsewhere.toml")
