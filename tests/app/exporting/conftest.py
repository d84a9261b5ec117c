"""Each export is made in a folder of its own, of a log of two attempts, a few rows at a time."""

from pathlib import Path

import pytest

from tests.app.exporting.logs import STARTS, line
from trainwatch.app.exporting import history as exporting


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(exporting, "CHUNK_ROWS", 4)
    return tmp_path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two attempts: 1 to 5, then 4 to 9; a NaN loss at 6, a skipped step at 7, inf as a norm at 8."""
    path = tmp_path / "run.log"
    first = [line(n) for n in range(1, 6)]
    second = [
        line(4),
        line(5),
        line(6, loss=""),
        line(7, loss="", skipped=1),
        line(8, norm="inf"),
        line(9),
    ]
    path.write_text("".join([STARTS, *first, STARTS, *second]))
    return path
