"""What several commands share: the options that say where things are, and what goes where."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from trainwatch.app import config
from trainwatch.app.wire import Site

F = TypeVar("F", bound=Callable[..., Any])


def site_options(command: F) -> F:
    """--config and --state-dir, handed to the command as one `site`."""

    def with_site(
        *arguments: Any, config_file: Path | None, state_dir: Path | None, **options: Any
    ) -> Any:
        site = Site(config.load(config_file or config.default_path()), state_dir)
        return command(*arguments, site=site, **options)

    with_site.__doc__ = command.__doc__
    with_site.__name__ = command.__name__
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
    wrapped: Any = with_site
    wrapped.__click_params__ = getattr(command, "__click_params__", [])
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


def say(text: str) -> None:
    """Talk: to stderr."""
    click.echo(text, err=True)
