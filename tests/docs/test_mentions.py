"""Whatever a page names is there: commands, options, settings, rules, keys of the screen, other pages."""

import itertools
import re
from pathlib import Path
from typing import get_args

import click
import pytest

from tests.docs import mentions
from tests.docs.mentions import Page
from tools.reference.commands import contexts
from tools.reference.config import EACH
from tools.reference.keys import bound
from tools.reference.settings import NAME, Table, tables
from trainwatch.app import config
from trainwatch.core.ending import End
from trainwatch.core.errors import UsageError
from trainwatch.core.logs.table import FORMATS
from trainwatch.core.rules.table import RULES
from trainwatch.simulate.healthy import HEALTHY
from trainwatch.simulate.incidents.table import INCIDENTS
from trainwatch.simulate.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
FILES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "cron" / "README.md",
]
PAGES = {str(path.relative_to(ROOT)): path.read_text() for path in FILES}
APART = {name: mentions.taken_apart(text) for name, text in PAGES.items()}
EACH_PAGE = pytest.mark.parametrize("page", APART.values(), ids=list(APART))

COMMANDS = {tuple(each.command_path.split()[1:]): each for each in contexts()}
BOUND = {binding.key for _, bindings in bound() for binding in bindings}
VERBS = {path[0] for path in COMMANDS if path}
# What other programs are told, where a page names it alone; and what is called like one of our names.
OTHERS_OPTIONS = {
    *("--constraint", "--dependency", "--exclude", "--requeue", "--signal", "--time"),  # sbatch
    *("--overlap", "--user"),  # srun, squeue
    *("--kill-switch-path", "--load", "--no-save-optim", "--save", "--log-straggler"),  # Megatron
    *("--override-lr-scheduler", "--use-checkpoint-lr-scheduler", "--straggler-minmax-count"),
    *("--exit-duration-in-mins", "--skip-train-iteration-range"),
    "--collector.textfile.directory",  # node_exporter
}
OTHERS_NAMES = {"nvidia-smi", "nvidia-resiliency-ext", "textual-plot", "resvg-py"}
OUR_NAMES = {rule.name for rule in RULES} | {form.name for form in FORMATS} | {"watcher-down"}
OUR_NAMES |= {*INCIDENTS, *HEALTHY, *SCENARIOS}
ENDS = set(get_args(End))


def wrong_command(words: list[str]) -> str:
    """What of a command line there is not; empty if all is there. Placeholders are not judged."""
    context, at = COMMANDS[()], 0
    while isinstance(context.command, click.Group) and at < len(words):
        if not re.fullmatch(r"[a-z][a-z-]*", words[at]):
            break
        path = (*context.command_path.split()[1:], words[at])
        if path not in COMMANDS:
            return words[at]
        context, at = COMMANDS[path], at + 1
    known = {name for each in context.command.get_params(context) for name in _spelt(each)}
    given = [re.split("[=|]", word)[0] for word in words[at:] if word.startswith("-")]
    wrong = [each for each in given if each.strip("-") and each not in known]
    return wrong[0] if wrong else _wrong_name(words)


def _spelt(parameter: click.Parameter) -> list[str]:
    return [*parameter.opts, *parameter.secondary_opts]


def _wrong_name(words: list[str]) -> str:
    """A scenario or a rule that a command is given."""
    told = list(itertools.pairwise(words))
    wrong = [name for option, name in told if option == "--scenario" and name not in SCENARIOS]
    match words:
        case ["alerts", "ack" | "silence" | "unmute", rule, *_] if re.fullmatch("[a-z-]+", rule):
            wrong += [rule] if rule[0] != "-" and rule not in OUR_NAMES else []
    return "".join(wrong[:1])


def fitting(name: str) -> list[Table]:
    """The tables of that name, or in one of it. A part in capitals stands for any."""
    asked = name.split(".")
    return [
        each
        for each in tables().values()
        if len(each.path) >= len(asked)
        and all(
            theirs in (ours, EACH) or ours == NAME or theirs.isupper()
            for theirs, ours in zip(asked, each.path, strict=False)
        )
    ]


def loaded(block: str) -> config.Settings:
    """A piece of a configuration, with a run around it where it is of one. Raises UsageError."""
    of_a_run = re.search(r"^\[+runs\.", block, re.MULTILINE) and "[[runs]]" not in block
    return config.parse(f'[[runs]]\nlog = "main_log.txt"\n{block}' if of_a_run else block)


# the pages


@EACH_PAGE
def test_commands_are_there_with_these_options(page: Page) -> None:
    found = [*mentions.commands(page), *mentions.short_commands(page, VERBS)]
    assert [(" ".join(words), wrong) for words in found if (wrong := wrong_command(words))] == []


@EACH_PAGE
def test_an_option_that_stands_alone_is_of_a_command(page: Page) -> None:
    known = {name for c in COMMANDS.values() for p in c.command.get_params(c) for name in _spelt(p)}
    assert set(mentions.options(page)) <= known | OTHERS_OPTIONS


@EACH_PAGE
def test_tables_of_the_configuration_and_their_keys_are_there(page: Page) -> None:
    for name, key in mentions.tables(page):
        there = fitting(name)
        assert there, name
        assert not key or any(key == each.name for table in there for each in table.keys), key


@EACH_PAGE
def test_a_key_with_a_value_is_one_of_the_configuration(page: Page) -> None:
    keys = {key.name for table in tables().values() for key in table.keys}
    inner = {table.path[-1] for table in tables().values() if table.path}
    assert set(mentions.pairs(page)) <= keys | inner


@EACH_PAGE
def test_pieces_of_a_configuration_load(page: Page) -> None:
    for block in page.toml:
        assert loaded(block) != config.Settings()


@EACH_PAGE
def test_names_are_of_rules_scenarios_and_formats(page: Page) -> None:
    assert set(mentions.names(page)) <= OUR_NAMES | ENDS | OTHERS_NAMES


@EACH_PAGE
def test_letters_are_keys_of_the_screen(page: Page) -> None:
    assert set(mentions.letters(page)) <= BOUND


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for file, place in mentions.links(PAGES[name]):
        target = (ROOT / name).parent / file if file else ROOT / name
        assert target.exists(), file
        if place:
            assert place in mentions.anchors(target.read_text()), f"{file}#{place}"


def test_every_page_is_in_the_index() -> None:
    index = PAGES["docs/README.md"]
    listed = {(ROOT / "docs" / file).resolve() for file, _ in mentions.links(index)}
    rules = {ROOT / "docs" / "alerts" / f"{rule}.md" for rule in OUR_NAMES}  # listed by their own
    assert set((ROOT / "docs").rglob("*.md")) - {ROOT / "docs" / "README.md"} - rules <= listed


def test_much_is_found_at_all() -> None:
    """Else a page whose blocks are no longer seen would be right for ever."""
    everything = APART.values()
    assert sum(len(list(mentions.commands(page))) for page in everything) > 150
    assert sum(len(page.toml) for page in everything) > 15
    assert sum(len(list(mentions.tables(page))) for page in everything) > 30
    assert sum(len(list(mentions.links(text))) for text in PAGES.values()) > 200


# that a wrong word is found


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("```bash\ntrainwatch status --jsn x\n```\n", "--jsn"),
        ("```bash\ntrainwatch checkpoints \\\n  prune --keep-lst 3\n```\n", "--keep-lst"),
        ("```bash\nx=$(trainwatch stats --line)\n```\n", "stats"),
        ("Do this:\n\n    trainwatch alerts acknowledge stall   or not\n\nand", "acknowledge"),
        ("Say `trainwatch cron\nstart --dryrun` first.", "--dryrun"),
        ("Say `cron begin --dry-run` first.", "begin"),
        ("`trainwatch alerts ack stal`", "stal"),
        ("`trainwatch demo --scenario loss-nam`", "loss-nam"),
        ("```bash\nls | trainwatch report --format csv *.out > --all\n```\n", ""),
        ("```bash\ntrainwatch report --filter 'gpus --x' a.out && ls --color\n```\n", ""),
        ("`trainwatch cron start|stop`, `trainwatch COMMAND --help`, `trainwatch tui [LOG]`", ""),
        ("```yaml\nsummary: no trainwatch at all\n```\n`~/trainwatch at`.", ""),
    ],
)
def test_a_wrong_command_is_found_and_a_right_one_is_not(text: str, wrong: str) -> None:
    page = mentions.taken_apart(text)
    found = [*mentions.commands(page), *mentions.short_commands(page, VERBS)]
    assert bool(found) or not wrong
    assert [each for words in found if (each := wrong_command(words))] == ([wrong] if wrong else [])


def test_single_words_are_found_where_they_are_code_only() -> None:
    page = mentions.taken_apart(
        "`--onc` or --twice, `[runs.slrm]`, `[cron] mod`, `kep = 2`, `Z`, `los-nan`"
    )
    assert list(mentions.options(page)) == ["--onc"]
    assert list(mentions.tables(page)) == [("runs.slrm", ""), ("cron", "mod")]
    assert (fitting("runs.slrm"), len(fitting("alerts.RULE")) > 20) == ([], True)
    assert (list(mentions.pairs(page)), list(mentions.letters(page))) == (["kep"], ["Z"])
    assert list(mentions.names(page)) == ["los-nan"]


@pytest.mark.parametrize("block", ["[cron]\nmod = 1\n", "[runs.hands]\napply = 1\n", "[crn]\n"])
def test_a_wrong_piece_of_a_configuration_is_found(block: str) -> None:
    for text in (f"```toml\n{block}```\n", "So:\n\n    " + block.replace("\n", "\n    ") + "\n\nx"):
        (found,) = mentions.taken_apart(text).toml
        with pytest.raises(UsageError):
            loaded(found)


def test_another_programs_file_is_not_ours() -> None:
    block = "```toml\n[custom.x]\nwhen = true\n```\n"
    assert mentions.taken_apart(f"In `~/.config/starship.toml`:\n\n{block}").toml == ()
    assert mentions.taken_apart(f"In `starship.toml`.\n\nIn ours:\n\n{block}").toml != ()


def test_a_link_to_nowhere_is_found() -> None:
    text = "[a](b.md#c-d) [e](#f) [g](https://h/i#j)\n\n```\n[k](l.md)\n```\n## C: *d*\n"
    assert list(mentions.links(text)) == [("b.md", "c-d"), ("", "f")]
    assert mentions.anchors(text) == {"c-d"}
