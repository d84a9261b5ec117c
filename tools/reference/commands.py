"""docs/reference/commands.md: every command with its options, from click's own objects.

The trap: what click prints is as wide as the terminal. Nothing here is printed by it.
"""

import inspect
from collections.abc import Iterator

import click

from tools.reference.markdown import NOTE, code, page, plain, table
from trainwatch.app.cli import COMMANDS, cli

_TOP = """# Every command

`trainwatch COMMAND --help` (or `-h`) says the same. stdout is data, stderr is talk; the exit code is 0 for
well or done, 1 for an unhealthy run or a failure, 2 for a mistake in the command or the configuration, 3 for
unknown or try again, 130 for interrupted.
"""
_EXAMPLE = "\b"


def text() -> str:
    """The page."""
    whole = next(contexts())
    rows = [
        (f"[{name}](#{_anchor(f'trainwatch {name}')})", plain(said))
        for name, said in COMMANDS.items()
    ]
    top = page(_TOP, table(("command", "what it does"), rows), _options(whole))
    return page(NOTE, top, *(_section(each) for each in contexts() if each.parent))


def contexts() -> Iterator[click.Context]:
    """trainwatch itself, then every command and subcommand that is shown, each after what it is part of."""
    yield from _below(click.Context(cli, info_name="trainwatch", **cli.context_settings))


def _below(context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(group := context.command, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command is not None and not command.hidden:
                yield from _below(
                    click.Context(
                        command, info_name=name, parent=context, **command.context_settings
                    )
                )


def _section(context: click.Context) -> str:
    path = context.command_path
    usage = " ".join((path, *context.command.collect_usage_pieces(context)))
    depth = "##" if context.parent and context.parent.parent is None else "###"
    words = inspect.cleandoc(context.command.help or "").split("\n\n")
    return page(
        f"{depth} {path}",
        f"```\n{usage}\n```",
        *(_paragraph(each) for each in words),
        _subcommands(context),
        _options(context),
    )


def _paragraph(words: str) -> str:
    """One of a help text: examples stand as they are, sentences flow."""
    if words.startswith(_EXAMPLE):
        lines = words.splitlines()[1:]
        title = f"{lines.pop(0)}\n\n" if lines and lines[0].endswith(":") else ""
        return f"{title}```bash\n{inspect.cleandoc(chr(10).join(lines))}\n```"
    return plain(" ".join(words.split()))


def _subcommands(context: click.Context) -> str:
    below = [each for each in _below(context) if each.parent is context]
    return "\n".join(f"- [{each.info_name}](#{_anchor(each.command_path)})" for each in below)


def _options(context: click.Context) -> str:
    rows = [
        (code(record[0]), plain(" ".join(record[1].split())))
        for parameter in context.command.get_params(context)
        if isinstance(parameter, click.Option) and "--help" not in parameter.opts
        if (record := parameter.get_help_record(context))
    ]
    return table(("option", "what it does"), rows) if rows else ""


def _anchor(path: str) -> str:
    return path.replace(" ", "-")
