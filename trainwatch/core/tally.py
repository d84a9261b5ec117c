"""Counts and sums over iteration records: row by row, and a block of rows at once with the same result."""

from bisect import bisect_right
from functools import reduce
from operator import add

from msgspec.structs import replace

from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.logs import text
from trainwatch.core.logs.layout import Rows
from trainwatch.core.model.state import Row, RunState, Tally


def with_row(tally: Tally, row: Row, repeated_up_to: int | None) -> Tally:
    """The tally and one more record."""
    values = row.values
    step_time_s, batch = values.get("step_time_s"), values.get("global_batch_size")
    timed = step_time_s is not None
    both = timed and batch is not None
    repeated = repeated_up_to is not None and row.iteration <= repeated_up_to
    return Tally(
        records=tally.records + 1,
        first_iteration=row.iteration if tally.first_iteration is None else tally.first_iteration,
        last_iteration=row.iteration,
        step_times=tally.step_times + timed,
        step_time_sum_s=tally.step_time_sum_s + (step_time_s or 0.0),
        batch_step_time_sum_s=tally.batch_step_time_sum_s + ((step_time_s or 0.0) if both else 0.0),
        batch_sum=tally.batch_sum + ((batch or 0.0) if both else 0.0),
        skipped=tally.skipped + (text.count(values.get("skipped")) or 0),
        nan_losses=tally.nan_losses + bool(row.flags & LOSS_NAN),
        retrained=tally.retrained + repeated,
        loss=values.get("loss", tally.loss),
    )


def with_rows(tally: Tally, rows: Rows, repeated_up_to: int | None) -> Tally:
    """The tally and all but the last of a block of plain records.

    Each has a step time and a loss, none was skipped, each is further than the one before, and all or
    none have a batch size.
    """
    count = rows.count - 1
    iterations, step_times = rows.column("iteration"), rows.column("step_time_s")
    batches = rows.column("global_batch_size")
    if not count or iterations is None or step_times is None:
        return tally
    repeated = 0 if repeated_up_to is None else bisect_right(iterations, repeated_up_to, 0, count)
    # Sums are made one after another, as row by row: `sum` of Python 3.12 rounds differently.
    time = reduce(add, step_times[:-1], tally.step_time_sum_s)
    batch, batch_time = tally.batch_sum, tally.batch_step_time_sum_s
    if batches is not None:
        batch = reduce(add, batches[:-1], batch)
        same = batch_time == tally.step_time_sum_s
        batch_time = time if same else reduce(add, step_times[:-1], batch_time)
    return replace(
        tally,
        records=tally.records + count,
        first_iteration=int(iterations[0])
        if tally.first_iteration is None
        else tally.first_iteration,
        last_iteration=int(iterations[-2]),
        step_times=tally.step_times + count,
        step_time_sum_s=time,
        batch_step_time_sum_s=batch_time,
        batch_sum=batch,
        retrained=tally.retrained + repeated,
        loss=rows.last("loss", 2)[0],
    )


def of_run(state: RunState) -> Tally:
    """The counts of all attempts, the open iteration with them."""
    tallies = [of_attempt(state, index) for index in range(len(state.attempts))]
    known = [tally for tally in tallies if tally.records]
    if not known:
        return Tally()
    return Tally(
        records=sum(t.records for t in known),
        first_iteration=known[0].first_iteration,
        last_iteration=known[-1].last_iteration,
        step_times=sum(t.step_times for t in known),
        step_time_sum_s=sum(t.step_time_sum_s for t in known),
        batch_step_time_sum_s=sum(t.batch_step_time_sum_s for t in known),
        batch_sum=sum(t.batch_sum for t in known),
        skipped=sum(t.skipped for t in known),
        nan_losses=sum(t.nan_losses for t in known),
        retrained=sum(t.retrained for t in known),
        loss=next((t.loss for t in reversed(known) if t.loss is not None), None),
    )


def of_attempt(state: RunState, index: int) -> Tally:
    """The counts of one attempt, the open iteration with them."""
    tally, row = state.attempts[index].tally, state.open
    if row is None or row.attempt != index:
        return tally
    return with_row(tally, row, state.previous_high_water)
