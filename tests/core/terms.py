"""On which terms people are told of an alert."""

from tests.core.settling import HOUR_S
from trainwatch.core.model.alerts import Terms

PLAIN = Terms(repeat_s=None)
HOURLY = Terms(repeat_s=HOUR_S)
EFFECT = Terms(repeat_s=HOUR_S, inhibited_by=("stall",))
