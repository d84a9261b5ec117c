"""config.example.toml as what it says of each key: its comments are the one place where that is written.

A comment at the end of a line, or the lines right above, are about that key or table; `# key = value` is a
key that is left out, `# # key = value` one that goes in the place of another. The trap: a `#` in a text is
no comment, so that a line is cut where both sides make sense.
"""

import re
import tomllib
from functools import cache
from pathlib import Path as File
from typing import NamedTuple

from tools.reference.settings import Key, Path, Table, table_of, tables

FILE = File(__file__).parents[2] / "config.example.toml"
_HEADER = re.compile(r"(?:# )?\[+([\w.-]+)\]+(?:\s+# (.*))?$")
_KEY = re.compile(r"(?:# )*([\w-]+ = .*)")


class Example(NamedTuple):
    """Sentences by path. A table may be there several times, with a word each."""

    keys: dict[Path, str]
    tables: dict[Path, tuple[str, ...]]

    def of_key(self, table: Table, key: Key) -> str:
        """What is said of it, there or where another table has the same key by inheritance."""
        return self.here(table, key) or next(
            (
                said
                for other in tables().values()
                if any(each.owner is key.owner and each.name == key.name for each in other.keys)
                and (said := self.keys.get((*other.path, key.name)))
            ),
            "",
        )

    def here(self, table: Table, key: Key) -> str:
        """What is said of it in this very table."""
        return self.keys.get((*table.path, key.name), "")


@cache
def example() -> Example:
    """The one in the repository."""
    return parse(FILE.read_text())


def parse(text: str) -> Example:
    """Raises ValueError for a table that no setting is of, which is how a wrong name is found."""
    said, of_tables = dict[Path, str](), dict[Path, tuple[str, ...]]()
    at, above = tables()[()], list[str]()
    for line in text.splitlines():
        if header := _HEADER.match(line):
            at = _table(header[1])
            words = [*_paragraphs(above), *([header[2]] if header[2] else [])]
            of_tables[at.path] = (*of_tables.get(at.path, ()), *words)
        elif (found := _KEY.match(line)) and (pair := _pair(found[1])):
            name, beside = pair
            said.setdefault((*at.path, name), "")
            said[(*at.path, name)] = said[(*at.path, name)] or " ".join([*above, beside]).strip()
        elif line.startswith("#"):
            above.append(line.removeprefix("#").strip())
            continue
        above = []
    return Example(said, of_tables)


def _table(name: str) -> Table:
    found = table_of(tuple(name.split(".")))
    if found is None:
        raise ValueError(f"there is no table [{name}] in the settings")
    return found


def _pair(line: str) -> tuple[str, str] | None:
    """The key of `key = value # words`, and the words; None where it is no such line."""
    ends = [found.start() for found in re.finditer(r"#", line)]
    for end in [*ends, len(line)]:
        try:
            table = tomllib.loads(line[:end])
        except tomllib.TOMLDecodeError:
            continue
        return next(iter(table)), line[end:].lstrip("# ")
    return None


def _paragraphs(lines: list[str]) -> list[str]:
    whole = "\n".join(lines)
    return [" ".join(each.split()) for each in re.split(r"\n\n+", whole) if each.strip()]
