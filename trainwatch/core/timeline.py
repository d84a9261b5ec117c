"""Iterations in order: joining the lines of one, dropping repeats, telling attempts apart.

The newest iteration stays open, because DeepSpeed's line comes before Megatron's, other ranks repeat
it, and some formats take five lines for one. It is closed, and goes to history, when the next begins.
"""

import math

from msgspec.structs import replace

from trainwatch.core import clocks, ending, tally, timing
from trainwatch.core.columns import LOSS_NAN, SKIPPED, STEP_TIME_DERIVED
from trainwatch.core.draft import Draft
from trainwatch.core.logs import text
from trainwatch.core.logs.table import SECONDARY
from trainwatch.core.model.records import Bar, Iteration
from trainwatch.core.model.state import LATELY_ROWS, Progress, Row

_STALE_WHEN_SKIPPED = ("grad_norm", "loss")
_COPIES_LAG_S = 60  # how far the records of two ranks are apart at most


def begin(draft: Draft, reason: str) -> None:
    """A new attempt. The facts of the last one hold until its own log says otherwise."""
    close(draft)
    draft.set(open=None, bar=None, lately=(), previous_high_water=draft.state.high_water)
    # What the last attempt was still writing will never be complete.
    draft.set(save=replace(draft.state.save, started_iteration=None, started_at=None))
    draft.add_attempt(reason)
    draft.phase("startup")


def on_iteration(draft: Draft, record: Iteration) -> None:
    """Take one iteration record."""
    if record.iteration is None and _is_copy(draft, record):
        draft.count(duplicates=1)
        return
    number = record.iteration if record.iteration is not None else _numbered(draft, record)
    row = draft.state.open
    if number is None or (row is not None and number == row.iteration):
        _join(draft, record)
        return
    if _is_aside(draft, record):
        return
    if row is not None and number < row.iteration:
        if _repeated(draft, record, number):
            draft.count(duplicates=1)
            return
        begin(draft, "rollback")
    elif ending.began_again(draft, record):
        begin(draft, "resumed")
    _open(draft, record, number)


def close(draft: Draft) -> None:
    """Put the open iteration into history."""
    row, before = draft.state.open, draft.state.previous_high_water
    if row is None:
        return
    if draft.rows is not None:
        draft.add_row(as_columns(row))
    draft.set_attempt(tally=tally.with_row(draft.attempt.tally, row, before))
    draft.set(rows=draft.state.rows + 1)


def on_bar(draft: Draft, bar: Bar) -> None:
    """Take a progress bar: progress, but no iteration record."""
    target = draft.state.facts.target_iteration
    if bar.total is not None and target is not None and bar.total != target and not bar.epoch:
        return  # it counts something else: batches of an evaluation, shards of a checkpoint
    done, total = _counted(bar)
    before = draft.state.bar
    if before is not None and total == before.total and done <= before.done:
        if not _began_anew(bar, before) or draft.attempt.markers:
            return  # a copy; a new start of a job that announces its starts would have done so
        begin(draft, "bar began anew")
    elif before is not None and _is_within(total, before):
        return
    draft.set(
        bar=Progress(
            done=done,
            total=total,
            time=draft.tell_time(bar),
            step_time_s=bar.step_time_s,
            elapsed_s=bar.elapsed_s,
        )
    )
    draft.set_attempt(format=draft.attempt.format or bar.format)
    if bar.done > 0:
        draft.phase("train")


def _counted(bar: Bar) -> tuple[int, int | None]:
    """How many iterations are done, of how many: a bar of a later epoch begins again at 0."""
    if bar.epoch and bar.total:
        return bar.epoch * bar.total + bar.done, None
    return bar.done, bar.total


def _began_anew(bar: Bar, before: Progress) -> bool:
    """Whether the job was started again, and it is not another rank's copy of the bar."""
    if bar.epoch or bar.elapsed_s is None or before.elapsed_s is None:
        return False
    return before.elapsed_s > _COPIES_LAG_S and bar.elapsed_s < before.elapsed_s / 2


def _is_within(total: int | None, before: Progress) -> bool:
    """Whether a bar with this total runs within the one that is not done: an evaluation."""
    if total is None or before.total is None:
        return False
    return total < before.total and before.done < before.total


def as_columns(row: Row) -> dict[str, float]:
    """A row as history keeps it."""
    columns = {
        **row.values,
        "iteration": float(row.iteration),
        "attempt": float(row.attempt),
        "flags": float(row.flags),
    }
    if row.time is not None:
        columns["at_s"] = row.time.at
    return columns


def _numbered(draft: Draft, record: Iteration) -> int | None:
    """The number of a record that does not print one; None for a further line of the open one."""
    if record.part:
        return None
    before = draft.state.open.iteration if draft.state.open else 0
    facts, epoch = draft.state.facts, record.values.get("epoch")
    samples = record.values.get("consumed_samples")
    if draft.state.bar is not None and draft.state.bar.done > before:
        return draft.state.bar.done
    if samples and facts.global_batch_size:
        return text.count(samples / facts.global_batch_size + 0.5) or before + 1
    if epoch is not None and facts.epochs and facts.target_iteration:
        reached = text.count(epoch / facts.epochs * facts.target_iteration + 0.5)
        return max(before + 1, reached or 0)
    return before + 1


def _is_copy(draft: Draft, record: Iteration) -> bool:
    """Whether another node tells what is known, in a format that does not number its records.

    HF Trainer prints each record once on every node. Nodes that a launcher held back come whole, one
    after the other: the epoch goes back, and no start was announced where starts are.
    """
    row, attempt = draft.state.open, draft.attempt
    epoch = record.values.get("epoch")
    if row is None or epoch is None or record.format != row.format:
        return False
    if record.speaker and attempt.speaker and record.speaker != attempt.speaker:
        return True
    if attempt.markers and epoch < row.values.get("epoch", epoch):
        return True
    told = ((row.values.get(name), value) for name, value in record.values.items())
    return all(known == value or value != value for known, value in told)  # NaN equals nothing


def _repeated(draft: Draft, record: Iteration, number: int) -> bool:
    """Whether an earlier iteration is a copy that came late, and not a step back."""
    row = draft.state.open
    if row is not None and row.stamped and row.time is not None and record.stamp is not None:
        at = clocks.stamped(record.stamp, draft.utc_offset_s, draft.seen_at).at
        if at > row.time.at + _COPIES_LAG_S:
            return False  # printed later than what is further: trained again
    if row is not None and record.format != row.format and number == row.iteration - 1:
        return True  # two formats tell one attempt, and one of them counts from 0
    if record.speaker and draft.attempt.speaker and record.speaker != draft.attempt.speaker:
        return True
    return (number, record.values.get("loss", math.inf)) in draft.state.lately


def _is_aside(draft: Draft, record: Iteration) -> bool:
    """Whether a poorer format speaks between the lines of the one that tells the attempt."""
    told_by = draft.attempt.format
    return record.format in SECONDARY and told_by not in SECONDARY and bool(told_by)


def _join(draft: Draft, record: Iteration) -> None:
    """A further line of the open iteration: the first value counts, unless a richer format speaks."""
    row = draft.state.open
    if row is None or (record.part and record.format != row.format):
        return
    richer = row.format in SECONDARY and record.format not in SECONDARY
    printed = row.flags & STEP_TIME_DERIVED and record.values.get("step_time_s", 0.0) > 0
    more = record.part or richer or printed or record.values.keys() - row.values.keys()
    if not more:
        draft.count(duplicates=1)
        return
    values = {**row.values, **record.values} if richer else {**record.values, **row.values}
    flags = row.flags & ~LOSS_NAN if "loss" in values else row.flags
    if printed:
        values["step_time_s"] = record.values["step_time_s"]
        flags &= ~STEP_TIME_DERIVED
    time = row.time
    if record.stamp is not None and not row.stamped:
        time = draft.tell_time(record)
    if richer:
        draft.set_attempt(format=record.format)
    values, flags = _judged(values, flags, richer and record.loss_expected, None, draft)
    draft.set(
        open=Row(
            iteration=row.iteration,
            attempt=row.attempt,
            format=record.format if richer else row.format,
            time=time,
            values=values,
            flags=flags,
            elapsed_s=row.elapsed_s if row.elapsed_s is not None else record.elapsed_s,
            stamped=row.stamped or record.stamp is not None,
        ),
        target_iteration=record.target or draft.state.target_iteration,
    )


def _open(draft: Draft, record: Iteration, number: int) -> None:
    before = draft.state.open
    steps = number - before.iteration if before else None
    values, time_flag = timing.step_time(draft, record, number)
    time, at_flag = timing.completed_at(draft, record, values, steps or 1)
    close(draft)
    attempt = draft.attempt
    draft.set_attempt(
        format=record.format if attempt.format in SECONDARY | {""} else attempt.format,
        speaker=attempt.speaker or record.speaker,
        last_at=time or attempt.last_at,
    )
    values, flags = _judged(values, time_flag | at_flag, record.loss_expected, steps, draft)
    draft.set(
        open=Row(
            iteration=number,
            attempt=attempt.index,
            format=record.format,
            time=time,
            values=values,
            flags=flags,
            elapsed_s=record.elapsed_s,
            stamped=record.stamp is not None,
        ),
        high_water=max(number, draft.state.high_water or 0),
        target_iteration=record.target or draft.state.target_iteration,
        lately=(*draft.state.lately, (number, record.values.get("loss", math.inf)))[-LATELY_ROWS:],
    )
    enter_phase(draft, number)


def enter_phase(draft: Draft, number: int) -> None:
    """After an iteration the job trains, or evaluates where its interval says so."""
    interval = draft.state.facts.eval_interval
    draft.phase("evaluate" if interval and number % interval == 0 else "train")


def _judged(
    values: dict[str, float], flags: int, loss_left_out: bool, steps: int | None, draft: Draft
) -> tuple[dict[str, float], int]:
    """Tell a skipped step from a NaN loss, and drop what is stale then."""
    if _all_skipped(values, steps, draft):
        return {k: v for k, v in values.items() if k not in _STALE_WHEN_SKIPPED}, flags | SKIPPED
    if loss_left_out or math.isnan(values.get("loss", 0.0)):
        return {k: v for k, v in values.items() if k != "loss"}, flags | LOSS_NAN
    return values, flags


def _all_skipped(values: dict[str, float], steps: int | None, draft: Draft) -> bool:
    """Whether no step of the log interval was taken. A line that was torn makes `steps` too large."""
    skipped = values.get("skipped", 0.0)
    intervals = [n for n in (steps, draft.state.facts.log_interval) if n]
    if intervals:
        return skipped >= min(intervals)
    return skipped > 0 and not values.get("loss")
