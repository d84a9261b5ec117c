"""docs/reference/config.md: every table and key of the configuration."""

from functools import reduce
from pathlib import Path as File

from tools.reference import values
from tools.reference.example import Example, example
from tools.reference.markdown import NOTE, code, page, plain, table
from tools.reference.settings import NAME, Key, Path, Struct, Table, keys_of, lineage, tables

DOCS = File(__file__).parents[2] / "docs"
EACH = "*"  # any of the tables in one
_HEADS = ("key", "what it takes", "unit", "default", "what it is")
_MANY = 3  # tables beside each other that are made from one struct: its keys are said once
_TOP = """# Every key of the configuration

A configuration is TOML, and everything in it is optional unless it says so. `--config` names it, else it is
`TRAINWATCH_CONFIG`, `./trainwatch.toml` or `~/.config/trainwatch/config.toml`. A key that is not on this
page is an error that names the nearest one that is. A table with two brackets may be there several times;
`NAME` is a name of your own choice. [config.example.toml](../../config.example.toml) is the same as a file
to begin with, and `trainwatch init` writes one from what your log shows. Where there is no default, nothing
is set without the key, or it is as the last column says.
"""


def text() -> str:
    """The page."""
    said, parts = example(), [NOTE, _TOP]
    for each in tables().values():
        above = _of_each(each.path[:-1]) if each.path else None
        parts.append(_section(each, said, above))
        if each_below := _of_each(each.path):
            parts.append(_section(each_below, said, None))
    return page(*parts)


def _of_each(path: Path) -> Table | None:
    """What the tables right below have in common, if they are many, as if it were one of them."""
    below = [each.struct for each in tables().values() if each.path and each.path[:-1] == path]
    if len(below) < _MANY:
        return None
    first: list[Struct] = lineage(below[0])
    common = reduce(lambda kept, one: [s for s in kept if s in lineage(one)], below, first)
    return Table((*path, EACH), False, common[0], keys_of(common[0])) if common else None


def _section(each: Table, said: Example, above: Table | None) -> str:
    keys = [key for key in each.keys if above is None or key not in above.keys]
    words = said.tables.get(each.path, ())
    if not words and each.path and keys:
        words = (" ".join((each.struct.__doc__ or "").partition("\n\n")[0].split()),)
    more = f"{'And the' if keys else 'The'} keys of {code(above.header)}." if above else ""
    return page(
        f"## {code(each.header)}" if each.path else "## At the top of the file",
        *(plain(paragraph[:1].upper() + paragraph[1:]) for paragraph in words),
        _catalogued(each),
        table(_HEADS, [_row(each, key, said) for key in keys]) if keys else "",
        more,
    )


def _row(each: Table, key: Key, said: Example) -> tuple[str, ...]:
    default = "required" if key.required else code(values.default(key))
    words = plain(said.of_key(each, key))
    return code(key.name), plain(values.kind(key.type)), values.unit(key.name), default, words


def _catalogued(each: Table) -> str:
    """A link to the page of that name, where docs has one."""
    place = "/".join(each.path)
    known = not {NAME, EACH} & set(each.path) and (DOCS / f"{place}.md").is_file()
    return f"More in [{each.path[-1]}](../{place}.md)." if each.path and known else ""
