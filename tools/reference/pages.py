"""Which pages there are, and what makes each."""

from collections.abc import Callable, Mapping
from pathlib import Path

from tools.reference import commands, config, keys

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
PAGES: Mapping[str, Callable[[], str]] = {
    "commands": commands.text,
    "keys": keys.text,
    "config": config.text,
}
