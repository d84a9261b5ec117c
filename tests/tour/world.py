"""The runs that are toured: the demo's, which is still written, and one whose loss is NaN; and a house."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trainwatch.app.cli import run
from trainwatch.app.simulating import DEMO_SPEED, LiveRun

_CONFIG = """
[[runs]]
name = "demo"
project = "P1"
log = "{demo}"

[[runs]]
name = "main_log"
project = "P2"
log = "{nan}"
[runs.checkpoints]
path = "{folder}/nan/checkpoints"
keep_last = 2

[[disks]]
name = "scratch"
path = "{folder}"

[[sync]]
name = "logs"
root = "{nan_folder}"
what = ["main_log.txt"]
to = "{archive}"
"""


@contextmanager
def configured(folder: Path) -> Iterator[Path]:
    """A configuration of both; the demo is written until the end."""
    assert run(["simulate", str(folder / "nan"), "--scenario", "loss-nan"]) == 0
    (folder / "archive").mkdir()
    with LiveRun(folder / "demo", speed=DEMO_SPEED) as live:
        config = folder / "config.toml"
        config.write_text(
            _CONFIG.format(
                demo=live.log,
                nan=folder / "nan" / "main_log.txt",
                nan_folder=folder / "nan",
                folder=folder,
                archive=folder / "archive",
            )
        )
        yield config
