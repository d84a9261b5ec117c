"""trainwatch completion: the script that makes the shell complete verbs, options and paths."""

import click
from click.shell_completion import get_completion_class

from trainwatch.core.errors import UsageError

_WHERE = {
    "bash": 'eval "$(trainwatch completion bash)"   in ~/.bashrc',
    "zsh": 'eval "$(trainwatch completion zsh)"   in ~/.zshrc',
    "fish": "trainwatch completion fish > ~/.config/fish/completions/trainwatch.fish",
}


@click.command(name="completion")
@click.argument("shell", type=click.Choice(list(_WHERE)))
def command(shell: str) -> int:
    """Print the shell's completion script.

    \b
    Example:
      eval "$(trainwatch completion bash)"
    """
    from trainwatch.app.cli import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"no completion for {shell}; known are {', '.join(_WHERE)}")
    completer = kind(cli, {}, "trainwatch", "_TRAINWATCH_COMPLETE")
    click.echo(f"# {_WHERE[shell]}")
    click.echo(kind.source_template % completer.source_vars())
    return 0
