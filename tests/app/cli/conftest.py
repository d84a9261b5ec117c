"""A state folder of its own for each test, no configuration of this machine, and a small log."""

from pathlib import Path

import pytest

from tests.app.cli.logs import LINE


@pytest.fixture(autouse=True)
def state_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "main_log.txt"
    path.write_text("".join(LINE.format(n=n, s=n * 512) for n in range(1, 21)))
    return path
