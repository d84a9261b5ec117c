"""What `python -m benchmarks.newcomer` does and times is what the README tells a newcomer to do."""

import pytest

from benchmarks.newcomer import COMMANDS, REPOSITORY

README = (REPOSITORY / "README.md").read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_step_stands_in_the_readme(command: str) -> None:
    assert command in README
