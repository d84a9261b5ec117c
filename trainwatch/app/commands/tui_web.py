"""trainwatch tui --web: the screen in a browser, for whoever has the link.

Read-only unless more is asked for: a page stays open long after a terminal is closed, where others come by.
"""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from trainwatch.app import names
from trainwatch.app.commands.shared import say
from trainwatch.app.config import RunSettings
from trainwatch.app.durations import DURATION
from trainwatch.core.errors import UsageError

if TYPE_CHECKING:
    from trainwatch.app.wire import Site

F = TypeVar("F", bound=Callable[..., Any])

_LISTEN = "127.0.0.1:0"
_IDLE_S = 12 * 3600.0
_OPTIONS = (
    click.option("--web", is_flag=True, help="In a browser, read-only; prints the link to open."),
    click.option(
        "--listen",
        metavar="ADDRESS",
        help="With --web: 127.0.0.1:PORT or unix:PATH; else any free port of 127.0.0.1.",
    ),
    click.option("--writable", is_flag=True, help="With --web: keys that change things work, too."),
    click.option(
        "--idle",
        "idle_s",
        type=DURATION,
        metavar="TIME",
        help="With --web: end a screen that nobody touched for so long; else 12h.",
    ),
)


class Web(NamedTuple):
    """What was asked for."""

    listen: str
    writable: bool
    idle_s: float


def web_options(command: F) -> F:
    """--web and what belongs to it, handed to the command as one `web`; None without it."""

    def with_web(
        *arguments: Any,
        web: bool,
        listen: str | None,
        writable: bool,
        idle_s: float | None,
        **options: Any,
    ) -> Any:
        given = {"--listen": listen, "--writable": writable, "--idle": idle_s}
        for name, value in given.items():
            if value and not web:
                raise UsageError(f"{name} belongs to --web: a terminal needs none")
        if writable and options.get("read_only"):
            raise UsageError("--writable and --read-only: choose one of them")
        chosen = Web(listen or _LISTEN, writable, idle_s or _IDLE_S) if web else None
        return command(*arguments, web=chosen, **options)

    with_web.__doc__ = command.__doc__
    with_web.__name__ = command.__name__
    wrapped: Any = with_web
    wrapped.__click_params__ = getattr(command, "__click_params__", [])
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


def open_web(
    site: "Site", run: RunSettings | None, shown: Sequence[str], web: Web, theme: str | None
) -> int:
    """Serve the screen of a run, or of all, until a signal comes. Raises UsageError, MissingExtra."""
    from trainwatch.app.web.listen import address
    from trainwatch.app.web.serving import Served, serve

    where = address(web.listen)
    name = "all runs" if run is None else run.name or names.absolute(run.log).stem
    command = drawing(site, shown, theme, writable=web.writable)
    return serve(Served(name, command, web.idle_s, web.writable), where, _show, say)


def given(log_or_run: str | None) -> list[str]:
    """The words that name a run, or none."""
    return [] if log_or_run is None else ["--", log_or_run]


def drawing(site: "Site", shown: Sequence[str], theme: str | None, *, writable: bool) -> list[str]:
    """The command that draws the same screen for a browser. Holds nothing that opens the page.

    `shown` are the words that say what is on it.
    """
    words = [sys.executable, "-P", "-m", "trainwatch", "tui", "--for-browser"]
    words += [] if writable else ["--read-only"]
    words += ["--theme", theme] if theme else []
    words += ["--config", str(site.config_path)] if site.config_path else []
    words += ["--state-dir", str(site.state_dir)]
    return [*words, *shown]


def _show(link: str) -> None:
    """The one line that is data."""
    click.echo(link)
