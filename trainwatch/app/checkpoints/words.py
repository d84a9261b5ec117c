"""Checkpoints, plans and the trash as plain text."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from trainwatch.app import words
from trainwatch.core.checkpoints import summary
from trainwatch.core.checkpoints.survey import Found, Survey
from trainwatch.core.model.plans import Operation, Outcome, Plan, Removed
from trainwatch.core.model.policies import Policy
from trainwatch.core.model.status import Status
from trainwatch.core.rules.settings import PurgeRisk
from trainwatch.core.words import clean, duration, number, short

_WIDTH, _WHY = 60, 160
_OPTIONS = {
    "keep_last": "last",
    "keep_every": "every",
    "keep_every_closest": "every_closest",
    "keep_steps": "steps",
    "keep_newer_h": "newer_h",
}


class Saves(msgspec.Struct, frozen=True, kw_only=True):
    """How a run saves, as it was known last: iterations, seconds, hours."""

    iteration: int | None = None  # of the last complete one
    at: float | None = None
    duration_s: float | None = None
    interval: int | None = None
    period_s: float | None = None  # from one to the next
    iterations_at_risk: int | None = None
    hours_at_risk: float | None = None
    gpu_hours_at_risk: float | None = None


class Listed(Survey, frozen=True, kw_only=True):
    """A survey as scripts read it, with what the site and the run add to it."""

    purge_at: dict[str, float] = msgspec.field(default_factory=dict)  # by name
    saves: Saves | None = None


def listed(seen: Survey, purge: PurgeRisk, status: Status | None) -> Listed:
    """All that is known, for scripts."""
    fields = {name: getattr(seen, name) for name in seen.__struct_fields__}
    saves = saves_of(status) if status is not None else None
    return Listed(**fields, purge_at=purged_at(seen, purge), saves=saves)


def policy(configured: Policy, given: Mapping[str, object]) -> Policy:
    """As given on a command line, each option in the place of what is configured."""
    chosen = {_OPTIONS[key]: value for key, value in given.items() if value not in (None, ())}
    return replace(configured, **chosen)


def survey(
    root: str,
    seen: Survey,
    purge: PurgeRisk,
    status: Status | None = None,
    kept: Mapping[str, str] | None = None,
) -> str:
    """A line for each checkpoint, by iteration, and what is to be said of all.

    `status`: of the run that writes them, where it is known. `kept`: where each is backed up.
    """
    due, at = purged_at(seen, purge), kept or {}
    rows = [
        (
            one.name,
            one.state,
            size(one.contents.bytes),
            _times(one, seen.at),
            *([_purge(due.get(one.name), seen.at)] if purge.purge_after_days is not None else []),
            _why(one, at),
        )
        for one in seen.found
    ]
    total = sum(one.contents.bytes for one in seen.found)
    complete = sum(one.state == "complete" for one in seen.found)
    weights = sum(one.contents.weights_bytes for one in seen.found)
    of = f" ({size(weights)} of it weights)" if total else ""
    head = (
        f"{clean(root, 200)}: {len(seen.found)} checkpoints, {complete} complete, {size(total)}{of}"
    )
    trackers = [
        f"  {one.trouble or f'{one.file} names {clean(one.says, _WIDTH)}'}" for one in seen.trackers
    ]
    if not seen.found:
        trackers.append(
            "  nothing here has the name of a checkpoint: global_step100, iter_0000100, step-100, ..."
        )
    notes = [f"  not seen: {why}" for why in seen.unseen] + [f"  {why}" for why in seen.left]
    saved = _saves(status, seen.at) if status is not None else []
    return "\n".join([head, *saved, *trackers, *table(rows), *notes])


def purged_at(seen: Survey, purge: PurgeRisk) -> dict[str, float]:
    """By name: when the site may remove it, unless somebody reads it; only where that is known."""
    found = {one.name: summary.purged_at(one, purge) for one in seen.reading().found}
    return {name: at for name, at in found.items() if at is not None}


def _purge(at: float | None, now: float) -> str:
    if at is None:
        return words.DASH
    return f"purged in {duration(at - now)}" if at > now else "purged any night"


def _saves(status: Status, now: float) -> list[str]:
    """When it saved last, how long that takes, how often it is; what a crash now would cost."""
    known, saved = saves_of(status), status.checkpoint
    parts = list[str]()
    if saved is not None and saved.iteration is not None:
        ago = f", {duration(max(0.0, now - saved.at))} ago" if saved.at is not None else ""
        parts.append(f"last saved iteration {saved.iteration:,}{ago}")
    if known.duration_s is not None:
        parts.append(f"a save takes {duration(known.duration_s)}")
    every = f"{known.interval:,} iterations" if known.interval else ""
    if known.period_s is not None:
        every = f"{every} ({duration(known.period_s)})" if every else duration(known.period_s)
    parts += [f"one every {every}"] if every else []
    if known.hours_at_risk:
        cost = (
            f" ({number(known.gpu_hours_at_risk, 3)} GPU-hours)" if known.gpu_hours_at_risk else ""
        )
        parts.append(f"{duration(known.hours_at_risk * 3600)} of work{cost} at risk")
    return [f"  {'; '.join(parts)}"] if parts else []


def saves_of(status: Status) -> Saves:
    """What there is to know of the saves of a run."""
    saved, house = status.checkpoint, status.checkpoints
    return Saves(
        iteration=saved.iteration if saved is not None else None,
        at=saved.at if saved is not None else None,
        duration_s=saved.duration_s if saved is not None else None,
        interval=status.save_interval,
        period_s=house.period_s if house is not None else None,
        iterations_at_risk=status.iterations_at_risk,
        hours_at_risk=status.hours_at_risk,
        gpu_hours_at_risk=status.gpu_hours_at_risk,
    )


def plan(made: Plan, trash_s: float) -> str:
    """What stays and why, what goes and why, and what that frees."""
    rows = [("keep", one.name, size(one.bytes), "; ".join(one.why)) for one in made.keep]
    rows += [("remove", one.name, size(one.bytes), one.why) for one in made.remove]
    edits = [f"  {edit.file}: {edit.before} -> {edit.after}" for edit in made.trackers]
    said = [f"  {why}" for why in made.said]
    refused = [f"  refused: {why}" for why in made.refused]
    stays = f"{len(made.keep)} stay ({size(sum(one.bytes for one in made.keep))})"
    goes = f"{len(made.remove)} go, which frees {size(made.freed_bytes)}"
    sure = "" if made.refused else f" after {duration(trash_s)} in the trash" if made.remove else ""
    head = f"{clean(made.root, 200)}: {made.label or made.kind}"
    total = "nothing may be removed" if made.refused else f"{stays}, {goes}{sure}"
    return "\n".join([head, *table(rows), *edits, *said, *refused, total])


def trash(
    root: str,
    held: Sequence[tuple[Operation, Sequence[Removed]]],
    now: float,
    older_s: float | None,
) -> str:
    """A line for each operation; with `older_s` what would be deleted for good."""
    rows = []
    for one, there in held:
        left = f"{len(there)} of {len(one.removed)} in the trash, {size(_bytes(there))}"
        what = f"{left}" if there else one.state
        if older_s is not None and there:
            what += ", would be deleted for good" if now - one.at >= older_s else ", stays for now"
        ago = f"{duration(max(0.0, now - one.at))} ago"
        rows.append((one.id, one.label or one.kind, ago, clean(one.by, 20), what))
    return "\n".join([f"{clean(root, 200)}: {len(held)} operations", *table(rows)])


def back(root: str, held: Sequence[tuple[Operation, Sequence[Removed]]]) -> str:
    """What taking operations back means."""
    lines = [f"{clean(root, 200)}: to be taken back"]
    for one, there in held:
        lines += [f"  {clean(each.name, _WIDTH)}  {size(each.bytes)}" for each in there]
        lines += [f"  {edit.file}: {edit.after} -> {edit.before}" for edit in one.trackers]
    return "\n".join(lines)


def freed(done: Iterable[Outcome]) -> str:
    """`, 2.3 TB`; nothing for nothing."""
    total = sum(each.bytes for each in done)
    return f", {size(total)}" if total else ""


def size(count: float) -> str:
    """Bytes as people write them: `2.3 TB`."""
    return short(count, "B") if count else "0 B"


def _why(one: Found, kept: Mapping[str, str]) -> str:
    backup = [kept[one.name]] if one.name in kept else []
    return "; ".join([*(f"{tracker} names it" for tracker in one.tracked), *_told(one), *backup])


def _told(one: Found) -> list[str]:
    return [] if any(one.why == f"{tracker} names it" for tracker in one.tracked) else [one.why]


def _times(one: Found, now: float) -> str:
    written = one.contents.written_at
    return words.DASH if written is None else f"{duration(max(0.0, now - written))} ago"


def _bytes(there: Iterable[Removed]) -> int:
    return sum(each.bytes for each in there)


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of columns as wide as they are; the last as it comes."""
    if not rows:
        return []
    shown = [
        [clean(cell, _WHY if n == len(row) - 1 else _WIDTH) for n, cell in enumerate(row)]
        for row in rows
    ]
    widths = [max(len(row[n]) for row in shown) for n in range(len(shown[0]) - 1)]
    return [
        "  "
        + "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in shown
    ]
