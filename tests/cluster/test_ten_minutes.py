"""Every command of docs/ten-minutes.md, run in its order on a real cluster, as a user would."""

import os
from pathlib import Path

from tests.cluster.crons import alive
from tests.cluster.pages import blocks, run, user_env
from tests.cluster.slurm import Cluster
from tests.cluster.test_shards import line


def test_every_command_works(commands: Cluster, tmp_path: Path) -> None:
    """But the installation: a .venv with this trainwatch is there."""
    log, home = tmp_path / "main_log.txt", tmp_path / "home"
    log.write_text("using world size: 8\n" + "".join(line(n) for n in range(1, 50)))
    home.mkdir()
    env = user_env(commands.env, home)
    ran, config = list[str](), tmp_path / "trainwatch.toml"
    try:
        for language, special, text in blocks("ten-minutes.md"):
            if language == "toml":
                configured = config.read_text()
                config.write_text(f"{configured}\n{text}")
            elif special != "install":
                for command in text.strip().splitlines():
                    said = run(_with_terminal(command), tmp_path, env)
                    ran.append(command)
                    if command == "trainwatch cron start":
                        assert "submitted as job" in said
                    if command == "trainwatch cron stop":
                        assert "stopped: job" in said
    finally:
        commands.run("scancel", "--user=root", check=False)
    assert len(ran) >= 14
    assert commands.run("squeue", "-h").strip() == ""
    assert alive(f"trainwatch cron job --config {config}") == []
    assert os.listdir(home / ".local/state/trainwatch/runs")  # noqa: PTH208


def _with_terminal(command: str) -> str:
    """A screen gets a terminal, and somebody who leaves."""
    if not command.startswith("trainwatch tui"):
        return command
    return f"(sleep 12; printf q; sleep 3; printf q) | script -qec '{command}' /dev/null"
