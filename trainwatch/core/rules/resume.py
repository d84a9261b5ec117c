"""Is it the run that was meant? Where it resumed, and whether its numbers fit together."""

from collections.abc import Iterator

from trainwatch.core import advice, formulas
from trainwatch.core.derived import shape_of
from trainwatch.core.model.alerts import Finding, Severity
from trainwatch.core.model.state import Row
from trainwatch.core.rules.sight import UNSURE, Said, Sight
from trainwatch.core.words import number

_SIZE_TOLERANCE = 0.10
_DISAGREES = 0.02  # logged throughput against the recomputed one


def resume_mismatch(sight: Sight) -> Iterator[Said]:
    """The attempt began elsewhere than where the last one was saved."""
    attempt, expected = sight.attempt, sight.memory.resumes_from
    if attempt is None or sight.state.save.attempt == attempt.index:
        return  # it has saved a checkpoint of its own: what it began with is history
    since = attempt.began_at.at if attempt.began_at else None
    trained = sight.state.previous_high_water or expected
    if attempt.fresh_weights and trained:
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


def _begun(sight: Sight) -> int | None:
    """The iteration that the attempt goes on from: as it says, else the one before its first."""
    attempt, row = sight.attempt, sight.state.open
    if attempt is None or attempt.index == 0:
        return None
    if attempt.loaded_iteration is not None:
        return attempt.loaded_iteration
    first = attempt.tally.first_iteration
    if first is None:
        first = row.iteration if row is not None else None
    expected = sight.memory.resumes_from
    if first is None or expected is None:
        return None
    steps = sight.facts.log_interval or 1
    return expected if expected < first <= expected + steps else first - steps


def _size(sight: Sight) -> Iterator[tuple[str, Severity, str]]:
    wanted, shape = sight.configured.parameters, shape_of(sight.state.facts)
    logged = formulas.model_size(shape) if shape else sight.state.facts.parameters
    if wanted and logged and abs(logged / wanted - 1) > _SIZE_TOLERANCE:
        text = (
            f"the model in the log has {logged / 1e9:.4g} B parameters, "
            f"the configuration says {wanted / 1e9:.4g} B"
        )
        yield "parameters", "warning", text


def _figures(sight: Sight) -> Iterator[Said]:
    """What the log prints of its speed, against batch and time of the same line."""
    row = sight.state.open
    if row is None:
        yield UNSURE
        return
    for name, logged, computed in _compared(sight, row):
        if abs(logged / computed - 1) > _DISAGREES:
            yield Finding(
                rule="config-mismatch",
                key=name,
                summary=f"the log says {number(logged)} {name.replace('_per_', ' per ')}, "
                f"batch size and time give {number(computed)}",
                iteration=row.iteration,
                advice="Trust the computed one, which trainwatch shows.",
            )


def _compared(sight: Sight, row: Row) -> Iterator[tuple[str, float, float]]:
    values, facts = row.values, sight.facts
    step_time_s = values.get("step_time_s")
    batch = values.get("global_batch_size") or facts.global_batch_size
    if not batch or not step_time_s or row.flags:
        return
    rates = {"samples_per_s": batch / step_time_s}
    if facts.seq_length:
        rates["tokens_per_s"] = batch * facts.seq_length / step_time_s
    for name, rate in rates.items():
        logged = values.get(name)
        if logged:
            yield name, logged, rate
