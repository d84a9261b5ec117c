"""Every rule: name, severity, what it means, and the rules that are its cause. To add one, add it here."""

from collections.abc import Callable, Iterator

from trainwatch.core.model.alerts import Severity, Terms
from trainwatch.core.rules import (
    checkpoints,
    disks,
    hands,
    learning,
    progress,
    queue,
    resume,
    speed,
)
from trainwatch.core.rules.pattern import rule_of
from trainwatch.core.rules.settings import AlertSettings, RuleSettings
from trainwatch.core.rules.sight import Rule, Said, Sight

_DEAD = ("crash", "stall", "not-queued")


def _rule(
    name: str,
    severity: Severity,
    look: Callable[[Sight], Iterator[Said]],
    inhibited_by: tuple[str, ...] = (),
) -> Rule:
    """A row; its summary is the first line of the function's docstring, its settings have its name."""
    field = name.replace("-", "_")

    def settings(chosen: AlertSettings) -> RuleSettings:
        found: RuleSettings = getattr(chosen, field)
        return found

    return Rule(
        name, severity, (look.__doc__ or "").partition("\n")[0], look, settings, inhibited_by
    )


RULES: tuple[Rule, ...] = (
    _rule("stall", "critical", progress.stall, ("crash", "not-queued")),
    _rule("crash", "critical", progress.crash, ("crash-loop",)),
    _rule("crash-loop", "warning", progress.crash_loop),
    _rule("kill-switch", "warning", progress.kill_switch),
    _rule("throughput-drop", "warning", speed.throughput_drop, _DEAD),
    _rule("slow-node", "warning", speed.slow_node, _DEAD),
    _rule("log-flood", "warning", speed.log_flood),
    _rule("loss-nan", "critical", learning.loss_nan),
    _rule("loss-spike", "info", learning.loss_spike, ("loss-nan",)),
    _rule("grad-norm-surge", "warning", learning.grad_norm_surge, ("loss-nan",)),
    _rule("overflow-streak", "warning", learning.overflow_streak),
    _rule("lr-jump", "warning", learning.lr_jump),
    _rule("resume-mismatch", "warning", resume.resume_mismatch),
    _rule("config-mismatch", "warning", resume.config_mismatch),
    _rule("checkpoint-overdue", "warning", checkpoints.checkpoint_overdue, _DEAD),
    _rule("checkpoint-incomplete", "warning", checkpoints.checkpoint_incomplete),
    _rule("checkpoint-size", "warning", checkpoints.checkpoint_size),
    _rule("purge-risk", "warning", checkpoints.purge_risk),
    _rule("round-done", "warning", checkpoints.round_done),
    _rule("disk-full", "warning", disks.disk_full),
    _rule("no-successor", "warning", queue.no_successor),
    _rule("not-queued", "critical", queue.not_queued),
    _rule("job-held", "warning", queue.job_held),
    _rule("pending-long", "warning", queue.pending_long),
    _rule("time-limit-margin", "warning", queue.time_limit_margin),
    _rule("sync-late", "warning", hands.sync_late),
    _rule("script-failed", "warning", hands.script_failed),
    _rule("blind", "warning", hands.blind),
)


def rules_of(chosen: AlertSettings) -> list[Rule]:
    """The rules that are enabled, a user's own among them."""
    own = [rule_of(name, pattern) for name, pattern in chosen.patterns.items()]
    return [rule for rule in (*RULES, *own) if rule.settings(chosen).enabled]


def terms_of(chosen: AlertSettings) -> dict[str, Terms]:
    """How the alert book treats each of them."""
    return {rule.name: _terms(rule, rule.settings(chosen)) for rule in rules_of(chosen)}


def _terms(rule: Rule, chosen: RuleSettings) -> Terms:
    return Terms(
        severity=chosen.severity or rule.severity,
        hold_s=chosen.hold_min * 60,
        clear_s=chosen.clear_min * 60,
        repeat_s=chosen.repeat_h * 3600 or None,
        inhibited_by=rule.inhibited_by,
    )
