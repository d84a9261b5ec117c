"""docs/add-a-format.md, done as it says in a copy of the project: its tests pass, as do those of all."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add-a-format.md").read_text()
BLOCKS = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TESTS = (
    "tests/core/logs/test_acme.py",
    "tests/core/logs/test_table.py",
    "tests/docs/test_formats.py",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What of the project the page is about."""
    for name in ("trainwatch", "tests/core/logs", "tests/docs", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "tests/__init__.py", "tests/core/__init__.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def _done(root: Path) -> None:
    """All but the last step."""
    for language, file, text in BLOCKS:
        if language == "python":
            (root / file).write_text(text)
        elif language == "diff":
            (root / file).write_text(_changed((root / file).read_text(), text))


def _changed(before: str, diff: str) -> str:
    """Lines with a plus are added behind the line above them."""
    for above, added in re.findall(r"^ (.*\n)((?:\+.*\n)+)", diff, re.MULTILINE):
        assert before.count(above) == 1, above
        before = before.replace(above, above + re.sub(r"^\+", "", added, flags=re.MULTILINE))
    return before


def _tested(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_page_is_right_and_its_tests_miss_a_step_that_is_left_out(copy: Path) -> None:
    _done(copy)
    before = _tested(copy)
    assert before.returncode == 1
    assert re.findall(r"^FAILED (\S+)", before.stdout, re.MULTILINE) == [
        "tests/docs/test_formats.py::test_every_format_stands_there"
    ]
    (line,) = (text for language, _, text in BLOCKS if language == "text")
    formats = copy / "docs" / "formats.md"
    head = "## gpt-neox\n"
    formats.write_text(formats.read_text().replace(head, f"## acme\n```\n{line}```\n\n{head}"))
    after = _tested(copy)
    assert after.returncode == 0, after.stdout


def test_the_format_is_about_thirty_lines() -> None:
    (code,) = (text for _, file, text in BLOCKS if file == "trainwatch/core/logs/acme.py")
    assert len([line for line in code.splitlines() if line]) < 35
