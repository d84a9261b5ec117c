"""Globs below a folder, walked part by part."""

import pytest

from trainwatch.core import globs


def matches(pattern: str, path: str) -> bool:
    left = globs.tails([pattern])
    for part in path.split("/"):
        left = globs.step(left, part)
    return globs.meant(left)


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("main_log.txt", "main_log.txt", True),
        ("main_log.txt", "logs/main_log.txt", False),
        ("*.txt", "main_log.txt", True),
        ("*.txt", "logs/main_log.txt", False),
        ("logs/*.txt", "logs/main_log.txt", True),
        ("logs/*.txt", "logs/old/main_log.txt", False),
        ("**/*.txt", "main_log.txt", True),
        ("**/*.txt", "a/b/c/main_log.txt", True),
        ("**", "a/b/c", True),
        ("tb/**", "tb/x/y", True),
        ("tb/**", "logs/x", False),
        ("tb/**/events.*", "tb/events.1", True),
        ("**/tb/**/e", "a/tb/b/c/e", True),
        ("**/tb/**/e", "a/b/c/e", False),
        ("*", ".hidden", False),
        ("**/x", ".git/x", False),
        (".trainwatch/*", ".trainwatch/x", True),
        ("[ab].txt", "a.txt", True),
        ("Log.txt", "log.txt", False),
        ("--delete", "--delete", True),
    ],
)
def test_a_name_is_meant_or_not(pattern: str, path: str, meant: bool) -> None:
    assert matches(pattern, path) is meant


def test_folders_that_hold_nothing_meant_are_not_entered() -> None:
    left = globs.tails(["logs/*.txt", "tb/**/events.*"])
    assert globs.deeper(globs.step(left, "logs"))
    assert globs.deeper(globs.step(globs.step(left, "tb"), "2026"))
    assert not globs.deeper(globs.step(left, "checkpoints"))
