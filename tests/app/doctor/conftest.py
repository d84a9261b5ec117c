"""A newcomer's machine for the tests of the command."""

from pathlib import Path

import pytest

from tests.core.logs.making import iteration


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A newcomer's machine: no Slurm, no login, no configuration."""
    monkeypatch.chdir(tmp_path)
    for name in ("TRAINWATCH_CONFIG", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "no-login"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    log = "".join(f"{iteration(number)}\n" for number in range(1, 21))
    (tmp_path / "main_log.txt").write_text(log)
    return tmp_path
