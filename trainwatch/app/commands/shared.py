"""What several commands share: the options that say where things are, and what goes where."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trainwatch.app import config

if TYPE_CHECKING:
    from trainwatch.app.wire import Site

F = TypeVar("F", bound=Callable[..., Any])


def site_of(config_file: Path | None, state_dir: Path | None) -> "Site":
    """Where things are, as these two options say. Raises UsageError."""
    from trainwatch.app.wire import Site

    path = config_file or config.default_path()
    return Site(config.load(path), state_dir, config_path=path)


def site_options(command: F) -> F:
    """--config and --state-dir, handed to the command as one `site`."""

    def with_site(
        *arguments: Any, config_file: Path | None, state_dir: Path | None, **options: Any
    ) -> Any:
        return command(*arguments, site=site_of(config_file, state_dir), **options)

    with_site.__doc__ = command.__doc__
    with_site.__name__ = command.__name__
    wrapped: Any = with_site
    wrapped.__click_params__ = getattr(command, "__click_params__", [])
    return place_options(wrapped)  # type: ignore[no-any-return]


def place_options(command: F) -> F:
    """--config and --state-dir, as they are: for a command that may not need a site at all."""
    options = (
        click.option(
            "--config",
            "config_file",
            type=click.Path(path_type=Path),
            help="A configuration; else TRAINWATCH_CONFIG, ./trainwatch.toml, ~/.config/trainwatch.",
        ),
        click.option(
            "--state-dir",
            type=click.Path(path_type=Path),
            help="Where state is kept; else TRAINWATCH_STATE_DIR or ~/.local/state/trainwatch.",
        ),
    )
    wrapped: Any = command
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


@contextmanager
def leaving_in_order() -> Iterator[None]:
    """SIGTERM and SIGHUP end a command as ctrl+c does: what it leaves is cleared away."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say(text: str) -> None:
    """Talk: to stderr."""
    click.echo(text, err=True)
