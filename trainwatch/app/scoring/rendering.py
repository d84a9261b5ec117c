"""The score as a page of Markdown: docs/alerts/score.md is this, made by `make score`."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trainwatch.app import words
from trainwatch.app.scoring.deadlines import DEADLINES
from trainwatch.app.scoring.marking import Mark, Marked
from trainwatch.core.rules.table import RULES
from trainwatch.simulate.healthy import HEALTHY
from trainwatch.simulate.incidents.table import INCIDENTS, OUT_OF_REACH

MOST_FALSE_ALARMS = 1.0  # critical and warning ones together, per 1,000 run-hours


class Scored(NamedTuple):
    """The whole suite."""

    incidents: tuple[Marked, ...]
    healthy: tuple[Marked, ...]

    @property
    def healthy_hours(self) -> float:
        """Hours of runs in which nothing was the matter."""
        return sum(marked.hours for marked in self.healthy)

    @property
    def false_alarms(self) -> float:
        """Critical and warning ones, per 1,000 hours of health."""
        count = sum(len(marked.unexpected) for marked in self.healthy)
        return 1000 * count / self.healthy_hours if self.healthy_hours else 0.0

    @property
    def holds(self) -> bool:
        """Whether every incident was told in time, and nothing else."""
        marks = [one for marked in self.incidents for one in marked.marks]
        quiet = not any(marked.unexpected for marked in self.incidents)
        return all(m.in_time for m in marks) and quiet and self.false_alarms <= MOST_FALSE_ALARMS


def page(scored: Scored) -> str:
    """The page."""
    days = words.number(round(scored.healthy_hours))
    return "\n".join(
        (
            "# The score of the rules",
            "",
            "Made by `make score` (`trainwatch score --write`), with the settings as they are without a",
            "configuration. Every incident of public training logs that observations can show is simulated",
            "with its dates, numbers and noise, and judged as a daemon judges that looks every 15 s. Delays",
            "count from the moment it broke.",
            "",
            "## Rules",
            "",
            *_rules(scored),
            "",
            f"Healthy runs: {days} run-hours, {scored.false_alarms:.2f} false alarms (critical and warning)",
            f"per 1,000 of them; {MOST_FALSE_ALARMS:g} is allowed.",
            "",
            "## Incidents",
            "",
            "A number is that of the incident in the list that the rules were made from; others were added.",
            "",
            *_incidents(scored.incidents),
            "",
            "## Healthy runs",
            "",
            *_healthy(scored.healthy),
            "",
            "## Out of reach",
            "",
            *(f"- #{name}: {why}." for name, why in OUT_OF_REACH.items()),
            "",
        )
    )


def _rules(scored: Scored) -> Iterable[str]:
    yield "| rule | caught | in time | delay, median | 95 % | asked for | false alarms per 1,000 h |"
    yield "|---|---|---|---|---|---|---|"
    marks = [one for marked in scored.incidents for one in marked.marks]
    for rule in RULES:
        own = [one for one in marks if one.broke.rule == rule.name]
        yield _rule(rule.name, own, scored)


def _rule(name: str, marks: Sequence[Mark], scored: Scored) -> str:
    caught = [one for one in marks if one.told is not None]
    false = sum(change.rule == name for one in scored.healthy for change in one.unexpected)
    rate = 1000 * false / scored.healthy_hours if scored.healthy_hours else 0.0
    deadline = DEADLINES.get(name)
    asked = deadline.asked if deadline else ""
    if not marks:
        return f"| [{name}]({name}.md) | no incident | | | | {asked} | {rate:.2f} |"
    in_time = sum(one.in_time for one in marks)
    return (
        f"| [{name}]({name}.md) | {len(caught)} of {len(marks)} | {in_time} | {_delay(caught, 0.5)} "
        f"| {_delay(caught, 0.95)} | {asked} | {rate:.2f} |"
    )


def _delay(marks: Sequence[Mark], share: float) -> str:
    if not marks:
        return ""
    ordered = sorted(marks, key=lambda one: one.delay_s)
    one = ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return _said(one)


def _said(one: Mark) -> str:
    steps = f", {one.delay_iterations} it" if one.delay_iterations else ""
    return f"{words.duration(one.delay_s)}{steps}"


def _incidents(incidents: Sequence[Marked]) -> Iterable[str]:
    yield "| # | scenario | what happens | told by |"
    yield "|---|---|---|---|"
    for marked in incidents:
        incident = INCIDENTS[marked.name]
        numbers = ", ".join(map(str, incident.numbers))
        told = "; ".join(map(_told, marked.marks)) or "nothing, as it should"
        extra = {change.rule for change in marked.unexpected}
        wrong = f" **and wrongly {', '.join(sorted(extra))}**" if extra else ""
        what = incident.scenario.description
        yield f"| {numbers} | `{marked.name}` | {what} | {told}{wrong} |"


def _told(one: Mark) -> str:
    if one.told is None:
        return f"**{one.broke.rule}: not told**"
    late = "" if one.in_time else " **late**"
    return f"{one.broke.rule} after {_said(one)}{late}"


def _healthy(healthy: Sequence[Marked]) -> Iterable[str]:
    yield "| scenario | what it is | run-hours | iterations | false alarms |"
    yield "|---|---|---|---|---|"
    for marked in healthy:
        rules = ", ".join(sorted({change.rule for change in marked.unexpected}))
        count = f"{len(marked.unexpected)} ({rules})" if rules else "0"
        what = HEALTHY[marked.name].description
        yield (
            f"| `{marked.name}` | {what} | {marked.hours:,.0f} | {marked.iterations:,} | {count} |"
        )
