"""trainwatch tui without a screen: what it refuses, and the picture it can write."""

from pathlib import Path

import pytest

from tests.app.viewed import iteration
from trainwatch.app.cli import run
from trainwatch.core.errors import ExitCode


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "tr1-13B.log"
    path.write_text("".join(iteration(n) for n in range(1, 101)))
    return path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["none.log"], "none.log does not exist"),
        (["."], "is a folder"),
        ([], "no run is configured"),
        (["tr1-13B.log", "--svg", "x.svg", "--size", "big"], "expected columns x rows"),
        (["tr1-13B.log", "--svg", "no/such/folder.svg"], "cannot write no/such/folder.svg"),
    ],
)
def test_what_it_refuses(
    log: Path, arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tui", *arguments]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert expected in said
    assert "Traceback" not in said


def test_several_runs_must_be_told_apart(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = "".join(f'[[runs]]\nlog = "{log}"\nname = "{name}"\n' for name in ("one", "two"))
    (tmp_path / "trainwatch.toml").write_text(runs)
    assert run(["tui"]) == ExitCode.USAGE
    assert "one, two" in capsys.readouterr().err


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_picture(tmp_path: Path, log: Path, theme: str) -> None:
    arguments = ["tui", str(log), "--svg", "x.svg", "--size", "120x40", "--theme", theme]
    assert run(arguments) == ExitCode.OK
    picture = (tmp_path / "x.svg").read_text()
    assert picture.startswith("<svg")
    assert "tr1-13B" in picture
    assert "100&#160;/&#160;1,000" in picture
