"""Is it the run that was meant? Where it resumed, and whether its numbers fit together."""

from collections.abc import Iterator

from trainwatch.core import advice, formulas
from trainwatch.core.derived import shape_of
from trainwatch.core.facts import Facts
from trainwatch.core.model.alerts import Finding, Severity
from trainwatch.core.rules.sight import Said, Sight
from trainwatch.core.words import number, percent

_SIZE_TOLERANCE = 0.10


def resume_mismatch(sight: Sight) -> Iterator[Said]:
    """The attempt began elsewhere than where the last one was saved, or without all of it."""
    yield from _bump(sight)
    attempt, expected = sight.attempt, sight.memory.resumes_from
    if attempt is None or sight.state.save.attempt == attempt.index:
        return  # it has saved a checkpoint of its own: what it began with is history
    since = attempt.began_at.at if attempt.began_at else None
    trained = sight.state.previous_high_water or expected
    if attempt.fresh_weights and trained and _was_saved(sight, trained):
        yield Finding(
            rule="resume-mismatch",
            severity="critical",
            summary=f"it starts from random weights, though iteration {trained:,} was reached before",
            since=since,
            advice="Cancel it before it overwrites the tracker; does --load point to the checkpoints?",
        )
        return
    begun = _begun(sight)
    if expected is None or begun is None or begun == expected:
        return
    if expected < begun <= (trained or expected):
        return  # it was saved, though nobody saw it
    yield Finding(
        rule="resume-mismatch",
        summary=f"it resumed from iteration {begun:,}, the last complete checkpoint is {expected:,}",
        since=since,
        iteration=begun,
        cost=sight.cost(max(0, expected - begun) * (sight.memory.speed.typical_s() or 0.0)),
        advice="Look at the tracker file (latest, latest_checkpointed_iteration.txt).",
    )


def config_mismatch(sight: Sight) -> Iterator[Said]:
    """Numbers that do not fit together: model size, batch, intervals, the log's own figures."""
    facts = sight.facts
    if sight.attempt is None:
        return
    batch, mbs, dp = facts.global_batch_size, facts.micro_batch_size, facts.data_parallel
    said: list[tuple[str, Severity, str]] = []
    if batch:
        said += [
            ("batch", "warning", text) for text in advice.on_batch(batch, mbs, dp, facts.rampup)
        ]
    on_interval = advice.on_interval(facts.target_iteration, facts.save_interval)
    said += [("interval", "info", text) for text in on_interval]
    said += _size(sight)
    for key, severity, text in said:
        yield Finding(rule="config-mismatch", key=key, severity=severity, summary=text)
    yield from _figures(sight)


def _bump(sight: Sight) -> Iterator[Said]:
    """The loss began higher than it was."""
    bump = sight.memory.bump
    if bump.iteration is None:
        return
    yield Finding(
        rule="resume-mismatch",
        key=f"loss-{bump.attempt + 1}",
        summary=f"after the restart the loss began {percent(bump.share)} higher than it was",
        since=bump.at,
        iteration=bump.iteration,
        advice="Something was not restored: the optimizer's state, the data order, the loss scale.",
    )


def _was_saved(sight: Sight, trained: int) -> bool:
    """Whether there was anything to resume from: a run that crashed before its first save begins anew."""
    reading, interval = sight.state.checkpoints, sight.facts.save_interval
    if sight.memory.resumes_from is not None or sight.state.save.count:
        return True
    listed = reading is not None and any(found.complete for found in reading.found)
    return listed or (interval is not None and trained >= interval)


def _begun(sight: Sight) -> int | None:
    """The iteration that the attempt goes on from: as it says, else the one before its first."""
    attempt = sight.attempt
    if attempt is None or attempt.index == 0:
        return None
    if attempt.loaded_iteration is not None:
        return attempt.loaded_iteration
    first, expected = sight.memory.pace.first, sight.memory.resumes_from
    if first is None or expected is None:
        return None
    steps = sight.facts.log_interval or 1
    return expected if expected < first <= expected + steps else first - steps


def _size(sight: Sight) -> Iterator[tuple[str, Severity, str]]:
    wanted, logged = sight.configured.parameters, logged_parameters(sight.state.facts)
    if wanted and logged and abs(logged / wanted - 1) > _SIZE_TOLERANCE:
        text = (
            f"the model in the log has {logged / 1e9:.4g} B parameters, "
            f"the configuration says {wanted / 1e9:.4g} B"
        )
        yield "parameters", "warning", text


def logged_parameters(facts: Facts) -> float | None:
    """The size of the model as the log's own shape makes it, whatever is configured."""
    shape = shape_of(facts)
    return formulas.model_size(shape) if shape else facts.parameters


def _figures(sight: Sight) -> Iterator[Said]:
    """What the log prints of its speed, against batch and time of the same lines."""
    figures = sight.memory.figures
    for name in figures.wrong():
        logged, computed = figures.last[name]
        yield Finding(
            rule="config-mismatch",
            key=name,
            summary=f"the log says {number(logged)} {name.replace('_per_', ' per ')}, "
            f"batch size and time give {number(computed)}",
            iteration=figures.iteration,
            advice="Trust the computed one, which trainwatch shows.",
        )
