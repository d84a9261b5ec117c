"""SVG -> PNG: with the real library where it is installed, and what is said where it is not."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

from trainwatch.adapters import raster
from trainwatch.core.errors import MissingExtra

HERE = importlib.util.find_spec("resvg_py") is not None
needed = pytest.mark.skipif(not HERE, reason="resvg-py is not installed (trainwatch[png])")
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="20"><rect width="9" height="9"/></svg>'


@needed
def test_a_picture() -> None:
    png = raster.png_of(SVG.format(40))
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") == 40


@needed
def test_what_is_no_picture_is_told_in_a_line() -> None:
    with pytest.raises(OSError, match=r".") as told:
        raster.png_of("<svg")
    assert "\n" not in str(told.value)


def test_without_the_library_the_message_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'trainwatch\[png\]'"):
        raster.png_of(SVG)


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library that is found first, by us and by the child."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / "resvg_py.py"


def test_without_a_font_there_is_no_empty_picture(pretended: Path) -> None:
    pretended.write_text("def svg_to_bytes(svg_string, monospace_family): return b'the same'\n")
    with pytest.raises(OSError, match="no font here has the signs"):
        raster.png_of(SVG)


def test_the_picture_goes_in_and_out_as_it_is(pretended: Path) -> None:
    pretended.write_text(
        "def svg_to_bytes(svg_string, monospace_family): return svg_string.encode()\n"
    )
    assert raster.png_of("é⣿") == "é⣿".encode()


def test_one_that_takes_for_ever_is_ended(pretended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretended.write_text(
        "import time\ndef svg_to_bytes(svg_string, monospace_family): time.sleep(600)\n"
    )
    monkeypatch.setattr(raster, "_DEADLINE_S", 0.5)
    with pytest.raises(OSError, match="not drawn within") as told:
        raster.png_of(SVG)
    assert isinstance(told.value.__cause__, subprocess.TimeoutExpired)
