"""One incident: a scenario in which it happens, and the rules that ought to say so."""

from datetime import UTC, datetime

import msgspec

from trainwatch.core.rules.settings import AlertSettings
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.timeline import Timeline


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """`rules` ought to fire. `also` may, and would be right. Without rules all must be quiet."""

    numbers: tuple[int, ...] = ()  # in the list of what really went wrong
    began: str = (
        "2025-03-03T08:00"  # when the simulated run does, so that days and nights are right
    )
    scenario: Scenario
    rules: tuple[str, ...]
    also: tuple[str, ...] = ()
    teaches: str
    alerts: AlertSettings = AlertSettings()  # what the user had to set for it

    @property
    def timeline(self) -> Timeline:
        """The clock of the run, whose cluster shows UTC."""
        return Timeline(datetime.fromisoformat(self.began).replace(tzinfo=UTC).timestamp())
