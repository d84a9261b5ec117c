"""What the processes say of a run: what a silence looks like from outside, and a launcher without workers.

The trap: a share of a processor is a hint, not a diagnosis. It is said beside the finding, and nothing is
concluded from it.
"""

from collections.abc import Iterator

from trainwatch.core.model.alerts import Finding
from trainwatch.core.rules.sight import UNSURE, Later, Said, Sight
from trainwatch.core.words import duration, number

_IDLE_CORES = 0.1  # of all processes: heartbeats of a launcher are less
KEY = "launcher"


def launcher_alone(sight: Sight) -> Iterator[Said]:
    """A launcher lives, and all that it launched is gone, or a zombie."""
    sense, fires = sight.memory.processes, sight.fires("crash", KEY)
    if sight.lives is None:
        if fires:
            yield UNSURE
        return
    since, moved_at = sense.alone_since, sight.memory.pace.iteration_at
    if since is None or (moved_at is not None and moved_at > since):
        return
    due, cores = since + sight.settings.crash.silence_min * 60, sense.cores()
    if sight.now < due:
        yield Later(due)
        return
    if cores is None or (cores > _IDLE_CORES and not fires):
        yield UNSURE  # it may be no launcher: it works
        return
    zombies = f" ({sense.zombies:,} of them zombies)" if sense.zombies else ""
    yield Finding(
        rule="crash",
        key=KEY,
        summary=f"its launcher lives, and all {sense.most_workers:,} processes that it launched are gone"
        f"{zombies} for {duration(sight.now - since)}, and no iteration follows",
        since=since,
        iteration=sight.memory.pace.iteration,
        evidence=tuple(sight.memory.tail),
        cost=sight.cost(sight.now - since),
        advice="End the launcher (ctrl+c, or kill): it will not end by itself.",
    )


def doing(sight: Sight) -> str:
    """What the processes do while nothing is completed, in words; empty where nobody sees them."""
    sense = sight.memory.processes
    if not sight.lives:
        return ""
    one, cores = sense.count == 1, sense.cores()
    they = "its process" if one else f"its {sense.count:,} processes"
    zombies = f", {sense.zombies:,} more are zombies" if sense.zombies else ""
    if cores is None:
        return f"{they} live{'s' * one}{zombies}"
    if cores <= _IDLE_CORES:
        return f"{they} idle{'s' * one}, as those do that wait for a lock or a disk{zombies}"
    burn = f"burn{'s' * one} {number(cores, 2)} processors"
    return f"{they} {burn}, as those do that wait in a collective{zombies}"
