"""Every command of docs/housekeeping.md, run in its order on a real cluster, as a user would."""

import re
from pathlib import Path

from tests.cluster.pages import blocks, run, user_env
from tests.cluster.slurm import Cluster
from tests.cluster.test_rounds import Training

HEAD = """
state_dir = "{folder}/state"
[[runs]]
name = "tr11"
log = "{folder}/main_log.txt"
[runs.slurm]
job_name = "tr-rounds"
"""


def test_every_command_works(commands: Cluster, tmp_path: Path) -> None:
    """/scratch/tr11 of the page is a folder in which a job has trained, and ended; its bucket is a folder."""
    training = Training(commands, tmp_path, "tr11")
    training.end(training.train(10, 1030))
    config, settings, ran = tmp_path / "trainwatch.toml", list[str](), list[str]()
    env = user_env(commands.env, tmp_path)
    places = {
        "/scratch/tr11": str(tmp_path),
        "/scratch": str(tmp_path / "scratch"),
        "s3://kept/tr11": str(tmp_path / "bucket"),
        "/kept": str(tmp_path / "kept"),
    }
    for folder in ("scratch", "bucket", "kept/backups"):
        (tmp_path / folder).mkdir(parents=True)
    said = ""
    for language, _, printed in blocks("housekeeping.md"):
        text = printed
        for there, here in places.items():
            text = text.replace(there, here)
        if language == "toml":
            settings.append(text)
            config.write_text(HEAD.format(folder=tmp_path) + "\n".join(settings))
            continue
        for line in text.strip().splitlines():
            command = line.replace(" ID", f" {_newest_prune(said)}") if " ID" in line else line
            said = run(command, tmp_path, env)
            ran.append(command)
    assert len(ran) >= 17
    assert training.iterations()[0] == 10  # what was pruned was taken back
    again, saved = tmp_path / "scratch/again/global_step1000", training.root / "global_step1000"
    assert {path.name for path in again.iterdir()} < {path.name for path in saved.iterdir()}


def _newest_prune(listing: str) -> str:
    found = re.findall(r"^\s*(\S+)\s+prune\b", listing, re.MULTILINE)
    assert found, listing
    return str(found[-1])
