"""trainwatch init: a commented configuration from what a log shows."""

import math
import re
from pathlib import Path

import click

from trainwatch.app import clock, looking, names, wireslurm
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.config import Cluster, Model, RunSettings, Training
from trainwatch.app.wire import Site
from trainwatch.app.words import clean
from trainwatch.core.derived import facts_of
from trainwatch.core.errors import UsageError
from trainwatch.core.facts import Facts, Source
from trainwatch.core.slurm.proposing import Proposal
from trainwatch.core.slurm.site import WORD

_LIKELY = ("main_log.txt", "*.log", "*.out", "logs/*.txt", "logs/*.log", "logs/*.out", "*.txt")
_HEAD = """\
# trainwatch: what it watches. Everything here is optional but the log; what is commented out was read
# from the log itself, or has the default that is shown. `trainwatch watch --config {name}` uses it.

# poll_interval_s = 15        # how often the logs are looked at
# state_dir = "~/.local/state/trainwatch"
# log_utc_offset_h = 0        # how far the logs' clock is ahead of UTC; this machine's without it

[[runs]]
name = {run}
log = {log}
"""
_CRON = """
# The job that trainwatch lives in: `trainwatch cron start`. By what sinfo and your associations allow.
# {partition}: {why}.
[cron]
"""
_JOBS = """
# The job arrays of `trainwatch report --slurm N`.
[slurm.jobs]
"""
_MODES = {
    "daemon": "hands over to its successor before its limit",
    "ticks": "a short job each interval: no partition for CPU jobs allows long ones",
}
_MOST_NAMED = 8
_TABLES = (("model", Model), ("cluster", Cluster), ("training", Training))


@click.command(name="init")
@click.argument("log", required=False, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write it here, if nothing is."
)
@site_options
def command(log: Path | None, output: Path | None, site: Site) -> int:
    """Write a commented configuration from what a log shows.

    Without a log, one is looked for in this folder. Without --output it is printed.

    \b
    Example:
      trainwatch init main_log.txt --output trainwatch.toml
    """
    chosen = log or _newest_log()
    run = site.run_of(str(chosen))
    watched = looking.look(site, run, clock.now())
    if watched is None:
        saved = site.reader(run).load()
        facts = facts_of(saved.state, Facts()) if saved else Facts()
    else:
        state = watched.state
        watched.close()
        looking.require_known(watched, run)
        facts = facts_of(state, Facts())
    text = configuration(
        run, facts, output.name if output else "trainwatch.toml", wireslurm.proposal(site.settings)
    )
    if output is None:
        click.echo(text, nl=False)
        return 0
    try:
        with output.open("x") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(
            f"{output} exists; nothing was written. Choose another --output."
        ) from error
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
    say(f"{output} is written. Next: trainwatch tui {run.name} --config {output}")
    return 0


def configuration(
    run: RunSettings, facts: Facts, name: str, proposal: Proposal | None = None
) -> str:
    """The TOML: tables of what is known, each line commented out with where it came from.

    What the cluster allows stands there to be used.
    """
    log = str(names.absolute(run.log))
    parts = [_HEAD.format(name=name, run=_toml(run.name or "run"), log=_toml(log))]
    for table, kind in _TABLES:
        keys = kind.__struct_fields__
        lines = (_setting(key, getattr(facts, key), facts.sources.get(key)) for key in keys)
        parts += [f"\n[runs.{table}]\n", *lines]
    return "".join([*parts, _cluster(proposal) if proposal else ""])


def _cluster(proposal: Proposal) -> str:
    """Where trainwatch's own jobs go: the one that it lives in, and the arrays of a report."""
    place = [
        ("partition", proposal.partition, ""),
        ("account", proposal.account, _accounts(proposal)),
    ]
    limit = ("time_limit_h", math.floor(proposal.time_limit_s / 36) / 100, "")
    life = (("mode", proposal.mode, _MODES[proposal.mode]), *place, limit)
    lines = [_choice(*each) for each in life]
    asked = [_choice("qos", "", _qos(proposal)), _choice("constraint", "", "")]
    head = _CRON.format(partition=_comment(proposal.partition), why=proposal.why)
    return "".join([head, *lines, *asked, _JOBS, *(_choice(*each) for each in place)])


def _choice(key: str, value: object, note: str) -> str:
    """A line; commented out where nothing is chosen."""
    text = f"{key} = {_toml(value)}"
    if (
        value == "" or re.search(WORD, str(value)) is None
    ):  # not chosen, or no name that can be meant
        text = f"# {text}"
    return f"{text:<36}  # {_comment(note)}\n" if note else f"{text}\n"


def _accounts(proposal: Proposal) -> str:
    others = ", ".join(proposal.accounts[:_MOST_NAMED])
    return f"yours: {others}" if len(proposal.accounts) > 1 else ""


def _qos(proposal: Proposal) -> str:
    default = f"; without: {proposal.default_qos}" if proposal.default_qos else ""
    names = ", ".join(proposal.qos[:_MOST_NAMED])
    return f"yours: {names}{default}" if proposal.qos else ""


def _comment(text: str) -> str:
    """Foreign names in one line."""
    return clean(text, 200)


def _setting(key: str, value: object, source: Source | None) -> str:
    if value is None:
        return f"# {key} =\n"
    whence = "from the log" if source == "log" else "follows from the log"
    return f"# {f'{key} = {_toml(value)}':<36}  # {whence}\n"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _newest_log() -> Path:
    for pattern in _LIKELY:
        found = [path for path in Path().glob(pattern) if path.is_file()]
        if found:
            return max(found, key=lambda path: path.stat().st_mtime)
    raise UsageError("no log in this folder; name one: trainwatch init path/to/main_log.txt")
