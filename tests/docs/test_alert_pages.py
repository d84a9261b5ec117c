"""The pages of docs/alerts/ against the code: rules, settings, scenarios, causes, and examples that work.

The trap: a page that was right once. Everything that it takes from a table is looked up there again.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from trainwatch.app import config
from trainwatch.app.commands import alerts as alerts_command
from trainwatch.core.facts import Facts
from trainwatch.core.judge import Judge
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.alerts import SEVERITIES, Change
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import RunState
from trainwatch.core.rules.settings import AlertSettings, PatternRule, RuleSettings
from trainwatch.core.rules.sight import Rule
from trainwatch.core.rules.table import RULES
from trainwatch.core.run import Reader
from trainwatch.simulate.incidents.table import INCIDENTS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "alerts"
README = (FOLDER / "README.md").read_text()
EXAMPLE = (ROOT / "config.example.toml").read_text()
NO_RULES = ("watcher-down",)  # pages that say why there is no rule
PAGES = {path.stem: path.read_text() for path in FOLDER.glob("*.md")}
PAGES = {name: text for name, text in PAGES.items() if name not in ("README", "score")}
SECTIONS = [
    "What it means",
    "What to do at 3 a.m.",
    "When it speaks",
    "How it was tested",
    "Score",
]
DEFAULTS = AlertSettings()
COMMON = RuleSettings()
NAMES = {rule.name for rule in RULES}
ROWS = dict(re.findall(r"^\| \[([\w-]+)\]\(\1\.md\) \|(.*)\|$", README, re.MULTILINE))
TOML = [
    block
    for path in (*FOLDER.glob("*.md"), ROOT / "docs" / "guide.md")
    for block in re.findall(r"^```toml\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)
]
PATTERNS = {k: v for block in TOML for k, v in config.parse(block).alerts.patterns.items()}
EACH_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def _section(name: str, title: str) -> str:
    return PAGES[name].partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def _own(rule: Rule) -> dict[str, object]:
    """The settings that are this rule's own, or have another default than those of all rules."""
    chosen = rule.settings(DEFAULTS)
    values = {name: getattr(chosen, name) for name in chosen.__struct_fields__}
    usual = {name: getattr(COMMON, name) for name in COMMON.__struct_fields__}
    return {k: v for k, v in values.items() if k not in usual or usual[k] != v}


def _settings_in(text: str) -> dict[str, object]:
    """Every `key = value` in backquotes."""
    return tomllib.loads("\n".join(dict.fromkeys(re.findall(r"`([a-z_]+ = [^`]+)`", text))))


def _held_back(text: str) -> tuple[str, ...]:
    found = re.search(r"^Held back while (.*?) fires?\b", text, re.MULTILINE)
    return tuple(re.findall(r"`([\w-]+)`", found[1])) if found else ()


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert set(PAGES) == NAMES | set(NO_RULES)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_all_sections_in_order_and_something_in_each(name: str) -> None:
    assert PAGES[name].startswith(f"# {name}\n\n")
    assert re.findall(r"^## (.*)$", PAGES[name], re.MULTILINE) == SECTIONS
    assert all(len(_section(name, title).strip()) > 30 for title in SECTIONS)
    assert "](score.md)" in _section(name, "Score")
    assert re.match(r"\n1\. ", _section(name, "What to do at 3 a.m."))


@EACH_RULE
def test_a_page_says_how_bad_it_is(rule: Rule) -> None:
    found = re.search(r"^\*\*Severity:\*\* (\w+)", PAGES[rule.name], re.MULTILINE)
    assert found is not None
    assert found[1] == rule.severity


@EACH_RULE
def test_a_page_names_every_setting_of_its_rule_with_its_default_and_no_other(rule: Rule) -> None:
    spoken, own = _section(rule.name, "When it speaks"), _own(rule)
    said = _settings_in(spoken)
    for key, value in own.items():
        assert f"`{key}" in spoken
        assert value is None or said.pop(key) == value
    optional = {key for key, value in own.items() if value is None}
    assert set(said) <= optional  # what is off has an example


@EACH_RULE
def test_a_page_names_the_rules_that_are_its_cause(rule: Rule) -> None:
    assert _held_back(_section(rule.name, "When it speaks")) == rule.inhibited_by


@EACH_RULE
def test_a_page_names_the_scenarios_that_expect_its_rule(rule: Rule) -> None:
    tested = _section(rule.name, "How it was tested")
    listed = re.findall(r"^- `([\w-]+)`: \S", tested, re.MULTILINE)
    assert listed == [name for name, one in INCIDENTS.items() if rule.name in one.rules]


@pytest.mark.parametrize("name", NO_RULES)
def test_what_is_no_rule_is_expected_by_no_scenario(name: str) -> None:
    assert not any(name in incident.rules for incident in INCIDENTS.values())
    assert not re.search(r"^- `", _section(name, "How it was tested"), re.MULTILINE)


def test_the_overview_has_a_row_of_every_rule_in_their_order() -> None:
    assert list(ROWS) == [rule.name for rule in RULES]


@EACH_RULE
def test_a_row_of_the_overview_is_true(rule: Rule) -> None:
    severity, _, _, thresholds, _, causes = (cell.strip() for cell in ROWS[rule.name].split("|"))
    assert severity == rule.severity
    assert tuple(cause for cause in causes.split(", ") if cause) == rule.inhibited_by
    own = _own(rule)
    assert _settings_in(thresholds) == {k: v for k, v in own.items() if v is not None}
    assert all(f"`{key}" in thresholds for key in own)


def test_the_overview_names_what_every_rule_takes_and_every_key_of_a_pattern() -> None:
    common = set(re.findall(r"^\| `(\w+)` \| (?:`|the rule)", README, re.MULTILINE))
    assert common == set(COMMON.__struct_fields__)
    own = README.partition("## A rule of your own")[2].partition("\n## ")[0]
    rows = "".join(re.findall(r"^\| (`.*?) \|", own, re.MULTILINE))
    keys = set(PatternRule.__struct_fields__) - set(COMMON.__struct_fields__)
    assert set(re.findall(r"`(\w+)`", rows)) == keys


@pytest.mark.parametrize(
    "name", [*PAGES, "README", "guide"], ids=lambda name: f"commands of {name}"
)
def test_commands_in_the_pages_are_of_rules_that_there_are(name: str) -> None:
    text = {**PAGES, "README": README, "guide": (ROOT / "docs" / "guide.md").read_text()}[name]
    asked = re.findall(r"trainwatch alerts (\w+)(?: ([a-z][\w-]*))?", text)
    assert {verb for verb, _ in asked} <= set(alerts_command.command.commands)
    rules = {rule for verb, rule in asked if verb in ("ack", "silence", "unmute") and rule}
    assert rules <= (NAMES if name not in NAMES else {name})


@pytest.mark.parametrize("name", [*PAGES, "README"])
def test_links_between_pages_lead_somewhere(name: str) -> None:
    text = {**PAGES, "README": README}[name]
    for target in re.findall(r"\]\(([^)#]+\.md)", text):
        assert target == "score.md" or (FOLDER / target).is_file(), target


# the example configuration


def test_the_example_configuration_has_every_rule_with_its_own_settings() -> None:
    uncommented = re.sub(r"^# (\w+ = |\[)", r"\1", EXAMPLE, flags=re.MULTILINE)
    given = tomllib.loads(uncommented)["alerts"]
    patterns = given.pop("patterns")
    assert {key for one in patterns.values() for key in one} >= _pattern_keys()
    assert set(given) == NAMES | {"watcher-down"}
    assert set(given["stall"]) >= set(COMMON.__struct_fields__)
    for rule in RULES:
        assert set(given[rule.name]) >= set(_own(rule))


def test_what_the_example_configuration_leaves_out_are_the_defaults() -> None:
    uncommented = re.sub(r"^# (\w+ = |\[)", r"\1", EXAMPLE, flags=re.MULTILINE)
    found = config.parse(uncommented).alerts
    for rule in RULES:
        given, chosen = rule.settings(found), rule.settings(DEFAULTS)
        for key, value in msgspec.structs.asdict(given).items():
            default = getattr(chosen, key)
            assert value == (rule.severity if key == "severity" and value else default) or (
                default is None
            ), (rule.name, key)


def test_the_example_configuration_changes_no_rule_and_adds_none() -> None:
    assert config.parse(EXAMPLE).alerts == DEFAULTS


def _pattern_keys() -> set[str]:
    return set(PatternRule.__struct_fields__) - set(COMMON.__struct_fields__)


# rules of a user's own: the examples do what the text beside them says

LOG = (
    " iteration      100/  159576 | consumed samples:         1600 | elapsed time per iteration (ms): "
    "5837.9 | learning rate: 4.735E-07 | global batch size:    16 | lm loss: 9.413E+00 | loss scale: "
    "4096.0 | grad norm: 1.371 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)
AT = 1_800_000_000.0  # 2027-01-15
ALIVE, DOWN = "data server: 8 workers alive\n", "data server: shutting down\n"


def test_there_are_three_examples() -> None:
    assert set(PATTERNS) == {"data-server", "kl-too-high", "slow-collective"}


def _said(name: str, *written: tuple[float, str]) -> Iterator[Change]:
    """What the example tells of lines written after so many minutes; without text, time passes."""
    judge = Judge("run", AlertSettings(patterns={name: PATTERNS[name]}), Facts())
    reader, state = Reader(Scanner()), RunState(run="run")
    for minutes, text in ((0.0, LOG), *written):
        at = AT + minutes * 60
        if not text:
            changes = judge.pass_time(state, at)
        else:
            chunk = LogChunk(at=at, path="main_log.txt", data=text.encode())
            for step in judge.see(chunk, state, reader.steps(state, chunk)):
                state = step.state
            changes = judge.told()
        yield from (change for change in changes if change.rule == name)


@pytest.mark.parametrize(
    ("name", "written", "told"),
    [
        ("data-server", [(59, "")], []),
        ("data-server", [(61, "")], ["firing"]),
        ("data-server", [(61, ""), (62, ALIVE)], ["firing", "resolved"]),
        ("data-server", [(30, ALIVE), (49, "")], []),
        ("data-server", [(30, ALIVE), (51, "")], ["firing"]),
        ("data-server", [(30, ALIVE), (40, DOWN), (200, "")], []),
        ("data-server", [(30, ALIVE), (40, DOWN), (90, ALIVE), (111, "")], ["firing"]),
        ("kl-too-high", [(m, "reward: mean 0.41 kl 0.3\n") for m in range(1, 5)], []),
        ("kl-too-high", [(m, "reward: mean 0.41 kl 0.3\n") for m in range(1, 6)], ["firing"]),
        (
            "kl-too-high",
            [(m, f"reward: mean 0.41 kl {'0.1' if m == 6 else '0.3'}\n") for m in range(1, 7)],
            ["firing", "resolved"],
        ),
        ("slow-collective", [(m, "collective took longer than 9 s\n") for m in (1, 2)], []),
        (
            "slow-collective",
            [*((m, "collective took longer than 9 s\n") for m in (1, 2, 3)), (70, "")],
            ["firing", "resolved"],
        ),
        ("slow-collective", [(m, "collective took longer than 9 s\n") for m in (1, 40, 80)], []),
    ],
)
def test_an_example_tells_what_the_page_says(
    name: str, written: list[tuple[float, str]], told: list[str]
) -> None:
    changes = list(_said(name, *written))
    assert [change.change for change in changes] == told
    assert all(change.severity in SEVERITIES and change.advice for change in changes) or (
        name == "slow-collective"
    )
