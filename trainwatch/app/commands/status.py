"""trainwatch status: one screen of plain text, and an exit code that says how the run is."""

from collections.abc import Iterable, Sequence
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from trainwatch.app import chain, clock, looking, processes, words
from trainwatch.app.commands.shared import site_options
from trainwatch.app.config import RunSettings
from trainwatch.app.waiting import reserved, waits_for
from trainwatch.app.wire import Site
from trainwatch.core import maintenance
from trainwatch.core.beat import judged_chain
from trainwatch.core.errors import ExitCode, UsageError
from trainwatch.core.model.observations import Job, Reservation
from trainwatch.core.model.predictions import Prediction
from trainwatch.core.model.status import Alert, Status
from trainwatch.core.predictions import is_missing, moved

EVERY, WIDTH = click.FloatRange(0.2, 3600), click.IntRange(20, 1000)
_MOST_RESERVED = 3  # reservations
_CODES = {
    "ok": ExitCode.OK,
    "warning": ExitCode.UNHEALTHY,
    "critical": ExitCode.UNHEALTHY,
    "unknown": ExitCode.UNKNOWN,
}
_WORST_FIRST = (ExitCode.UNHEALTHY, ExitCode.UNKNOWN, ExitCode.OK)


@click.command(name="status")
@click.argument("log_or_run", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object (several runs: a list).")
@click.option(
    "--public", is_flag=True, help="As JSON, only what outsiders may know ([runs.public])."
)
@click.option("--line", "as_line", is_flag=True, help="One short line, for a shell's prompt.")
@click.option("--width", type=WIDTH, help="With --line: columns at most [default: 100]")
@click.option("--watch", "keep_on", is_flag=True, help="Go on until ctrl+c, showing what changes.")
@click.option("--every", "every_s", type=EVERY, help="With --watch: seconds [default: 5]")
@site_options
def command(log_or_run: str | None, site: Site, **form: Any) -> int:
    """Say how a run is doing. The exit code says it, too.

    0: well or complete; 1: unhealthy; 3: unknown (blind, or the log just stops). Of several runs: 1 if
    any is unhealthy, else 3 if any is unknown.

    \b
    Examples:
      trainwatch status main_log.txt
      trainwatch status --watch main_log.txt
      trainwatch status --line tr11
    """
    _check(**form)
    if form["keep_on"]:
        from trainwatch.app.commands.status_watch import EVERY_S, watch

        return watch(site, log_or_run, form["every_s"] or EVERY_S)
    if form["as_line"]:
        from trainwatch.app.commands.status_line import USUAL_WIDTH, tell

        return tell(site, log_or_run, form["width"] or USUAL_WIDTH)
    return _tell(site, log_or_run, as_json=form["as_json"], public=form["public"])


def _check(
    *,
    as_json: bool,
    public: bool,
    as_line: bool,
    keep_on: bool,
    width: int | None,
    every_s: float | None,
) -> None:
    """Raise UsageError for options that do not go together."""
    forms = {"--json or --public": as_json or public, "--line": as_line, "--watch": keep_on}
    chosen = [name for name, wanted in forms.items() if wanted]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} do not go together; choose one of them")
    if width is not None and not as_line:
        raise UsageError("--width goes with --line")
    if every_s is not None and not keep_on:
        raise UsageError("--every goes with --watch")


def _tell(site: Site, log_or_run: str | None, *, as_json: bool, public: bool) -> int:
    """Once, in whole."""
    now = clock.now()
    if log_or_run:
        runs = [site.run_of(log_or_run)]
        statuses = [looking.status_of(site, runs[0], now)]
    else:
        runs = site.runs()
        statuses = [looking.status_or_why_not(site, run, now) for run in runs]
    if as_json or public:
        shown = _for_outsiders(statuses, runs, now) if public else _for_scripts(statuses)
        found = shown[0] if log_or_run else shown
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        click.echo(page(site, statuses, now))
    return exit_code(statuses)


def page(site: Site, statuses: Sequence[Status], now: float) -> str:
    """All there is to read: the runs, and whether the job lives that watches them."""
    told = [*(text(status, now) for status in statuses), _chain(site, now)]
    return "\n\n".join(each for each in told if each)


def exit_code(statuses: Iterable[Status]) -> ExitCode:
    """The worst of these runs."""
    codes = {_CODES[status.health] for status in statuses}
    return next(code for code in _WORST_FIRST if code in codes)


def _for_scripts(statuses: Sequence[Status]) -> Sequence[msgspec.Struct]:
    return [replace(status, book=None) for status in statuses]


def _for_outsiders(
    statuses: Sequence[Status], runs: Sequence[RunSettings], now: float
) -> Sequence[msgspec.Struct]:
    from trainwatch.core.public import public_of

    both = zip(statuses, runs, strict=True)
    return [public_of(status, run.public.shown, now) for status, run in both]


def text(status: Status, now: float) -> str:
    """The status as a person reads it."""
    rows = [
        ("iteration", _iteration(status, now)),
        ("speed", _speed(status)),
        ("learning", _learning(status)),
        ("model", _model(status)),
        ("progress", _progress(status)),
        ("checkpoint", _checkpoint(status, now)),
        ("attempts", _attempts(status, now)),
        ("queue", _queue(status, now)),
        ("processes", processes.line(status.processes, now)),
        *(("", line) for line in _maintenance(status, now)),
        ("last", _last(status, now)),
        *(("warning", warning) for warning in status.warnings),
        *(("alert", _alert(alert, now)) for alert in status.alerts),
    ]
    body = [f"  {name:<11}{words.clean(line, 240)}" for name, line in rows if line]
    head = f"{words.clean(status.run)}   {status.health}: {words.clean(status.reason, 300)}"
    return "\n".join([head, *body])


def _chain(site: Site, now: float) -> str:
    """The cron job that watches, in a line; empty where none was ever started."""
    cron = site.chain()
    return words.clean(f"cron: {chain.line(judged_chain(cron, now), now)}", 300) if cron else ""


def _alert(alert: Alert, now: float) -> str:
    cost = f"; {alert.cost}" if alert.cost else ""
    muted = f" ({alert.muted})" if alert.muted else ""
    since = words.when(alert.since, now)
    return f"{alert.severity} {alert.rule}: {alert.summary}{cost}{muted}, since {since}"


def _queue(status: Status, now: float) -> str:
    """What runs until when, and what waits for what."""
    reading = status.queue
    if reading is None:
        return ""
    if reading.state != "ok":
        return f"unknown: {reading.why}"
    if not reading.jobs:
        return "no job of this run"
    running_first = sorted(reading.jobs, key=lambda job: job.state != "RUNNING")
    predicted = {each.job_id: each for each in status.predictions}
    known = maintenance.of_run(reading, status.allocations, now)
    return "   ".join(_job(job, predicted.get(job.job_id), known, now) for job in running_first)


def _maintenance(status: Status, now: float) -> list[str]:
    """What is to be repaired, when, and what that means for jobs."""
    known = maintenance.of_run(status.queue, status.allocations, now)
    return [reserved(one, now) for one in known[:_MOST_RESERVED]]


def _job(job: Job, predicted: Prediction | None, known: Sequence[Reservation], now: float) -> str:
    if job.state == "RUNNING":
        ends = job.start + job.time_limit_s if job.start and job.time_limit_s else None
        limit = f", {words.duration(ends - now)} left" if ends is not None else ""
        return f"{job.job_id} runs on {len(job.nodes):,} nodes{limit}"
    told = f"{job.job_id} {waits_for(job, known, now) or job.state.lower()}"
    if job.start is None:
        return told + (", no predicted start" if is_missing(job) else "")
    left = f" (in {words.duration(job.start - now)})" if job.start > now else ""
    how = moved(predicted, now)
    return f"{told}, expected {words.when(job.start, now)}{left}" + (f", {how}" if how else "")


def _iteration(status: Status, now: float) -> str:
    if status.iteration is None:
        return ""
    target = f" / {status.target_iteration:,}" if status.target_iteration else ""
    parts = [f"{status.iteration:,}{target}"]
    if status.progress is not None:
        parts.append(words.percent(status.progress))
    if status.eta_s:
        done = words.when(now + status.eta_s, now)
        parts.append(f"ETA {words.duration(status.eta_s)} ({done})")
    elif status.eta_unknown:
        parts.append(f"no ETA: {status.eta_unknown}")
    return "   ".join(parts)


def _speed(status: Status) -> str:
    if status.step_time_s is None and status.tflops is None:
        return ""
    parts = [words.step_time(status.step_time_s)]
    if status.tflops is not None:
        parts.append(f"{words.number(status.tflops)} TFLOPs/GPU")
    if status.mfu is not None:
        parts.append(f"MFU {words.percent(status.mfu)}")
    if status.tokens_per_s is not None:
        parts.append(f"{words.short(status.tokens_per_s)} tokens/s")
    if status.usual_step_time_s is not None:
        parts.append(f"(usual {words.step_time(status.usual_step_time_s)})")
    return "   ".join(parts)


def _learning(status: Status) -> str:
    loss = "NaN" if status.loss_is_nan else words.number(status.loss)
    named = [
        ("loss", loss if status.loss_is_nan or status.loss is not None else ""),
        ("grad norm", words.number(status.grad_norm) if status.grad_norm is not None else ""),
        ("lr", f"{status.learning_rate:.3e}" if status.learning_rate is not None else ""),
        ("GBS", words.number(status.global_batch_size) if status.global_batch_size else ""),
        ("validation loss", words.number(status.validation_loss) if status.validation_loss else ""),
    ]
    return "   ".join(f"{name} {value}" for name, value in named if value)


def _model(status: Status) -> str:
    size = words.short(status.parameters).replace("G", "B") if status.parameters else ""
    gpus = f"{status.gpus} {status.gpu_type or 'GPUs'}" if status.gpus else ""
    split = " ".join(
        f"{name} {value}"
        for name, value in (
            ("TP", status.tensor_parallel),
            ("PP", status.pipeline_parallel),
            ("DP", status.data_parallel),
            ("MBS", status.micro_batch_size),
        )
        if value is not None
    )
    seq = f"seq {status.seq_length:,}" if status.seq_length else ""
    return "   ".join(part for part in (size, status.framework or "", gpus, split, seq) if part)


def _progress(status: Status) -> str:
    done = []
    if status.consumed_tokens is not None:
        done.append(f"{words.short(status.consumed_tokens)} tokens")
    if status.consumed_samples is not None:
        done.append(f"{words.short(status.consumed_samples)} samples")
    return "   ".join(done)


def _checkpoint(status: Status, now: float) -> str:
    parts = []
    if status.checkpoint is not None and status.checkpoint.iteration is not None:
        at = status.checkpoint.at
        parts.append(
            f"{status.checkpoint.iteration:,}" + (f" ({words.ago(at, now)})" if at else "")
        )
    if status.iterations_at_risk is not None:
        risk = f"at risk {status.iterations_at_risk:,} iterations"
        if status.hours_at_risk is not None:
            risk += f" = {words.duration(status.hours_at_risk * 3600)}"
        if status.gpu_hours_at_risk is not None:
            risk += f" = {words.number(status.gpu_hours_at_risk, 3)} GPU-hours"
        parts.append(risk)
    return "   ".join(parts)


def _attempts(status: Status, now: float) -> str:
    if not status.attempts:
        return ""
    last = status.attempts[-1]
    began = f", the last since {words.when(last.began_at, now)}" if last.began_at else ""
    return f"{len(status.attempts)}{began}"


def _last(status: Status, now: float) -> str:
    if status.last_progress_at is None:
        return ""
    return f"iteration completed {words.ago(status.last_progress_at, now)}"
