"""docs/reference is what the code says, and everything that the code has is in it."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec
import pytest

from tools.reference import example, keys
from tools.reference.pages import FOLDER, PAGES
from tools.reference.settings import NAME, table_of, tables
from tools.reference.values import default, kind, unit, written
from trainwatch.app.cli import COMMANDS, run
from trainwatch.app.config import Settings
from trainwatch.core.rules.table import RULES

TEXT = {name: (FOLDER / f"{name}.md").read_text() for name in PAGES}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "43")  # whatever the terminal
    monkeypatch.setenv("HOME", "/home/somebody-else")
    assert TEXT[name] == PAGES[name](), "run: make docs"


def test_there_are_no_others_and_none_names_a_place_of_this_machine() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(PAGES)
    assert not any(str(Path.home()) in text for text in TEXT.values())


# commands


def test_every_command_and_each_of_its_options_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """By what they print themselves."""
    for verb in _printed(COMMANDS, (), capsys):
        section = TEXT["commands"].partition(f"# trainwatch {' '.join(verb)}\n")[2]
        section = re.split(r"^##+ trainwatch", section, flags=re.MULTILINE)[0]
        assert section, verb
        run([*verb, "--help"])
        printed = capsys.readouterr().out.partition("Options:")[2].partition("Commands:")[0]
        options = set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", printed, re.MULTILINE)) - {"--help"}
        assert options == set(re.findall(r"^\| `(?:-\w, )?(--[\w-]+)", section, re.MULTILINE)), verb


def _printed(
    names: Any, above: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> Iterator[tuple[str, ...]]:
    for name in names:
        yield (*above, name)
        run([*above, name, "--help"])
        below = re.split(r"^Commands:\n", capsys.readouterr().out, flags=re.MULTILINE)[1:]
        for listed in below:
            found = re.findall(r"^  ([a-z][\w-]*)", listed, re.MULTILINE)
            yield from _printed(found, (*above, name), capsys)


# keys


def test_every_key_that_anything_binds_is_there() -> None:
    for _, bound in keys.bound():
        for binding in bound:
            assert f"`{keys.shown(binding.key)}`" in TEXT["keys"], binding


def test_the_screen_has_keys_in_several_files() -> None:
    assert {"app", "group", "listing", "logpanel", "alerts"} <= {place for place, _ in keys.bound()}


# settings


def _every_key(struct: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """By the structs alone: each key that takes a value, with the table that it stands in."""
    for field in msgspec.structs.fields(struct):
        kinds = [field.type, *get_args(field.type)]
        inner = [one for one in kinds if isinstance(one, type) and issubclass(one, msgspec.Struct)]
        if not inner:
            yield at, field.encode_name
        for one in inner:
            named = (NAME,) if get_origin(field.type) is dict else ()
            yield from _every_key(one, (*at, field.encode_name, *named))


EVERY_KEY = list(_every_key(Settings))


def test_every_setting_is_there_with_a_sentence() -> None:
    assert len(EVERY_KEY) > 300
    sections = {}
    for section in re.split(r"^## ", TEXT["config"], flags=re.MULTILINE)[1:]:
        heading, _, rows = section.partition("\n")
        sections[heading.strip("`")] = dict(
            re.findall(r"^\| `([\w-]+)` \|.* \| (.+) \|$", rows, re.MULTILINE)
        )
    for path, name in EVERY_KEY:
        header = tables()[path].header if path else "At the top of the file"
        of_rules = sections["[alerts.*]"] if path[:1] == ("alerts",) else {}
        assert len({**of_rules, **sections[header]}[name]) > 3, (
            f"{header} {name} has no comment in config.example.toml"
        )


def test_the_example_has_each_key_in_its_place() -> None:
    """What rules have in common is there once; all else in its own table."""
    common = {key.name for key in tables()[("alerts", "grad-norm-surge")].keys}
    given = example.example().keys
    for path, name in EVERY_KEY:
        assert (*path, name) in given or (path[0] == "alerts" and name in common), (path, name)
    known = {(*path, name) for path, name in EVERY_KEY}
    assert set(given) <= known


def test_every_rule_has_a_table_that_links_to_its_page() -> None:
    for rule in RULES:
        assert f"## `[alerts.{rule.name}]`" in TEXT["config"]
        assert f"(../alerts/{rule.name}.md)" in TEXT["config"]


# how the example is read


def test_comments_belong_to_what_they_stand_by() -> None:
    said = example.parse(
        "# Words before an empty line.\n\n# How often\n# it looks.\npoll_interval_s = 15\n"
        '# state_dir = "#1"   # where; # too\n\n'
        "# All of it.\n#\n# More.\n[cron]   # beside\n"
        '# # mode = "ticks"               # in its place\ncpus = 1\n[receivers.mine]\n# kind = "log"  # x\n'
    )
    assert said.keys == {
        ("poll_interval_s",): "How often it looks.",
        ("state_dir",): "where; # too",
        ("cron", "mode"): "in its place",
        ("cron", "cpus"): "",
        ("receivers", NAME, "kind"): "x",
    }
    assert said.tables[("cron",)] == ("All of it.", "More.", "beside")


def test_a_table_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"there is no table \[crn\]"):
        example.parse("[crn]\n")


def test_a_table_by_any_name() -> None:
    found = table_of(("receivers", "whatever"))
    assert found is not None
    assert found.path == ("receivers", NAME)
    assert table_of(("receivers", "a", "b")) is None


@pytest.mark.parametrize(
    ("path", "name", "takes", "usual", "measured"),
    [
        ((), "poll_interval_s", "number, 0.2 to 3,600", "15", "seconds"),
        (("runs",), "log", "text", "", ""),
        (("cron",), "mode", '`"daemon"`, `"ticks"`', '"daemon"', ""),
        (("scripts",), "daily_at", 'a time of day like "04:00"', '"04:00"', ""),
        (("runs", "hands"), "apply", "true or false", "false", ""),
        (("runs", "checkpoints"), "keep_newer_h", "number, above 0, at most 87,600", "", "hours"),
        (("runs", "training"), "rampup", "list of 3, each: whole number, above 0", "", ""),
        (("receivers", NAME), "runs", "list, each: text", '["*"]', ""),
        (("sync",), "most_commits_per_hour", "whole number, 1 to 128", "20", "an hour"),
    ],
)
def test_what_a_key_takes(
    path: tuple[str, ...], name: str, takes: str, usual: str, measured: str
) -> None:
    (key,) = (key for key in tables()[path].keys if key.name == name)
    assert kind(key.type) == takes
    assert (default(key), unit(name)) == (usual, measured)


def test_a_default_is_written_as_toml() -> None:
    for table in tables().values():
        for key in table.keys:
            if told := default(key):
                value = tomllib.loads(f"x = {told}")["x"]
                assert value == (
                    list(key.default) if isinstance(key.default, tuple) else key.default
                )
    assert written(("a", 1.5, True)) == '["a", 1.5, true]'


def test_no_pattern_is_shown_as_it_is() -> None:
    """Nor in the message that a wrong value gets: both have words for it."""
    assert "that matches" not in TEXT["config"]
