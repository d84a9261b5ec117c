"""Does it learn? NaN losses, spikes, surges of the gradient norm, overflows, the rate after a restart."""

from collections.abc import Iterator

from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.model.alerts import Finding
from trainwatch.core.rules.sight import Reached, Said, Sight
from trainwatch.core.senses.learning import RING
from trainwatch.core.words import number

_FIVE = 0b11111  # iterations without a NaN, or an overflow, after which it is over


def loss_nan(sight: Sight) -> Iterator[Said]:
    """The loss is NaN, printed so or left out although the step was taken."""
    learning, chosen = sight.memory.learning, sight.settings.loss_nan
    nans, iteration = learning.nans, learning.iteration
    row = sight.state.open
    if row is not None and row.iteration > (iteration or 0):
        nans, iteration = (nans << 1 | bool(row.flags & LOSS_NAN)) & RING, row.iteration
    if not nans & _FIVE:
        return
    streak = (1 << chosen.in_a_row) - 1
    lasts = nans & streak == streak or nans.bit_count() >= chosen.in_ten
    worse = lasts or sight.fires_as("loss-nan", "critical")
    yield Finding(
        rule="loss-nan",
        severity=None if worse else "warning",
        summary=f"the loss was NaN in {nans.bit_count()} of the last 10 iterations",
        iteration=iteration,
        advice="Stop it before it saves over what is good; go back to a checkpoint before.",
    )


def overflow_streak(sight: Sight) -> Iterator[Said]:
    """fp16 gradients overflow again and again, so that steps are skipped."""
    learning, chosen = sight.memory.learning, sight.settings.overflow_streak
    if not learning.stepped:
        return  # it looks for its first loss scale
    skips = learning.skips
    over = skips & _FIVE == 0 if sight.fires("overflow-streak") else True
    few = (skips & _FIVE).bit_count() < chosen.in_five and skips.bit_count() < chosen.in_ten
    if few and over:
        return
    yield Finding(
        rule="overflow-streak",
        summary=f"{skips.bit_count()} of the last 10 steps were skipped: the gradients overflow",
        iteration=learning.iteration,
        advice="Look at the loss scale: at its least, the run diverges.",
    )


def loss_spike(sight: Sight) -> Iterator[Said]:
    """The loss leapt up. That informs; it is a warning when it does not come back."""
    learning, chosen = sight.memory.learning, sight.settings.loss_spike
    began = learning.spike_iteration
    if began is None:
        return
    lasted = (learning.iteration or began) - began
    unhealed = lasted >= chosen.heals_within_iterations
    if not unhealed:
        yield Reached(began + chosen.heals_within_iterations)
    now = learning.spike_last[-1] if learning.spike_last else learning.spike_peak
    yield Finding(
        rule="loss-spike",
        severity="warning" if unhealed else None,
        summary=f"the loss leapt from {number(learning.loss)} to {number(learning.spike_peak)}"
        + (f" and is {number(now)} after {lasted:,} iterations" if unhealed else ""),
        since=learning.spike_at,
        iteration=began,
        advice="Go back to a checkpoint before it and leave that data out."
        if unhealed
        else "Most heal by themselves.",
    )


def grad_norm_surge(sight: Sight) -> Iterator[Said]:
    """The gradient norm is ten times its usual: what often comes before the loss goes."""
    learning, row = sight.memory.learning, sight.state.open
    iteration, at, peak = learning.surge_iteration, learning.surge_at, learning.surge_peak
    if iteration is None and row is not None and row.iteration > (learning.iteration or 0):
        norm = row.values.get("grad_norm")
        if norm is not None and learning.surges(norm):
            iteration, at, peak = row.iteration, row.time.at if row.time else None, norm
    if iteration is None:
        return
    yield Finding(
        rule="grad-norm-surge",
        summary=f"the gradient norm reached {number(peak)}, usually {number(learning.norm)}",
        since=at,
        iteration=iteration,
        advice="Watch the loss; have the checkpoint before it at hand.",
    )


def lr_jump(sight: Sight) -> Iterator[Said]:
    """After a restart the learning rate is not where the curve was."""
    jump = sight.memory.resume.jump
    if jump is None:
        return
    yield Finding(
        rule="lr-jump",
        summary=f"the learning rate resumed at {jump.found:.3g}, the curve was at {jump.expected:.3g}",
        since=jump.at,
        iteration=jump.iteration,
        advice="See whether the scheduler was restored (--override-lr-scheduler, consumed samples).",
    )
