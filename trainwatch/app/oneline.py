"""How runs are, in one line: for shell prompts, status bars, and terminals that cannot be painted.

The trap: who asked for the line may expand it once more. tmux knows `#[...]` and `#(...)`, strftime and zsh
`%`, shells `$` and backquotes: of what others wrote only letters, digits and harmless signs are in it, and
our own words have none of these either.
"""

from collections import Counter
from collections.abc import Sequence

from trainwatch.app import words
from trainwatch.core.cells import cells, cut
from trainwatch.core.model.alerts import SEVERITIES
from trainwatch.core.model.status import Alert, Status

WIDTH = 100
_GAP = "  "
_NAME_CELLS = 30
_HARMLESS = frozenset(" -_.,:;/+=()[]@")
_WORST_FIRST = ("critical", "warning", "unknown", "ok")


def line(statuses: Sequence[Status], width: int = WIDTH) -> str:
    """One run, or how many are how and then the worst, in at most `width` cells."""
    if len(statuses) == 1:
        return _joined(_parts(statuses[0]), width)
    counted = Counter(_health(status) for status in statuses)
    health = ", ".join(f"{counted[word]} {word}" for word in _WORST_FIRST if counted[word])
    head = f"{len(statuses)} runs: {health or 'none'}"
    worst = sorted(statuses, key=lambda status: _WORST_FIRST.index(_health(status)))
    ill = [status for status in worst if status.health != "ok"]
    return _joined([head, *(_parts(ill[0]) if ill else [])], width)


def harmless(text: str) -> str:
    """Foreign text without anything that a terminal, tmux, strftime or a shell would act upon."""
    kept = "".join(c if c.isalnum() or c in _HARMLESS else "_" for c in words.clean(text, 400))
    return " ".join(kept.split())


def _parts(status: Status) -> list[str]:
    """What there is to say, the most important first."""
    parts = [cut(harmless(status.run), _NAME_CELLS), _health(status), _firing(status.alerts)]
    parts += [_phase(status), _iteration(status)]
    if status.health != "unknown":  # else they are of who knows when
        parts += [_step_time(status), _loss(status), _eta(status)]
    if not status.alerts and status.health != "ok":
        parts.append(harmless(status.reason))
    return [part for part in parts if part]


def _joined(parts: Sequence[str], width: int) -> str:
    """As many parts as fit; the last that does not is cut off."""
    told = ""
    for part in parts:
        gap = _GAP if told else ""
        left = width - cells(told + gap)
        if cells(part) > left:
            return told + gap + cut(part, left) if left > len("...") else told
        told += gap + part
    return told


def _health(status: Status) -> str:
    return status.health if status.health in _WORST_FIRST else "unknown"


def _firing(alerts: Sequence[Alert]) -> str:
    """The worst rule, and how many more fire."""
    if not alerts:
        return ""
    rank: dict[str, int] = {severity: place for place, severity in enumerate(SEVERITIES)}
    worst = max(alerts, key=lambda alert: rank.get(alert.severity, -1))
    more = f" +{len(alerts) - 1}" if len(alerts) > 1 else ""
    return f"{harmless(worst.rule)}{more}"


def _phase(status: Status) -> str:
    return status.phase if status.phase not in ("train", "unknown") else ""


def _iteration(status: Status) -> str:
    if status.iteration is None:
        return ""
    target = f"/{status.target_iteration:,}" if status.target_iteration else ""
    return f"{status.iteration:,}{target}"


def _step_time(status: Status) -> str:
    return words.step_time(status.step_time_s) if status.step_time_s is not None else ""


def _loss(status: Status) -> str:
    if status.loss_is_nan:
        return "loss NaN"
    return f"loss {words.number(status.loss)}" if status.loss is not None else ""


def _eta(status: Status) -> str:
    return f"ETA {words.duration(status.eta_s)}" if status.eta_s else ""
