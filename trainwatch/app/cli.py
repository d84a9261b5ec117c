"""The command line: which verbs there are, and how errors become messages and exit codes.

Commands are imported when they are called, so that `trainwatch status` does not load a screen.
"""

import errno
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from trainwatch import __version__
from trainwatch.core.errors import ExitCode, TrainwatchError

COMMANDS = {
    "demo": "Watch a simulated training job, live.",
    "tui": "Open the screen on a log or a run.",
    "run": "Run a command, keep its output, and watch it: for a machine without Slurm.",
    "watch": "Watch runs in the foreground, and keep what is seen.",
    "status": "Say how a run is doing.",
    "doctor": "Look at everything that is configured, and say what to do.",
    "cron": "Live on a Slurm cluster, as a job that submits its own successor.",
    "alerts": "List alerts, acknowledge or silence them.",
    "checkpoints": "See, prune and take back checkpoints; plans first.",
    "hands": "Say what would be done to a run's jobs, and why or why not.",
    "disks": "Say how full the watched disks and quotas are.",
    "sync": "Send what is due to the Hub or another place.",
    "metrics": "Print what Prometheus would scrape, once.",
    "report": "A row per log: speed, TFLOPs, how it ended.",
    "export": "A row per iteration, as CSV, JSON lines, Parquet or TensorBoard.",
    "replay": "Fold a recording or a log, and print what happened when.",
    "calc": "The formulas of training by hand.",
    "score": "Say how good the alert rules are, on incidents and healthy runs.",
    "simulate": "Write a training run that never was.",
    "init": "Write a commented configuration from what a log shows.",
    "schema": "Print the JSON Schema of what other programs read.",
    "completion": "Print the shell's completion script.",
}


# A full disk or quota, or a file that may not grow: no bug of ours.
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"trainwatch.app.commands.{cmd_name}")
        command: click.Command = module.command
        if not gc.isenabled():  # since __main__.py
            gc.freeze()
            gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"No such command '{args[0]}'.{_hint(args[0])}", ctx)
        return super().resolve_command(ctx, args)


def _hint(word: str) -> str:
    import difflib

    from trainwatch.app.logfile import there

    near = difflib.get_close_matches(word, COMMANDS, n=1)
    if near:
        return f" Did you mean '{near[0]}'?"
    return f" To look at a log: trainwatch tui {word}" if there(Path(word)) else ""


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="trainwatch %(version)s")
def cli() -> None:
    """Watch long training jobs from outside, without a change to their code.

    \b
    trainwatch demo                   see it with a simulated job
    trainwatch tui main_log.txt       see how your own run is doing
    trainwatch report *.out           compare many runs
    """


def run(arguments: Sequence[str]) -> int:
    """Run a command; an error becomes a message on stderr and an exit code."""
    try:
        result = cli.main(list(arguments), prog_name="trainwatch", standalone_mode=False)
        return int(result) if isinstance(result, int) else 0
    except click.exceptions.Exit as request:
        return request.exit_code
    except SystemExit as request:
        # click's answer to a reader that went away (| head): that is no failure of ours
        gone = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        return ExitCode.OK if gone else int(request.code or 0)
    except click.Abort:
        return _interrupted()
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except TrainwatchError as error:
        click.echo(f"trainwatch: {error}", err=True)
        return error.exit_code
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:  # noqa: BLE001 - whatever it is, nobody is shown a bare traceback
        click.echo(f"trainwatch: {_unforeseen(error)}", err=True)
        return ExitCode.UNHEALTHY


def _unforeseen(error: Exception) -> str:
    """What to say of it. The trap: an error's words may be a client's, with all that it was given."""
    import traceback

    from trainwatch.core.redact import redact_known

    if isinstance(error, OSError) and error.errno in _FULL:
        return f"{error.filename or 'the output'} could not be written: {error.strerror}"
    said = f"internal error: {type(error).__name__}: {error}"
    if os.environ.get("TRAINWATCH_DEBUG"):
        said = f"{said}\n{''.join(traceback.format_exception(error))}"
    else:
        said += "\nThis is a bug. Run the command again with TRAINWATCH_DEBUG=1 and report what it prints."
    return redact_known(said, os.environ)


def _interrupted() -> int:
    click.echo("", err=True)
    return ExitCode.INTERRUPTED
