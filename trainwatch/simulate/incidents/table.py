"""All incidents by name, and those that no observation of ours can show."""

from collections.abc import Mapping

from trainwatch.simulate.incidents.beside import BESIDE
from trainwatch.simulate.incidents.crashes import CRASHES
from trainwatch.simulate.incidents.hangs import HANGS
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.numbers import NUMBERS
from trainwatch.simulate.incidents.queues import QUEUES
from trainwatch.simulate.incidents.resumes import RESUMES
from trainwatch.simulate.incidents.saves import SAVES

INCIDENTS: Mapping[str, Incident] = {
    **HANGS,
    **CRASHES,
    **NUMBERS,
    **RESUMES,
    **SAVES,
    **QUEUES,
    **BESIDE,
}

# number and name -> why
OUT_OF_REACH: Mapping[str, str] = {
    "4 watched name with a stray suffix": "the name is the watcher's own configuration: a self-test of "
    "it must find the job once; to an observation the job is just not there",
    "9 evaluation of 100 instead of 5 iterations": "it was as configured, and no rule knows what share of "
    "the time is too much; the report shows the share",
    "19 --no-load-optim silently ignored": "the dump of arguments says what the job took, but what was "
    "asked for stands in a script that nobody observes",
    "28 layer norms out of sync across ranks": "neither loss nor throughput showed it; it takes a look "
    "into the weights",
}
