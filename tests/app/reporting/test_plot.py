"""`report --plot` with the real matplotlib."""

import builtins
from pathlib import Path
from typing import Any

import pytest

from trainwatch.app.cli import run
from trainwatch.app.reporting import plotting
from trainwatch.core.errors import ExitCode
from trainwatch.core.rows import ReportRow

ROWS = [
    ReportRow(log="a", gpus=64, model_size_b=13.0, tflops=40.0, step_time_s=5.0),
    ReportRow(log="b", gpus=128, model_size_b=13.0, tflops=38.0, step_time_s=2.6),
    ReportRow(log="c", gpus=128, model_size_b=None, tflops=30.0),
    ReportRow(log="d"),
]


@pytest.mark.parametrize(("name", "magic"), [("x.svg", b"<?xml"), ("x.png", b"\x89PNG")])
def test_a_picture_is_drawn(name: str, magic: bytes, tmp_path: Path) -> None:
    assert plotting.draw(ROWS, tmp_path / name) == 3
    assert (tmp_path / name).read_bytes().startswith(magic)


def test_nothing_to_draw_writes_nothing(tmp_path: Path) -> None:
    assert plotting.draw(ROWS[3:], tmp_path / "x.svg") == 0
    assert not (tmp_path / "x.svg").exists()


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    arguments = ["report", str(tmp_path / "a.out"), "--plot", str(tmp_path / "x.svg")]
    assert run(arguments) == ExitCode.USAGE
    assert "pip install 'trainwatch[plot]'" in capsys.readouterr().err
