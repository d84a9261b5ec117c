"""trainwatch tui: the screen."""

import re
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from trainwatch.app import clock, wirescreen
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.commands.tui_web import Web, given, open_web, web_options
from trainwatch.app.config import RunSettings
from trainwatch.app.loading import loading
from trainwatch.app.logfile import check_log
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from trainwatch.app.tui.app import ScreenApp
    from trainwatch.app.tui.served import Driver
    from trainwatch.app.viewing import Source

_WITHOUT = (
    "the screen needs a terminal, and this is none (or TERM is dumb): here is what "
    "`trainwatch status --watch` says, until ctrl+c; --svg FILE writes a picture"
)
_THEMES = ("dark", "light", "colour-blind", "high-contrast", "terminal")


@click.command(name="tui")
@click.argument("log_or_run", required=False)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="All runs: the configured ones, and those that are only kept in the state folder.",
)
@click.option(
    "--theme",
    type=click.Choice(_THEMES),
    help="Colours; else NO_COLOR, what was chosen last and COLORFGBG decide.",
)
@click.option(
    "--svg",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a picture of the screen to this file and leave.",
)
@click.option("--read-only", is_flag=True, help="Without the keys that change anything.")
@web_options
@click.option("--for-browser", is_flag=True, hidden=True)  # what --web starts for each page
@click.option(
    "--size", default="120x40", show_default=True, help="Of the picture, in columns x rows."
)
@site_options
def command(
    log_or_run: str | None,
    every: bool,
    theme: str | None,
    svg: Path | None,
    size: str,
    read_only: bool,
    for_browser: bool,
    web: Web | None,
    site: Site,
) -> int:
    """Open the screen on a log or a run, or on all runs: with --all, or where several are configured.

    Nothing needs to be configured or running: what nobody watches is watched while its screen is open.
    The screen of all runs only shows what their watchers say.

    \b
    Examples:
      trainwatch tui main_log.txt
      trainwatch tui main_log.txt --web
      trainwatch tui --all
    """
    if every and log_or_run is not None:
        raise UsageError(f"--all shows every run, and '{log_or_run}' is one: leave one of them out")
    run = None if every else _run(site, log_or_run)
    look = Look(theme, read_only=read_only, for_browser=for_browser)
    if web is not None:
        return open_web(site, run, ["--all"] if every else given(log_or_run), web, theme)
    if svg is None and not for_browser and not has_terminal():
        return _in_plain_text(site, log_or_run)
    if run is None:
        from trainwatch.app.commands import tui_fleet

        return tui_fleet.command(site, look, svg, _size(size), every=every)
    if svg is None:
        open_screen(site, run, look)
        return ExitCode.OK
    with closing(site.screen(run)) as source:
        return _picture(source, svg, _size(size), theme)


class Look(NamedTuple):
    """How the screen is to be: its colours, for how long, what it may do, and where it is drawn."""

    theme: str | None = None
    for_s: float | None = None
    read_only: bool = False
    for_browser: bool = False


def open_screen(site: Site, run: RunSettings, look: Look) -> None:
    """The screen on a run, until its user leaves it or its time is over."""
    with closing(site.screen(run)) as source:
        _open(site, source, run, look)


def _in_plain_text(site: Site, log_or_run: str | None) -> int:
    from trainwatch.app.commands.status_watch import EVERY_S, watch

    say(f"trainwatch: {_WITHOUT}")
    return watch(site, log_or_run, EVERY_S)


def has_terminal() -> bool:
    """Whether there is one on all sides: keys come from stdin, and Textual paints on stderr."""
    from trainwatch.app.commands.status_watch import paints

    return sys.stdin.isatty() and paints() and sys.stderr.isatty()


def _run(site: Site, log_or_run: str | None) -> RunSettings | None:
    """The run to show; None: all of several. Raises UsageError for none, LogUnreadable for no log."""
    if log_or_run is None:
        runs = site.runs()
        return runs[0] if len(runs) == 1 else None
    run = site.run_of(log_or_run)
    configured = any(log_or_run in (known.name, known.log) for known in site.settings.runs)
    if not configured and not site.folder(run).exists():
        check_log(Path(run.log))
    return run


def _open(site: Site, source: "Source", run: RunSettings, look: Look) -> None:
    with loading():
        app = _made(source, site, run, look)
    app.run()
    wirescreen.keep_chosen(site.state_dir, app.habits.changed, read_only=look.read_only)
    if app.failure is not None:
        raise app.failure


def _made(source: "Source", site: Site, run: RunSettings, look: Look) -> "ScreenApp":
    """The screen; the end of the log stands there before it is made."""
    from trainwatch.app.tui.curtain import Curtain
    from trainwatch.app.tui.feed import Feed

    size = shutil.get_terminal_size()
    feed = Feed(source, *size)
    curtain = Curtain.of_textual(*size)
    with curtain.until_the_screen():
        if not look.for_browser:
            feed.attach(curtain.show)
        feed.start()  # reads while the rest is loaded
        from trainwatch.app.tui import theme as themes
        from trainwatch.app.tui.app import ScreenApp
        from trainwatch.app.tui.habits import Habits

        habits = Habits(wirescreen.chosen_before(site.state_dir))
        return ScreenApp(
            source,
            feed=feed,
            habits=habits,
            colours=themes.chosen(look.theme, before=habits.values.get("theme")),
            save_picture=keeper(run.name or "run"),
            save_view=table_keeper(run.name or "run"),
            save_png=png_keeper(run.name or "run"),
            for_s=look.for_s,
            read_only=look.read_only,
            driver=for_browser() if look.for_browser else None,
        )


def for_browser() -> "type[Driver]":
    """Draws for the server of --web."""
    from trainwatch.app.tui.served import Driver

    return Driver


def _picture(source: "Source", path: Path, size: tuple[int, int], theme: str | None) -> int:
    """Write what the screen shows once the log is read."""
    from trainwatch.app.tui.app import ScreenApp

    pictures: list[str] = []

    def shown(app: "ScreenApp") -> None:
        snapshot = app.snapshot
        if snapshot.watching != "starting" and snapshot.reading is None:
            pictures.append(app.export_screenshot(title=f"trainwatch tui {snapshot.status.run}"))
            app.exit()

    app = ScreenApp(source, colours=theme or "dark", shown=shown)
    app.run(headless=True, size=size)
    if app.failure is not None:
        raise app.failure
    return write(pictures[0], path)


def keeper(name: str) -> Callable[[str], str]:
    """Keeps pictures of what has this name, and says where. It raises OSError."""

    def save(picture: str) -> str:
        path = Path(f"{_safe(name)}-{_stamp()}.svg")
        path.write_text(picture)
        return str(path.absolute())

    return save


def table_keeper(name: str) -> Callable[[Iterable[str]], str]:
    """Keeps tables (CSV) of what has this name, whole or not at all, and says where. It raises OSError."""

    def save(pieces: Iterable[str]) -> str:
        path = Path(f"{_safe(name)}-{_stamp()}.csv")
        try:
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        return str(path.absolute())

    return save


def png_keeper(name: str) -> Callable[[str], str]:
    """Keeps pictures of what has this name as PNG, and says where. It raises OSError, MissingExtra."""

    def save(picture: str) -> str:
        from trainwatch.app.wirepictures import png_of

        path = Path(f"{_safe(name)}-{_stamp()}.png")
        path.write_bytes(png_of(picture))
        return str(path.absolute())

    return save


def write(picture: str, path: Path) -> int:
    """Write the picture that was asked for. Raises UsageError."""
    try:
        path.write_text(picture)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    say(f"wrote {path}")
    return ExitCode.OK


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{2,3})x(\d{2,3})", text)
    if found is None:
        raise UsageError(f"--size {text}: expected columns x rows, e.g. 120x40")
    return int(found[1]), int(found[2])


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.")[:60] or "run"


def _stamp() -> str:
    now: datetime = clock.local(clock.now())
    return now.strftime("%Y%m%d-%H%M%S")
