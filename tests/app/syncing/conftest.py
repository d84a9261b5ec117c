"""A Hub on loopback, and the trainwatch command in a process of its own, without this machine's logins."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.memory import TOKEN, Hub
from tests.hub.server import serving


class Command:
    """`trainwatch sync` under a configuration."""

    def __init__(self, tmp_path: Path, hub: Hub) -> None:
        self.hub, self.tmp_path = hub, tmp_path
        self.root, self.state = tmp_path / "root", tmp_path / "state"
        self.root.mkdir()
        self.config = tmp_path / "config.toml"
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "AWS_"))}
        self.environment = kept | {
            "HF_ENDPOINT": hub.url,
            "HF_HOME": str(tmp_path / "home"),
            "HF_XET_CACHE": str(tmp_path / "xet-cache"),
            "HF_TOKEN": TOKEN,
        }

    def configure(self, *routes: str, **common: object) -> None:
        """A [[sync]] table for each text, with the keys that all have."""
        keys = {"root": f'"{self.root}"', "what": '["**"]', **common}
        lines = "\n".join(f"{key} = {value}" for key, value in keys.items())
        self.config.write_text("".join(f"[[sync]]\n{route}\n{lines}\n" for route in routes))

    def arguments(self, *more: str, verb: str = "sync") -> list[str]:
        places = ["--config", str(self.config), "--state-dir", str(self.state)]
        return [sys.executable, "-m", "trainwatch", verb, *places, *more]

    def __call__(self, *more: str, verb: str = "sync") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.arguments(*more, verb=verb),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def start(self) -> "subprocess.Popen[bytes]":
        """Without waiting for its end."""
        return subprocess.Popen(
            self.arguments(),
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    with serving(tmp_path / "hub") as hub:
        yield Command(tmp_path, hub)
