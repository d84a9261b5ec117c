"""trainwatch checkpoints: what is there, what may go, how a round is finished, and how to take it back.

The trap: each of these is a plan until --apply is given.
"""

from typing import TYPE_CHECKING

import click

from trainwatch.app import clock, names
from trainwatch.app.checkpoints import backupwords
from trainwatch.app.checkpoints import words as words_of
from trainwatch.app.commands import backups, roots
from trainwatch.app.commands.shared import say, site_options
from trainwatch.core.errors import ExitCode, TrainwatchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trainwatch.app.wire import Site
    from trainwatch.core.checkpoints.survey import Survey
    from trainwatch.core.model.plans import Operation, Outcome, Plan
    from trainwatch.core.model.status import Status

_UNKNOWN = ("it is not known whether", "not all of it could be seen")


@click.group(name="checkpoints")
def command() -> None:
    """See, prune, back up and take back checkpoints: everything is a plan until --apply.

    RUN_OR_FOLDER is a configured run, its log, or a folder of checkpoints.

    \b
    Example:
      trainwatch checkpoints list /scratch/tr11/checkpoints
      trainwatch checkpoints prune tr11 --keep-last 15 --keep-every 1000
      trainwatch checkpoints finish-round 2 tr11 --apply
      trainwatch checkpoints backup tr11 --apply
      trainwatch checkpoints restore global_step1000 tr11 --to /scratch/again --apply
    """


@command.command(name="list")
@roots.argument
@roots.as_json
@site_options
def list_(run_or_folder: str | None, as_json: bool, site: "Site") -> int:
    """What is there: complete or not, how large, what the trackers name, and why.

    Of a run that was watched also how long a save takes, how often there is one, and what a crash would cost;
    with the days after which the site purges ([alerts.purge-risk]) when each is due.
    """
    purge = site.settings.alerts.purge_risk
    found = [(one, roots.seen(one)) for one in roots.desks(site, run_or_folder)]
    if as_json:
        each = [words_of.listed(seen, purge, _status(site, one)) for one, seen in found]
        click.echo(roots.encoded(each, alone=run_or_folder is not None))
    else:
        texts = [
            words_of.survey(one.desk.root, seen, purge, _status(site, one), _kept(one, seen))
            for one, seen in found
        ]
        click.echo("\n\n".join(texts))
    return ExitCode.UNKNOWN if any(seen.unseen for _, seen in found) else ExitCode.OK


@command.command()
@roots.argument
@click.option("--keep-last", type=click.IntRange(min=2), help="The newest N complete ones.")
@click.option("--keep-every", type=click.IntRange(min=1), help="Multiples of N iterations.")
@click.option(
    "--keep-every-closest", type=click.IntRange(min=1), help="For each multiple the nearest save."
)
@click.option("--keep-step", "keep_steps", type=int, multiple=True, help="A milestone; repeatable.")
@click.option("--keep-newer-h", type=click.FloatRange(min=0, min_open=True), help="Hours.")
@roots.apply
@roots.as_json
@site_options
def prune(
    run_or_folder: str | None, apply: bool, as_json: bool, site: "Site", **keep: object
) -> int:
    """What retention removes, and why each of the others stays. What goes, goes to the trash.

    The newest complete one, what a tracker names, what an attempt went on from and what is being written
    stay whatever the policy says.
    """
    plans = []
    for one in roots.desks(site, run_or_folder):
        policy = words_of.policy(one.desk.settings.policy, keep)
        plans.append((one, one.desk.prune(roots.seen(one), policy)))
    return _carry_out(plans, apply=apply, as_json=as_json)


@command.command(name="finish-round")
@click.argument("number", type=click.IntRange(min=1))
@roots.argument
@click.option("--undo", is_flag=True, help="Take it back: checkpoints first, then the trackers.")
@click.option("--again", is_flag=True, help="Although it was finished before.")
@roots.apply
@roots.as_json
@site_options
def finish_round(
    number: int,
    run_or_folder: str | None,
    undo: bool,
    again: bool,
    apply: bool,
    as_json: bool,
    site: "Site",
) -> int:
    """Remove what is beyond a round's target, and let the trackers name its end.

    Only when Slurm says that no job of the run runs. The trackers are rewritten first; the checkpoints beyond
    go to the trash, from where --undo brings them back until it is emptied.
    """
    found = roots.desks(site, run_or_folder)
    if len(found) != 1:
        raise UsageError(f"name the run: {', '.join(one.name for one in found)}")
    one = found[0]
    if undo:
        label = f"round {number}"
        mine = [each for each in one.desk.trash.operations() if each.label == label]
        return _take_back(one, mine, apply=apply, what=label)
    plan = one.desk.finish(roots.seen(one), number, again=again)
    return _carry_out([(one, plan)], apply=apply, as_json=as_json)


@command.command()
@roots.argument
@click.option("--undo", "undo", metavar="ID", help="Take one operation back.")
@click.option("--empty", is_flag=True, help="Delete for good what is older than --days.")
@click.option("--days", type=click.FloatRange(min=0), help="With --empty; else trash_days.")
@roots.apply
@roots.as_json
@site_options
def trash(
    run_or_folder: str | None,
    undo: str | None,
    empty: bool,
    days: float | None,
    apply: bool,
    as_json: bool,
    site: "Site",
) -> int:
    """What was removed and can be taken back; --empty deletes it for good."""
    code = ExitCode.OK
    for one in roots.desks(site, run_or_folder):
        known, now = one.desk.trash.operations(), clock.now()
        held = [(each, one.desk.trash.holds(each)) for each in known]
        if undo is not None:
            mine = [each for each in known if each.id == undo]
            if mine:
                return _take_back(one, mine, apply=apply, what=undo)
            continue
        older_s = one.desk.settings.trash_s if days is None else days * 86_400
        if empty and apply:
            code = max(code, _ended(one, one.desk.empty(older_s), "deleted for good"))
        elif as_json:
            click.echo(roots.encoded(known, alone=False))
        else:
            click.echo(words_of.trash(one.desk.root, held, now, older_s if empty else None))
    if undo is not None:
        raise UsageError(f"no operation {undo} is known: `trainwatch checkpoints trash` lists them")
    return code


def _status(site: "Site", one: roots.Of) -> "Status | None":
    """How the run that writes them was when somebody looked last."""
    try:
        return site.reader(one.run).status()
    except TrainwatchError:
        return None


def _kept(one: roots.Of, seen: "Survey") -> "Mapping[str, str]":
    """Where each is backed up."""
    wishes = one.desk.shelves.wishes()
    for wish in wishes:
        if wish.unknown:
            say(f"trainwatch: what is backed up is not known: {wish.unknown}")
    return backupwords.where(one.desk.shelves.plan(seen, wishes))


def _carry_out(plans: "list[tuple[roots.Of, Plan]]", *, apply: bool, as_json: bool) -> int:
    code = ExitCode.OK
    for one, plan in plans:
        if as_json:
            click.echo(roots.encoded([plan], alone=True))
        else:
            click.echo(words_of.plan(plan, one.desk.settings.trash_s))
        if plan.refused:
            unknown = any(why.startswith(_UNKNOWN) for why in plan.refused)
            code = max(code, ExitCode.UNKNOWN if unknown else ExitCode.UNHEALTHY)
        elif apply and not plan.idle:
            outcome = one.desk.apply(plan, names.user())
            code = max(code, _ended(one, [outcome], "moved to the trash"))
        elif not apply and not plan.idle:
            say("nothing was done: --apply does it")
    return code


def _take_back(one: roots.Of, operations: "list[Operation]", *, apply: bool, what: str) -> int:
    open_ = [each for each in operations if each.state in ("done", "undoing")]
    if not open_:
        emptied = any(each.state in ("emptying", "emptied") for each in operations)
        why = "its trash is emptied" if emptied else "nothing of it was done here"
        say(f"trainwatch: {what} cannot be taken back: {why}")
        return ExitCode.UNHEALTHY
    click.echo(words_of.back(one.desk.root, [(each, one.desk.trash.holds(each)) for each in open_]))
    if not apply:
        say("nothing was done: --apply takes it back")
        return ExitCode.OK
    return _ended(one, one.desk.undo(open_), "moved back")


def _ended(one: roots.Of, outcomes: "Iterable[Outcome]", what: str) -> ExitCode:
    done = tuple(outcomes)
    moved = sum(len(each.done) for each in done)
    say(f"{one.name}: {moved} checkpoints {what}{words_of.freed(done)}")
    failed = [why for each in done for why in each.failed]
    for why in failed:
        say(f"trainwatch: {why}")
    return ExitCode.UNHEALTHY if failed else ExitCode.OK


for _command in (backups.backup, backups.backups, backups.restore):
    command.add_command(_command)
