"""The text of a first configuration: what was seen and where; what is uncertain is commented out."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from trainwatch.app import names
from trainwatch.app.config import Cluster, Model, RunSettings, Training
from trainwatch.app.initial import toml
from trainwatch.app.initial.found import Beside, beside, other_logs
from trainwatch.core.around import Around, LogAt
from trainwatch.core.facts import Facts, Source
from trainwatch.core.slurm.proposing import Proposal
from trainwatch.core.words import number

_HEAD = """\
# trainwatch: what it watches. Everything here is optional but the log; what is commented out was read
# from the log itself, or has the default that is shown. `trainwatch watch --config {name}` uses it.

# poll_interval_s = 15        # how often the logs are looked at
# state_dir = "~/.local/state/trainwatch"
# log_utc_offset_h = 0        # how far the logs' clock is ahead of UTC; this machine's without it
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
_HUB = """
# You are logged in to the Hub ({login}). To send logs there, name a repository of yours.
# [[sync]]
"""
_MODES = {
    "daemon": "hands over to its successor before its limit",
    "ticks": "a short job each interval: no partition for CPU jobs allows long ones",
}
_MOST_NAMED, _MOST_OTHERS = 8, 12
_TABLES = (("model", Model), ("cluster", Cluster), ("training", Training))


def configuration(
    run: RunSettings,
    facts: Facts,
    name: str,
    proposal: Proposal | None = None,
    around: Around | None = None,
    more: Sequence[tuple[RunSettings, LogAt]] = (),
    *,
    others: bool = True,
) -> str:
    """The TOML: tables of what is known, each line commented out with where it came from.

    What the cluster allows, and what was seen beyond doubt, stands there to be used. `more` are runs besides;
    `others`: logs that may be, too, are named.
    """
    seen, log = around or Around(), str(names.absolute(run.log))
    parts = [_HEAD.format(name=name), *_looked(seen)]
    parts += _run(run, facts, beside(seen, log, facts))
    for one, at in more:
        parts += _run(one, at.seen.facts, beside(seen, at.path, at.seen.facts))
    mine = {log, *(at.path for _, at in more)}
    if others:
        parts += _others([at for at in other_logs(seen) if at.path not in mine])
    parts += [_cluster(proposal)] if proposal else []
    parts += _hub(seen.login, log)
    return "".join(parts)


def _looked(seen: Around) -> Iterator[str]:
    if seen.folder:
        roots = sum(not root.why for root in seen.roots)
        told = f"logs: {len(seen.logs):,}, folders of checkpoints: {roots:,}"
        yield f"\n# Looked around in {toml.comment(seen.folder)}: {told}.\n"
    if seen.cut:
        yield f"# Not all of it was seen: {toml.comment(seen.cut)}.\n"


def _run(run: RunSettings, facts: Facts, known: Beside) -> Iterator[str]:
    yield "\n[[runs]]\n"
    yield toml.line("name", toml.comment(run.name or "run"))  # a file's name may hold line ends
    yield toml.line("log", str(names.absolute(run.log)), known.log)
    for table, kind in _TABLES:
        yield f"\n[runs.{table}]\n"
        for key in kind.__struct_fields__:
            yield _setting(key, getattr(facts, key), facts.sources.get(key))
    yield from known.tables


def _others(logs: Sequence[LogAt]) -> Iterator[str]:
    """Logs that may be runs of their own, or parts of one."""
    if not logs:
        return
    yield "\n# More logs were seen. Those of a run of its own want a table of their own.\n"
    for at in logs[:_MOST_OTHERS]:
        said = f"{at.seen.framework or 'a log'}, up to iteration {number(at.seen.last)}"
        yield "# [[runs]]\n" + toml.line("log", at.path, said, off=True)
    if len(logs) > _MOST_OTHERS:
        yield f"# and {len(logs) - _MOST_OTHERS:,} more\n"


def _cluster(proposal: Proposal) -> str:
    """Where trainwatch's own jobs go: the one that it lives in, and the arrays of a report."""
    place = [
        ("partition", proposal.partition, ""),
        ("account", proposal.account, _accounts(proposal)),
    ]
    limit = ("time_limit_h", math.floor(proposal.time_limit_s / 36) / 100, "")
    life = (("mode", proposal.mode, _MODES[proposal.mode]), *place, limit)
    lines = [toml.choice(*each) for each in life]
    asked = [toml.choice("qos", "", _qos(proposal)), toml.choice("constraint", "", "")]
    head = _CRON.format(partition=toml.comment(proposal.partition), why=proposal.why)
    return "".join([head, *lines, *asked, _JOBS, *(toml.choice(*each) for each in place)])


def _accounts(proposal: Proposal) -> str:
    others = ", ".join(proposal.accounts[:_MOST_NAMED])
    return f"yours: {others}" if len(proposal.accounts) > 1 else ""


def _qos(proposal: Proposal) -> str:
    default = f"; without: {proposal.default_qos}" if proposal.default_qos else ""
    several = ", ".join(proposal.qos[:_MOST_NAMED])
    return f"yours: {several}{default}" if proposal.qos else ""


def _hub(login: str, log: str) -> Iterator[str]:
    if login:
        path = Path(log)
        yield _HUB.format(login=toml.comment(login))
        yield toml.line("name", "logs", off=True)
        yield toml.line("root", str(path.parent), off=True)
        yield toml.line("what", (path.name,), off=True)
        yield toml.line(
            "to", "hf://datasets/ORG/NAME", "made by the first sync with create = true", off=True
        )


def _setting(key: str, it: object, source: Source | None) -> str:
    if it is None:
        return f"# {key} =\n"
    whence = "from the log" if source == "log" else "follows from the log"
    return f"# {f'{key} = {toml.value(it)}':<36}  # {whence}\n"
