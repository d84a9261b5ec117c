"""An incident, played to its end."""

from tests.simulate.telling import Run
from trainwatch.simulate.happenings import Broke, Healed
from trainwatch.simulate.incidents.table import INCIDENTS
from trainwatch.simulate.run import happenings


class Played(Run):
    """An incident as it happened."""

    @property
    def broke(self) -> list[Broke]:
        return [h for h in self.happened if isinstance(h, Broke)]

    @property
    def healed(self) -> list[Healed]:
        return [h for h in self.happened if isinstance(h, Healed)]


def played(name: str) -> Played:
    incident = INCIDENTS[name]
    return Played(incident.scenario, list(happenings(incident.scenario, incident.timeline)))
