"""The program: versions as pyproject.toml wants them, extras that a configuration needs, the terminal."""

import tomllib
from pathlib import Path

import pytest

from trainwatch.core.doctor import program
from trainwatch.core.doctor.program import EXTRAS, LIBRARIES, Terminal

PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
HERE = {"textual": "8.2.8", "numpy": "2.4", "watchdog": "7", "psutil": "7", "fsspec": "2026.1"}
HERE |= {"huggingface_hub": "2.4.0", "apscheduler": "3.11.3", "msgspec": "0.22", "click": "8.5.1"}
HERE |= {"apprise": "2.2.0rc1", "jinja2": "3.1.6", "flufl.lock": "10.0"}
HERE |= {"prometheus_client": "0.22"}
SCREEN = Terminal(True, 120, 40, "utf-8", "xterm-256color")


def test_the_table_is_what_pyproject_says() -> None:
    told = {
        f"{name}>={least}{f',<{below}' if below else ''}"
        for name, (least, below) in LIBRARIES.items()
    }
    wanted = {one for one in PROJECT["dependencies"] if not one.startswith("ahocorasick_rs")}
    assert told == wanted
    extras = PROJECT["optional-dependencies"]
    assert {name: [library] for name, (library, _) in EXTRAS.items()} == {
        name: [one.partition(">=")[0] for one in extras[name]] for name in EXTRAS
    }
    assert PROJECT["requires-python"] == f">={'.'.join(map(str, program.LEAST_PYTHON))}"


LIBRARIES_SEEN: dict[str, tuple[dict[str, str | None], str, str]] = {
    "all well": ({}, "ok", ""),
    "one is missing": ({"click": None}, "wrong", "click is not installed"),
    "too old": ({"textual": "8.1.9"}, "wrong", "textual 8.1.9 is too old"),
    "too new": ({"textual": "9.0"}, "wrong", "textual 9.0 is too new"),
    "one of tomorrow without a bound": ({"click": "99"}, "ok", ""),
}


@pytest.mark.parametrize("name", LIBRARIES_SEEN)
def test_libraries(name: str) -> None:
    change, verdict, saw = LIBRARIES_SEEN[name]
    found = program.libraries({**HERE, **change}, "/a b/python")
    assert (found.verdict, saw in found.saw) == (verdict, True)
    assert found.do.startswith("'/a b/python' -m pip install ") == (verdict == "wrong")


def test_an_extra_that_is_needed_is_wrong_and_one_that_is_not_is_told() -> None:
    versions = {"pyarrow": "20", "tensorboardX": None, "matplotlib": None, "s3fs": None}
    needed = program.needed_extras([("sync a", "s3://b/c"), ("sync b", "/folder")], ())
    s3, rest = program.extras(versions, needed, "python")
    assert (s3.verdict, s3.do) == ("wrong", "python -m pip install 'trainwatch[s3]'")
    assert s3.saw == "s3fs is not installed, and sync a needs it"
    assert rest.verdict == "ok"
    assert rest.saw.startswith("there: parquet; not there: tensorboard (for ")
    assert "s3" not in rest.saw


def test_an_old_python_is_wrong() -> None:
    assert program.python((3, 10, 9), "/usr/bin/python3", "1").verdict == "wrong"
    assert program.python((3, 14, 0), "/usr/bin/python3", "1").verdict == "ok"


TERMINALS: dict[str, tuple[Terminal, str, str, str]] = {
    "a screen": (SCREEN, "ok", "120x40, utf-8, 256 colours", ""),
    "true colour": (SCREEN._replace(colorterm="truecolor"), "ok", "all colours", ""),
    "NO_COLOR": (SCREEN._replace(no_color=True), "ok", "no colours (NO_COLOR)", ""),
    "a pipe": (SCREEN._replace(is_tty=False, term="", columns=10), "ok", "a file or a pipe", ""),
    "ASCII": (
        SCREEN._replace(encoding="ANSI_X3.4-1968"),
        "warning",
        "glyphs",
        "export LANG=C.UTF-8",
    ),
    "dumb": (SCREEN._replace(term="dumb"), "warning", "TERM is dumb", "export TERM=xterm-256color"),
    "none": (SCREEN._replace(term=""), "warning", "TERM is not set", "export TERM=xterm-256color"),
    "small": (SCREEN._replace(lines=10), "warning", "wants 80x24", "make the window larger"),
}


@pytest.mark.parametrize("name", TERMINALS)
def test_terminals(name: str) -> None:
    seen, verdict, saw, do = TERMINALS[name]
    found = program.terminal(seen)
    assert found.verdict == verdict
    assert saw in found.saw
    assert found.do.startswith(do)
    assert bool(found.do) == bool(do)
