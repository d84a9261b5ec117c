"""Is it as fast as it was, and does the log grow as it should?"""

from collections.abc import Iterator

from trainwatch.core.model.alerts import Finding
from trainwatch.core.rules.sight import UNSURE, Said, Sight
from trainwatch.core.speed import speed_of
from trainwatch.core.words import number, percent


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
