"""A folder of scripts that nobody else may write to."""

from pathlib import Path

import pytest

from tests.adapters.scripts.starting import CLOSED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "cron.hourly"
    place.mkdir(mode=CLOSED)
    tmp_path.chmod(CLOSED)
    return place
