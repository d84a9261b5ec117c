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


@pytest.fixture
def two(tmp_path: Path, log: Path) -> None:
    """Two runs of one log, in one configuration."""
    runs = "".join(f'[[runs]]\nlog = "{log}"\nname = "{name}"\n' for name in ("one", "two"))
    (tmp_path / "trainwatch.toml").write_text(runs)


@pytest.mark.usefixtures("two")
def test_several_runs_are_one_screen(tmp_path: Path) -> None:
    assert run(["watch", "--once"]) == ExitCode.OK
    assert run(["tui", "--svg", "x.svg"]) == ExitCode.OK
    picture = (tmp_path / "x.svg").read_text()
    assert "2&#160;runs" in picture
    assert "one&#160;" in picture
    assert "two&#160;" in picture


@pytest.mark.usefixtures("two")
def test_of_several_runs_one_is_named(tmp_path: Path) -> None:
    assert run(["tui", "two", "--svg", "x.svg"]) == ExitCode.OK
    assert "100&#160;/&#160;1,000" in (tmp_path / "x.svg").read_text()


def test_all_runs_are_those_that_are_kept(tmp_path: Path, log: Path) -> None:
    assert run(["watch", str(log), "--once"]) == ExitCode.OK
    assert run(["tui", "--all", "--svg", "x.svg"]) == ExitCode.OK
    picture = (tmp_path / "x.svg").read_text()
    assert "1&#160;run" in picture
    assert "tr1-13B" in picture


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--all"], "no run is configured, and none is kept"),
        (["--all", "tr1-13B.log"], "leave one of them out"),
    ],
)
def test_what_all_refuses(
    arguments: list[str], expected: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tui", *arguments, "--svg", "x.svg"]) == ExitCode.USAGE
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_picture(tmp_path: Path, log: Path, theme: str) -> None:
    arguments = ["tui", str(log), "--svg", "x.svg", "--size", "120x40", "--theme", theme]
    assert run(arguments) == ExitCode.OK
    picture = (tmp_path / "x.svg").read_text()
    assert picture.startswith("<svg")
    assert "tr1-13B" in picture
    assert "100&#160;/&#160;1,000" in picture
