"""A block of iteration rows folded at once, with the result that one after another gives.

tests/core/test_bulk.py holds the two together. What is not plain sailing (a step back, another rank,
an ended attempt, a time that is missing) is left to timeline.py.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain, islice, repeat
from math import isnan
from operator import lt, mul, sub

from trainwatch.core import ending, tally, timeline, timing
from trainwatch.core.columns import AT_DERIVED, Columns
from trainwatch.core.draft import Draft
from trainwatch.core.logs.layout import Aside, Rows
from trainwatch.core.model.state import LATELY_ROWS, ClockSource, Phase, Row, Time


def on_rows(draft: Draft, rows: Rows) -> None:
    """Take consecutive iteration records of one layout."""
    row = draft.state.open
    draft.count(records=rows.count + len(rows.asides))
    if row is not None and rows.count > 1 and _plain(draft, row, rows):
        _take(draft, row, rows)
        return
    begins = draft.offset - rows.starts[0]
    for start, record in rows.records():
        draft.offset = begins + start
        timeline.on_iteration(draft, record)


def _plain(draft: Draft, row: Row, rows: Rows) -> bool:
    """Whether the rows go on from the open one, each further than the last, in a healthy attempt."""
    attempt = draft.attempt
    iterations, step_times = rows.column("iteration"), rows.column("step_time_s")
    batches = rows.column("global_batch_size")
    return (
        row.format == rows.format == attempt.format
        and attempt.exit is None
        and attempt.notice is None
        and iterations is not None
        and step_times is not None
        and row.iteration < iterations[0]
        and all(map(lt, iterations, islice(iterations, 1, None)))
        and not isnan(sum(step_times))  # what was not measured is NaN
        and (batches is None or not isnan(sum(batches)))
        and all(aside.iteration != open_ for aside, open_ in _beside(row, rows, iterations))
    )


def _beside(row: Row, rows: Rows, iterations: "array[float]") -> Iterator[tuple[Aside, float]]:
    """What another format says between the rows, with the iteration that is open then.

    Of any other iteration than that, it is left aside (timeline.py); it may add to the open one.
    """
    for aside in rows.asides:
        index = bisect_left(rows.starts, aside.start)
        yield aside, iterations[index - 1] if index else row.iteration


def _take(draft: Draft, before: Row, rows: Rows) -> None:
    """The open row and all rows but the last are closed; the last becomes the open one."""
    ending.survived(draft)
    timeline.close(draft)
    times, source = _times(draft, before, rows)
    flag = AT_DERIVED if times is not None and source == "added-up" else 0
    time = None if times is None else Time(times[-1], source)
    last = rows.row(rows.count - 1)
    number = int(last.pop("iteration"))
    if draft.rows is not None:
        draft.rows.extend(_closed(draft, rows, times, flag))
    _enter_phase(draft, rows, times, source)
    draft.set_attempt(
        tally=tally.with_rows(draft.attempt.tally, rows, draft.state.previous_high_water),
        speaker=draft.attempt.speaker or rows.speaker,
        last_at=time or draft.attempt.last_at,
    )
    draft.set(
        rows=draft.state.rows + rows.count - 1,
        clock=time or draft.state.clock,
        open=Row(
            iteration=number,
            attempt=draft.attempt.index,
            format=rows.format,
            time=time,
            values=last,
            flags=flag,
            stamped=rows.stamps is not None,
        ),
        high_water=max(number, draft.state.high_water or 0),
        target_iteration=rows.target or draft.state.target_iteration,
        lately=_lately(draft, rows),
    )


def _closed(draft: Draft, rows: Rows, times: "array[float] | None", flag: int) -> Columns:
    keep, table = draft.keep, rows.columns(draft.keep)
    if keep is None or "attempt" in keep:
        table.data["attempt"] = array("d", (float(draft.attempt.index),)) * rows.count
    if keep is None or "flags" in keep:
        table.data["flags"] = array("d", (float(flag),)) * rows.count
    if times is not None and (keep is None or "at_s" in keep):
        table.data["at_s"] = times
    return table.slice(0, -1)


def _lately(draft: Draft, rows: Rows) -> tuple[tuple[int, float], ...]:
    iterations = rows.column("iteration")
    if iterations is None:
        return draft.state.lately
    losses = rows.last("loss", LATELY_ROWS)
    pairs = zip(map(int, iterations[-LATELY_ROWS:]), losses, strict=True)
    return (*draft.state.lately, *pairs)[-LATELY_ROWS:]


def _times(draft: Draft, before: Row, rows: Rows) -> tuple["array[float] | None", ClockSource]:
    """When each row was completed."""
    if rows.stamps is not None:
        return array("d", map(sub, rows.stamps, repeat(draft.utc_offset_s))), "stamp"
    if draft.live:
        return array("d", (draft.seen_at,)) * rows.count, "arrival"
    clock = draft.state.clock
    if clock is None:
        return None, "added-up"
    lengths = _lengths(before, rows)
    first = timing.added_up(draft, before, clock.at, lengths[0])
    times = array("d", accumulate(chain((first,), islice(lengths, 1, None))))
    if times[-1] > draft.seen_at:
        limit = max(first, draft.seen_at)
        capped = accumulate(
            islice(lengths, 1, None), lambda at, more: min(at + more, limit), initial=first
        )
        times = array("d", capped)
    return times, "added-up"


def _lengths(before: Row, rows: Rows) -> "array[float]":
    """Seconds from each row to the next, the first from the open one."""
    iterations, step_times = rows.column("iteration"), rows.column("step_time_s")
    if iterations is None or step_times is None:
        return array("d")
    if iterations[-1] - before.iteration == rows.count:
        return step_times  # every iteration has a row of its own
    steps = map(sub, iterations, chain((before.iteration,), iterations))
    return array("d", map(mul, step_times, steps))


def _after_evaluation(iterations: "array[float]", interval: int) -> int:
    """The index of the row behind the last one that is a multiple of the interval, 0 if there is none."""
    last = int(iterations[-1])
    for evaluated in range(last - last % interval, int(iterations[0]) - 1, -interval):
        behind = bisect_right(iterations, evaluated)
        if behind and iterations[behind - 1] == evaluated:
            return behind
    return 0


def _enter_phase(
    draft: Draft, rows: Rows, times: "array[float] | None", source: ClockSource
) -> None:
    """The phase after the last row, since the row that entered it."""
    interval, iterations = draft.state.facts.eval_interval, rows.column("iteration") or array("d")
    last, entered = int(iterations[-1]), 0
    evaluating = bool(interval) and last % (interval or 1) == 0
    if interval and evaluating:
        entered = len(iterations) - 1
        while entered > 0 and iterations[entered - 1] % interval == 0:
            entered -= 1
    elif interval:
        entered = _after_evaluation(iterations, interval)
    phase: Phase = "evaluate" if evaluating else "train"
    if entered == 0 and draft.state.phase == phase:
        return
    since = draft.now()
    if not draft.live and times is not None:
        since = Time(times[entered], source)
    draft.set(phase=phase, phase_since=since)
