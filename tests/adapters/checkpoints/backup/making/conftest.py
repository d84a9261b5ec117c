"""Two real checkpoints, and a place with a finished backup of one, which nothing may harm."""

from pathlib import Path

import pytest

from tests.adapters.checkpoints.backup.far import make, order, vault
from tests.adapters.checkpoints.disk import save, track


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "checkpoints"
    for n in (10, 20):
        save(root, n)
    track(root, 20)
    return root


@pytest.fixture
def far(tmp_path: Path) -> Path:
    """With a finished backup of 20, which nothing may harm."""
    far = tmp_path / "far"
    far.mkdir()
    make(vault(far), order(tmp_path / "checkpoints", "global_step20"))
    return far


@pytest.fixture(autouse=True)
def _root_is_there_first(root: Path) -> None:
    """`far` copies from it."""
