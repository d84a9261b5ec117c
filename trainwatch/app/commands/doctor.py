"""trainwatch doctor: every configured thing looked at, and what to do about what is amiss."""

import os
import shutil
import sys
from pathlib import Path

import click
import msgspec

from trainwatch.app.commands.shared import place_options
from trainwatch.app.doctor import words
from trainwatch.core.doctor.check import Check, Verdict, exit_code, report
from trainwatch.core.doctor.program import Terminal, broken, is_unicode

_COLOURS: dict[Verdict, str] = {
    "ok": "green",
    "warning": "yellow",
    "wrong": "red",
    "unknown": "magenta",
}


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="One object: all checks and the worst.")
@click.option(
    "--deadline",
    "deadline_s",
    type=click.FloatRange(min=0.05, max=600),
    help="Seconds that a look may take; else what is usual for it. What hangs is unknown.",
)
@place_options
def command(
    as_json: bool, deadline_s: float | None, config_file: Path | None, state_dir: Path | None
) -> int:
    """Look at everything that is configured, and say what to do.

    Nothing is changed and nobody is told; what hangs ends as unknown. The exit code is 2 if the configuration
    is wrong, else 1 if something else is, else 3 if something could not be looked at, else 0.

    \b
    Example:
      trainwatch doctor
      trainwatch doctor --config trainwatch.toml --json
    """
    terminal = _terminal()
    checks = _examined(config_file, state_dir, terminal, deadline_s)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report(checks))).decode())
        return exit_code(checks)
    coloured = terminal.is_tty and not terminal.no_color
    for line in words.lines(checks, unicode=is_unicode(terminal.encoding)):
        click.echo(_shown(line, coloured))
    return exit_code(checks)


def _examined(
    config_file: Path | None, state_dir: Path | None, terminal: Terminal, deadline_s: float | None
) -> list[Check]:
    """All checks; of an installation that is broken only that."""
    try:
        from trainwatch.app import wiredoctor
    except ImportError as error:
        return [broken(str(error), sys.executable)]
    return wiredoctor.examine(config_file, state_dir, terminal, deadline_s)


def _shown(line: words.Line, coloured: bool) -> str:
    if not coloured or line.verdict is None:
        return line.text
    return (
        click.style(line.text[: line.marked], fg=_COLOURS[line.verdict]) + line.text[line.marked :]
    )


def _terminal() -> Terminal:
    size = shutil.get_terminal_size()
    return Terminal(
        is_tty=sys.stdout.isatty(),
        columns=size.columns,
        lines=size.lines,
        encoding=sys.stdout.encoding or "",
        term=os.environ.get("TERM", ""),
        colorterm=os.environ.get("COLORTERM", ""),
        no_color=bool(os.environ.get("NO_COLOR")),
    )
