"""What a Markdown page says of commands, settings and keys: where it is code, and plain.

The trap: a page also shows other programs' options and files. What cannot be told apart from them is left out
here, so that whatever is found can be held against the code.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:(?<=\n\n)|\A)((?: {4}.*\n|\n(?= {4}))+)")
_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_COMMAND = re.compile(r"(?:(?<=bin/)|(?<![\w./-]))trainwatch ((?:[a-z]|-).*)")
_END = re.compile(r"\s{3,}|[|;&>)<]|\s#")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_TABLE = re.compile(r"^\[{1,2}([a-z][\w-]*(?:\.[\w-]+)*)\]{1,2}(?: ([a-z_]+)(?: = .*)?)?$")
_PAIR = re.compile(r"^([a-z][a-z_]*) = \S.*$")
_OTHERS_TOML = re.compile(r"`[^`]*?([\w.-]+\.toml)`[^`]*\Z")
_SHELL = {"", "bash", "sh", "console"}
_OURS_TOML = {"trainwatch.toml", "config.toml", "config.example.toml"}


class Page(NamedTuple):
    """A page, taken apart."""

    shell: tuple[str, ...]  # what is typed, or printed
    toml: tuple[str, ...]  # blocks of a configuration
    spans: tuple[str, ...]  # code in sentences, in one line each


def taken_apart(text: str) -> Page:
    """The code of a page."""
    shell, toml = list[str](), list[str]()

    def fenced(found: re.Match[str]) -> str:
        language, inside = found[1].split(" ")[0], found[2]
        if language in _SHELL:
            shell.append(inside)
        elif language == "toml" and _is_ours(text[: found.start()]):
            toml.append(inside)
        return "\n\n"

    def indented(found: re.Match[str]) -> str:
        inside = re.sub(r"^ {4}", "", found[1], flags=re.MULTILINE)
        (toml if re.match(r"\[+[a-z]", inside) else shell).append(inside)
        return "\n\n"

    prose = _INDENTED.sub(indented, _FENCE.sub(fenced, text))
    spans = (
        " ".join(found[2].split()) for part in prose.split("\n\n") for found in _SPAN.finditer(part)
    )
    return Page(tuple(shell), tuple(toml), tuple(spans))


def commands(page: Page) -> Iterator[list[str]]:
    """The words behind `trainwatch` wherever it is called; quoted ones are left empty."""
    for block in page.shell:
        for line in re.sub(r"\s*\\\n\s*", " ", block).splitlines():
            yield from _called(line)
    for span in page.spans:
        yield from _called(span)


def _called(line: str) -> Iterator[list[str]]:
    for found in _COMMAND.finditer(line):
        ours = _QUOTED.sub("''", found[1]).partition(" -- ")[
            0
        ]  # behind it stands somebody's command
        words = _END.split(ours, maxsplit=1)[0].split()
        yield [word.strip("[],.:").replace("''", "") for word in words]


def short_commands(page: Page, verbs: set[str]) -> Iterator[list[str]]:
    """Spans such as `cron start --dry-run`, which leave the program's name out."""
    for span in page.spans:
        words = span.split()
        if words[0] in verbs and len(words) > 1:
            yield from _called(f"trainwatch {span}")


def options(page: Page) -> Iterator[str]:
    """Options that stand alone in a sentence, with what they take or without."""
    for span in page.spans:
        if found := re.match(r"^(--[a-z][a-z-]+)(?:[ =]\S+)?$", span):
            yield found[1]


def tables(page: Page) -> Iterator[tuple[str, str]]:
    """`[runs.slurm]`, `[alerts.RULE]`, `[cron] mode`: a table, and a key of it or nothing."""
    for span in page.spans:
        if found := _TABLE.match(span):
            yield found[1], found[2] or ""


def pairs(page: Page) -> Iterator[str]:
    """The key of each `key = value`."""
    for span in page.spans:
        if found := _PAIR.match(span):
            yield found[1]


def letters(page: Page) -> Iterator[str]:
    """Single letters: keys of the screen."""
    yield from (span for span in page.spans if re.fullmatch("[A-Za-z]", span))


def names(page: Page) -> Iterator[str]:
    """Words with hyphens, as rules, scenarios and formats are called."""
    yield from (span for span in page.spans if re.fullmatch(r"[a-z]+(-[a-z]+)+", span))


def links(text: str) -> Iterator[tuple[str, str]]:
    """The file and the place in it that each link leads to, where it is not somewhere on the net."""
    for found in re.finditer(r"\]\(([^)\s#:]*)(?:#([^)\s]*))?\)", _FENCE.sub("", text)):
        yield found[1], found[2] or ""


def anchors(text: str) -> set[str]:
    """The places of a page that a link can lead to."""
    heads = re.findall(r"^#+ (.*)$", _FENCE.sub("", text), re.MULTILINE)
    plain = (re.sub(r"\]\([^)]*\)", "]", head.lower()) for head in heads)
    return {re.sub(r"[^\w\- ]", "", head).strip().replace(" ", "-") for head in plain}


def _is_ours(before: str) -> bool:
    """Whether the words before a block do not say that it is another program's file."""
    named = _OTHERS_TOML.search(before.rstrip().rpartition("\n\n")[2])
    return named is None or named[1] in _OURS_TOML
