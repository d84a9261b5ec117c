"""calc batch-size, save-overhead, at-risk, exit-margin: what a plan comes to."""

import click

from trainwatch.app.amounts import COUNT, COUNT_OR_ZERO, POSITIVE
from trainwatch.app.calculating import options
from trainwatch.app.calculating.answers import Value, fixed, say, whole
from trainwatch.app.durations import DURATION
from trainwatch.core import advice, formulas, schedule
from trainwatch.core.errors import ExitCode, UsageError

_HOURS = 3600.0


@click.command("batch-size")
@click.option("--gbs", type=COUNT, required=True, help="Global batch size, after any ramp-up.")
@click.option("--mbs", type=COUNT, help="Micro batch size.")
@click.option("--dp", type=COUNT, help="Data parallel size.")
@click.option(
    "--rampup",
    type=(COUNT, COUNT, COUNT),
    metavar="START INCREMENT SAMPLES",
    help="As in --rampup-batch-size.",
)
@click.option(
    "--iteration", type=COUNT_OR_ZERO, help="Samples consumed after it, and the batch size then."
)
@click.option("--samples", type=COUNT, help="Iterations to train so many samples.")
@options.json
def batch_size(
    gbs: int,
    mbs: int | None,
    dp: int | None,
    rampup: tuple[int, int, int] | None,
    iteration: int | None,
    samples: int | None,
    as_json: bool,
) -> ExitCode:
    """Accumulation, ramp-up, iterations.

    \b
    Examples:
      trainwatch calc batch-size --gbs 1024 --rampup 16 16 5_000_000 --iteration 29020
      trainwatch calc batch-size --gbs 1024 --rampup 16 16 5_000_000 --samples 300M
      trainwatch calc batch-size --gbs 2048 --mbs 2 --dp 8
    """
    ramp = schedule.Rampup(*(rampup or (gbs, 0, 0)), gbs)
    values: list[Value] = []
    if mbs and dp and gbs % (mbs * dp) == 0:
        values.append(whole("gradient_accumulation", gbs // (mbs * dp), "steps"))
    if iteration is not None:
        consumed = ramp.consumed(iteration)
        values.append(whole("consumed_samples", consumed))
        values.append(whole("global_batch_size", ramp.batch_size(consumed)))
    if samples is not None:
        values.append(whole("iterations", ramp.iterations(samples)))
    warnings = advice.on_batch(gbs, mbs, dp, rampup)
    if not values and not warnings:
        raise UsageError("calc batch-size: give --mbs and --dp, --iteration or --samples")
    return say(values or [whole("global_batch_size", gbs)], warnings, as_json)


@click.command("save-overhead")
@click.option("--saves", type=COUNT, help="Saves in the wall time.")
@click.option("--wall-time", type=DURATION, help="Wall time: 90d, 20:00:00.")
@click.option("--save-time", type=DURATION, required=True, help="Time of a save, s.")
@click.option("--target", type=COUNT, help="Instead: iterations to train,")
@click.option("--save-interval", type=COUNT, help="iterations between saves,")
@click.option("--step-time", type=DURATION, help="and time of an iteration, s.")
@options.json
def save_overhead(
    saves: int | None,
    wall_time: float | None,
    save_time: float,
    target: int | None,
    save_interval: int | None,
    step_time: float | None,
    as_json: bool,
) -> ExitCode:
    """The share of wall time that saving takes.

    \b
    Examples:
      trainwatch calc save-overhead --saves 720 --save-time 40 --wall-time 90d
      trainwatch calc save-overhead --target 1000 --save-interval 18 --step-time 105 --save-time 40
    """
    warnings = advice.on_interval(target, save_interval)
    if target is not None and save_interval is not None and step_time is not None:
        saves = target // save_interval
        wall_time = target * step_time + saves * save_time
    if saves is None or wall_time is None:
        raise UsageError(
            "calc save-overhead: give --saves and --wall-time, or --target, --save-interval and "
            "--step-time"
        )
    share = formulas.save_overhead(saves, save_time, wall_time)
    values = [
        whole("saves", saves),
        fixed("saving_s", saves * save_time, "h", scale=_HOURS),
        fixed("overhead", share, "%", scale=0.01),
    ]
    return say(values, warnings, as_json)


@click.command("at-risk")
@click.option(
    "--iterations", type=COUNT, required=True, help="Iterations since the last complete checkpoint."
)
@options.step_time
@click.option("--gpus", type=COUNT, help="GPUs, for GPU-hours.")
@options.json
def at_risk(iterations: int, step_time: float, gpus: int | None, as_json: bool) -> ExitCode:
    """What a crash now would cost.

    \b
    Example:
      trainwatch calc at-risk --iterations 250 --step-time 105 --gpus 384
    """
    seconds = formulas.at_risk_s(iterations, step_time)
    values = [fixed("at_risk_s", seconds, "h", scale=_HOURS)]
    if gpus is not None:
        hours = seconds * gpus / _HOURS
        values.append(Value("gpu_hours", hours, f"{hours:,.0f} GPU-h"))
    return say(values, [], as_json)


@click.command("exit-margin")
@click.option("--time-limit", type=DURATION, required=True, help="Of the job: 20:00:00.")
@click.option(
    "--exit-duration", type=POSITIVE, required=True, help="--exit-duration-in-mins, minutes."
)
@options.step_time
@click.option("--save-time", type=DURATION, required=True, help="Time of a save, s.")
@options.json
def exit_margin(
    time_limit: float, exit_duration: float, step_time: float, save_time: float, as_json: bool
) -> ExitCode:
    """Whether the last save fits before the limit.

    \b
    Example:
      trainwatch calc exit-margin --time-limit 20h --exit-duration 1190 --step-time 573 --save-time 40
    """
    margin_s, needed_s = time_limit - exit_duration * 60, step_time + save_time
    values = [fixed("margin_s", margin_s, "s", 0), fixed("needed_s", needed_s, "s", 0)]
    return say(values, advice.on_margin(margin_s, needed_s), as_json)
