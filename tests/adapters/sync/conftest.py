"""A Hub on loopback, and a folder with things to send."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.memory import TOKEN, Hub
from tests.hub.server import serving


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Where the real client believes the Hub to be."""
    with serving(tmp_path / "hub") as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("HF_XET_CACHE", str(tmp_path / "xet-cache"))
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield hub


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder to send from."""
    root = tmp_path / "root"
    root.mkdir()
    return root
