"""A user's own rule: a pattern in the log, when it must come, how often, and what its numbers may be.

`[alerts.patterns.NAME]` in the configuration; NAME is the rule's name everywhere.
"""

from collections.abc import Iterator

from trainwatch.core.model.alerts import Finding
from trainwatch.core.rules.settings import PatternRule
from trainwatch.core.rules.sight import Later, Rule, Said, Sight
from trainwatch.core.senses.pattern import PatternSense
from trainwatch.core.words import duration, number


def rule_of(name: str, chosen: PatternRule) -> Rule:
    """The rule that a user made."""

    def look(sight: Sight) -> Iterator[Said]:
        sense = sight.memory.patterns.get(name)
        if sense is None or sense.stopped:
            return
        yield from _missing(name, chosen, sense, sight)
        if chosen.has_threshold:
            yield from _beyond(name, chosen, sense)
        elif chosen.every_min is None and chosen.start_within_min is None:
            yield from _came(name, chosen, sense, sight)

    return Rule(name, "warning", f"a pattern of your own: {chosen.pattern}", look, lambda _: chosen)


def _missing(name: str, chosen: PatternRule, sense: PatternSense, sight: Sight) -> Iterator[Said]:
    """It did not come in time, or not again."""
    since, allowed_min = sense.found_at, chosen.every_min
    if since is None:
        since, allowed_min = sense.began_at, chosen.start_within_min
    attempt = sight.attempt
    if (
        since is None
        or allowed_min is None
        or attempt is None
        or attempt.exit
        or attempt.notice
        or attempt.died
    ):
        return
    due = since + allowed_min * 60
    if sight.now < due:
        yield Later(due)
        return
    again = "again " if sense.found_at is not None else ""
    yield _finding(
        name, chosen, sense, f"it did not come {again}for {duration(sight.now - since)}", since
    )


def _beyond(name: str, chosen: PatternRule, sense: PatternSense) -> Iterator[Said]:
    """Its last numbers are all beyond the threshold."""
    last = sense.values[-chosen.points :]
    if len(last) < chosen.points:
        return
    for word, limit, over in (
        ("above", chosen.above, min(last)),
        ("below", chosen.below, max(last)),
    ):
        if limit is not None and (over > limit if word == "above" else over < limit):
            text = f"{chosen.points} numbers in a row {word} {number(limit)}: the last is {number(last[-1])}"
            yield _finding(name, chosen, sense, text, sense.times[-chosen.points])
            return


def _came(name: str, chosen: PatternRule, sense: PatternSense, sight: Sight) -> Iterator[Said]:
    """It came, so often in so long."""
    window_s = chosen.within_min * 60
    lately = [at for at in sense.times if at > sight.now - window_s]
    if len(lately) < chosen.times:
        return
    yield Later(lately[-chosen.times] + window_s)  # from then on it is too long ago
    times = f"{len(lately)} times " if len(lately) > 1 else ""
    yield _finding(name, chosen, sense, f"it came {times}within {duration(window_s)}", lately[0])


def _finding(
    name: str, chosen: PatternRule, sense: PatternSense, text: str, since: float
) -> Finding:
    return Finding(
        rule=name,
        summary=text,
        since=since,
        evidence=(sense.line,) if sense.line else (),
        advice=chosen.advice,
    )
