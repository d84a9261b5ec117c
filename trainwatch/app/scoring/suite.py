"""The whole suite, played on all cores: incidents, and healthy runs of so many hours."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from trainwatch.app.scoring.marking import Marked, mark
from trainwatch.app.scoring.playing import play
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.simulate.healthy import HEALTHY
from trainwatch.simulate.incidents.table import INCIDENTS
from trainwatch.simulate.timeline import Timeline

HEALTHY_START = 1_740_988_800.0  # 2025-03-03 08:00 UTC


class Task(NamedTuple):
    """One scenario to play. `hours`: at most so many; None: all of it."""

    name: str
    is_incident: bool
    hours: float | None
    settings: AlertSettings


def tasks(settings: AlertSettings, hours: float) -> list[Task]:
    """The healthy runs, which take longest, and then the incidents."""
    found = [Task(name, False, hours, settings) for name in HEALTHY if hours]
    return found + [Task(name, True, None, settings) for name in INCIDENTS]


def carry_out(task: Task) -> Marked:
    """Play and mark one scenario."""
    if not task.is_incident:
        scenario = HEALTHY[task.name]
        played = play(scenario, Timeline(HEALTHY_START), task.settings, most_hours=task.hours)
        return mark(task.name, scenario, played, frozenset(), quiet=True)
    incident = INCIDENTS[task.name]
    settings = task.settings if incident.alerts == AlertSettings() else incident.alerts
    played = play(incident.scenario, incident.timeline, settings)
    right = frozenset((*incident.rules, *incident.also))
    return mark(task.name, incident.scenario, played, right, quiet=not incident.rules)


def carried_out(todo: list[Task], told: Callable[[Marked], None]) -> Iterator[tuple[Task, Marked]]:
    """All of them, in order, as they are done."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for task, marked in zip(todo, pool.map(carry_out, todo), strict=True):
            told(marked)
            yield task, marked
