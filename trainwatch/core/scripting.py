"""Hourly and daily scripts, decided: what they are called, which is next, what is said of each.

The trap: a run that stands in the ledger counts for its period, whether or not anybody saw it end.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from trainwatch.core.model.cron import ScriptStatus
from trainwatch.core.model.observations import ScriptReading
from trainwatch.core.model.scripts import Begun, Ended, Ledger, Place, Script
from trainwatch.core.patterns import pattern
from trainwatch.core.periods import LENGTH_S, Grid, Period, settled
from trainwatch.core.redact import redact
from trainwatch.core.words import clean

_ESCAPES = pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_QUOTED_LINES, _QUOTED_CHARS = 3, 400
_LINE_CHARS = 4_000  # more of one line is not looked through for secrets, nor shown
_KEPT_S = 40 * 86_400.0  # what is no longer there is forgotten after so long
_USUALLY_S = 60.0  # what a script is thought to take of which nothing is known
_SLACK = 1.25


def places(folders: Mapping[Period, Sequence[str]]) -> tuple[Place, ...]:
    """The folders with names that tell them apart: the last part of each path, or as many as it takes.

    The first folder of a period has plain files of output; those of the others bear a mark, so that scripts
    of the same name do not write into one.
    """
    listed = [(period, each) for period, some in folders.items() for each in dict.fromkeys(some)]
    names = _telling(tuple(dict.fromkeys(folder for _, folder in listed)))
    twice = [folder for folder in names if sum(folder == each for _, each in listed) > 1]
    return tuple(
        Place(
            period=period,
            folder=folder,
            label=f"{period}:{names[folder]}" if folder in twice else names[folder],
            suffix="" if folder == folders[period][0] else f"@{mark(folder)}",
        )
        for period, folder in listed
    )


def mark(text: str) -> str:
    """Eight digits that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


def merged(file: Ledger, mine: Ledger, unsaved: Iterable[str] = ()) -> Ledger:
    """The ledger of the disk with what we know: the later run counts, and always what could not be saved."""
    kept = {
        key: run
        for key, run in mine.scripts.items()
        if key not in file.scripts or run.began > file.scripts[key].began
    }
    own = {key: mine.scripts[key] for key in unsaved if key in mine.scripts}
    since = max((each for each in (file.since, mine.since) if each is not None), default=None)
    return replace(file, scripts={**file.scripts, **kept, **own}, since=since)


def tidied(ledger: Ledger, there: Iterable[str], now: float) -> Ledger:
    """The ledger without scripts that have been gone for long."""
    stays = set(there)
    kept = {
        key: run
        for key, run in ledger.scripts.items()
        if key in stays or run.bad or abs(now - run.began) < _KEPT_S
    }
    return replace(ledger, scripts=kept)


def set_back(ledger: Ledger, now: float) -> dict[str, Begun]:
    """Runs whose beginning a clock that was set back put too far into the future, as they count now."""
    found = {}
    for key, run in ledger.scripts.items():
        period: Period = "daily" if key.startswith("daily:") else "hourly"
        if (began := settled(period, run.began, now)) != run.began:
            found[key] = replace(run, began=began, ends_by=run.ends_by - run.began + began)
    return found


def gone(ledger: Ledger, scripts: Iterable[Script], unseen: Iterable[Place]) -> dict[str, Begun]:
    """Runs that failed, of scripts that are surely not there any more under that name."""
    labels = {script.key: script.label for script in scripts}
    blind = tuple(f"{place.period}:{place.folder.rstrip('/')}/" for place in unseen)
    return {
        key: run
        for key, run in ledger.scripts.items()
        if run.bad and labels.get(key) != run.label and not key.startswith(blind)
    }


def due(script: Script, ledger: Ledger, grid: Grid, now: float) -> bool:
    """Whether it is to be begun: its period has no run yet, and none is under way."""
    run = ledger.scripts.get(script.key)
    if run is not None and (run.outcome == "running" or run.followed):
        return False
    return grid.due(script.place.period, run.began if run else ledger.since, now)


def in_turn(scripts: Sequence[Script], ledger: Ledger, grid: Grid, now: float) -> list[Script]:
    """Those that are due, whoever waited longest first."""

    def began(script: Script) -> float:
        run = ledger.scripts.get(script.key)
        return run.began if run else float("-inf")

    return sorted((s for s in scripts if due(s, ledger, grid, now)), key=began)


def fits(script: Script, ledger: Ledger, grid: Grid, now: float, ends_at: float | None) -> bool:
    """Whether it may be begun by a watcher that must end at `ends_at`: else its successor begins it.

    One that was put off for a whole period is begun all the same: it may never fit.
    """
    run = ledger.scripts.get(script.key)
    if ends_at is None or script.is_job:
        return True
    took_s = run.took_s if run and run.took_s is not None else _USUALLY_S
    if now + took_s * _SLACK <= ends_at:
        return True
    start = grid.start(script.place.period, now)
    return run is not None and run.began < start - LENGTH_S[script.place.period]


def finished(run: Begun, ended: Ended) -> Begun:
    """The run with its end."""
    if ended.exit_code is None:
        outcome, how = "ended", ended.how or "was ended after its deadline"
    else:
        outcome, how = ("failed" if ended.exit_code else "ok"), ended.how
    said = quoted(ended.tail) if outcome != "ok" else ""
    return replace(
        run,
        outcome=outcome,
        exit_code=ended.exit_code,
        took_s=ended.took_s,
        why=": ".join(part for part in (how, said) if part),
        bad=outcome != "ok",
        followed=False,
    )


def reading(run: Begun, ended: Ended, now: float) -> ScriptReading:
    """What rules are told of an end."""
    return ScriptReading(
        at=now,
        script=run.label,
        exit_code=ended.exit_code,
        took_s=ended.took_s,
        how=ended.how,
        why=quoted(ended.tail) if ended.exit_code != 0 else "",
    )


def taken_back(run: Begun, now: float) -> ScriptReading:
    """What rules are told of a script that failed and is no longer there: nobody can make it work."""
    why = "it is not there any more: removed, or disabled"
    return ScriptReading(at=now, script=run.label, exit_code=0, why=why)


def status(
    script: Script, run: Begun | None, *, is_due: bool, grid: Grid, now: float
) -> ScriptStatus:
    """How it is, for views."""
    period = script.place.period
    said = ScriptStatus(
        name=script.label,
        period=period,
        path=script.path,
        next_at=now if is_due else grid.following(period, max(now, run.began if run else now)),
    )
    if run is None:
        return said
    return replace(
        said,
        outcome=run.outcome,
        exit_code=run.exit_code,
        last_at=run.began,
        took_s=run.took_s,
        job_id=run.job_id,
        why=run.why,
    )


def left_out(place: Place, name: str, why: str) -> ScriptStatus:
    """A file that is not run though somebody may have meant it to be."""
    shown = clean(name, 80)
    path = clean(f"{place.folder.rstrip('/')}/{name}")
    return ScriptStatus(
        name=f"{place.label}/{shown}", period=place.period, path=path, why=f"not run: {why}"
    )


def quoted(tail: str) -> str:
    """The last lines of foreign output on one line: no escape sequences, no secrets, not too long."""
    lines = (line[-_LINE_CHARS:] for line in _ESCAPES.sub("", tail).splitlines())
    text = redact("\n".join(line for line in lines if line.strip()))
    shown = [clean(line, _LINE_CHARS).strip() for line in text.splitlines()[-_QUOTED_LINES:]]
    last = " | ".join(shown)
    return last if len(last) <= _QUOTED_CHARS else "…" + last[1 - _QUOTED_CHARS :]


def _telling(folders: Sequence[str]) -> dict[str, str]:
    """By folder: as many of its last parts as tell it from the others."""
    return {folder: _shortest(folder, [f for f in folders if f != folder]) for folder in folders}


def _shortest(folder: str, others: Sequence[str]) -> str:
    for tail in _tails(folder):
        if all(tail not in _tails(other) for other in others):
            return clean(tail, 120)
    return clean(folder, 120)


def _tails(folder: str) -> Iterator[str]:
    parts = [part for part in folder.split("/") if part]
    for count in range(1, len(parts) + 1):
        yield "/".join(parts[-count:])
