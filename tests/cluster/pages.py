"""The commands of a page of the documentation, run as a user would who reads it from top to bottom."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```(bash|toml)(?: (\w+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: in which language, what its fence says besides, its text."""

    language: str
    special: str
    text: str


def blocks(page: str) -> list[Block]:
    """Those of `docs/<page>`, in order."""
    text = (DOCS / page).read_text()
    return [Block(found[1], found[2] or "", found[3]) for found in _BLOCK.finditer(text)]


def user_env(env: Mapping[str, str], home: Path) -> dict[str, str]:
    """The environment of somebody with a home of his own, a terminal, and this trainwatch installed."""
    kept = {k: v for k, v in env.items() if not k.startswith(("XDG_", "TRAINWATCH_"))}
    path = f"{Path(sys.executable).parent}:{env['PATH']}"
    return {**kept, "HOME": str(home), "PATH": path, "TERM": "xterm-256color"}


def run(command: str, folder: Path, env: Mapping[str, str]) -> str:
    """All that a command says, in a shell. AssertionError unless it succeeds."""
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout + done.stderr
