"""Is it as fast as it was, and does the log grow as it should?"""

from collections.abc import Iterator

from trainwatch.core.model.alerts import Finding
from trainwatch.core.rules.sight import UNSURE, Later, Said, Sight
from trainwatch.core.speed import speed_of
from trainwatch.core.stragglers import Slow, slow_in_all
from trainwatch.core.words import number, percent

_WRITTEN_S = 60.0  # in which all lines of a report are there
_SILENT_S = 3600.0  # of an attempt, in which reports of the one before are not over
_MOST_NAMED = 8  # ranks of a node


def throughput_drop(sight: Sight) -> Iterator[Said]:
    """Iterations became slower than just before, beyond the noise of this run, and stay so."""
    speed = sight.memory.speed
    if not speed.slow or speed.norm_s is None:
        return
    if speed.now_s is None or not sight.moved:
        yield UNSURE
        return
    drop = 1 - speed.norm_s / speed.now_s
    was, now = (_tflops(sight, seconds) for seconds in (speed.norm_s, speed.now_s))
    figures = f"{number(was)} -> {number(now)} TFLOPs a GPU, " if was and now else ""
    since = speed.since if speed.since is not None else sight.now
    yield Finding(
        rule="throughput-drop",
        summary=f"throughput fell by {percent(drop)}: {figures}"
        f"{number(speed.norm_s)} -> {number(speed.now_s)} s an iteration",
        since=speed.since,
        iteration=speed.iteration,
        evidence=(f"beyond the {percent(speed.limit)} that this run strays by itself",),
        cost=sight.cost(drop * max(0.0, sight.now - since)),
        advice="Look for one slow GPU or node: run a short benchmark on halves of the allocation.",
        labels={"nodes": str(len(sight.memory.queue.nodes))} if sight.memory.queue.nodes else {},
    )


def slow_node(sight: Sight) -> Iterator[Said]:
    """The job's own reports name a node that is slower than the others, again and again."""
    chosen, attempt = sight.settings.slow_node, sight.attempt
    reports = [report for report in sight.state.rank_reports if report.kind != "other"]
    last = reports[-1].time if reports else None
    if reports and last is not None and sight.now < last.at + _WRITTEN_S:
        yield Later(last.at + _WRITTEN_S)
        reports.pop()  # some of its lines may be to come
    ours = [r for r in reports if attempt is not None and r.attempt == attempt.index]
    if not ours or (ours[-1].kind == "throughput" and (sight.facts.pipeline_parallel or 1) > 1):
        began_at = attempt.began_at if attempt is not None else None
        if reports and began_at is not None and sight.now < began_at.at + _SILENT_S:
            yield UNSURE  # another attempt, which has not reported yet
        return
    judged = ours[-chosen.reports :]
    if len(judged) < chosen.reports:
        yield UNSURE
        return
    since = judged[0].time.at if judged[0].time is not None else None
    for slow in slow_in_all(judged, chosen.least_slower):
        yield _slow(sight, slow, since, len(judged))


def _slow(sight: Sight, slow: Slow, since: float | None, times: int) -> Finding:
    ranks = f"rank{'s' * (len(slow.ranks) > 1)} {', '.join(map(str, slow.ranks[:_MOST_NAMED]))}"
    ranks += ", ..." if len(slow.ranks) > _MOST_NAMED else ""
    where = f"{slow.node} ({ranks})" if slow.node else ranks
    gain = f"; without it the run may be up to {percent(slow.gain)} faster" if slow.gain else ""
    lost_s = slow.gain / (1 + slow.gain) * max(0.0, sight.now - since) if since is not None else 0.0
    exclude = f"--exclude={slow.node}"
    return Finding(
        rule="slow-node",
        key=slow.node or ranks,
        summary=f"{where} is {percent(slow.slower)} slower than the median, "
        f"{times} reports in a row{gain}",
        since=since,
        iteration=sight.memory.pace.iteration,
        cost=sight.cost(lost_s) if lost_s else "",
        advice=f"Look at its clocks and temperatures; submit the next job with {exclude}."
        if slow.node
        else "Find its node (the job's log, or its order in the allocation), and look at its clocks.",
        labels={"node": slow.node, "exclude": exclude} if slow.node else {},
    )


def log_flood(sight: Sight) -> Iterator[Said]:
    """The log grows many times as fast as usual."""
    flood = sight.memory.flood
    if flood.since is None:
        return
    yield Finding(
        rule="log-flood",
        summary=f"{flood.lines:,} lines in ten minutes, many times the usual",
        since=flood.since,
        evidence=tuple(sight.memory.tail),
        advice="Find who prints it: a full disk or a quota stops the run.",
    )


def _tflops(sight: Sight, step_time_s: float) -> float | None:
    batch = sight.memory.speed.batch or sight.facts.global_batch_size
    return speed_of(sight.facts, batch, step_time_s, {}).tflops
