"""Every incident: it plays to its end, its truth is what the table names, its log is read as it was meant."""

import re
from pathlib import Path

import pytest

from tests.core.rules.test_table import PROMISED
from tests.simulate.playing import Played, played
from tests.simulate.telling import read
from trainwatch.core.facts import Facts
from trainwatch.simulate.happenings import Broke, Healed, Stepped
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.table import INCIDENTS, OUT_OF_REACH
from trainwatch.simulate.run import happenings
from trainwatch.simulate.scenario import hurried
from trainwatch.simulate.scenarios import SCENARIOS
from trainwatch.simulate.timeline import Timeline

LISTED = Path(__file__).parents[2].parent / "shared" / "facts" / "incidents.md"
# trouble that is there from the beginning, or before the first attempt is over
FROM_THE_START = {
    "batch-does-not-divide",
    "wrong-model-size",
    "wrong-unit",
    "time-limit-margin",
    "no-successor",
    "purge-risk",
}
SPEED, PATIENCE_MIN = 60.0, 12.0


@pytest.fixture(scope="module", params=INCIDENTS)
def case(request: pytest.FixtureRequest) -> tuple[Incident, Played]:
    return INCIDENTS[request.param], played(request.param)


def test_it_goes_on_to_its_end_in_order_of_time(case: tuple[Incident, Played]) -> None:
    incident, run = case
    times = [happening.at for happening in run.happened]
    assert times == sorted(times)
    assert times[0] == incident.timeline.start
    assert run.steps[-1] == incident.scenario.iterations
    assert len(run.printed) <= 1_000


def test_the_truth_is_what_the_table_names(case: tuple[Incident, Played]) -> None:
    incident, run = case
    assert {broke.rule for broke in run.broke} == set(incident.rules)


def test_what_breaks_heals_once_or_never(case: tuple[Incident, Played]) -> None:
    still_open = set[tuple[str, str]]()
    for happening in case[1].happened:
        if isinstance(happening, Broke):
            assert (happening.rule, happening.key) not in still_open
            still_open.add((happening.rule, happening.key))
        elif isinstance(happening, Healed):
            still_open.remove((happening.rule, happening.key))


def test_the_log_is_read_back(case: tuple[Incident, Played]) -> None:
    _, run = case
    found = read(run.log)
    assert found.column("iteration") == run.printed
    assert found.state.counters.torn == 0
    assert [event.iteration for event in found.told("saved")] == run.saved


@pytest.mark.parametrize(
    "incident", ["spike-to-nan", "overflow-streak", "crash-loop-same-node", "launcher-alive"]
)
def test_the_two_ways_of_reading_agree(incident: str) -> None:
    log = played(incident).log
    found, line_by_line = read(log), read(log, in_columns=False)
    assert repr(line_by_line.state) == repr(found.state)  # NaN is not equal to itself
    for name in ("iteration", "attempt", "loss", "grad_norm", "skipped", "loss_scale"):
        assert str(line_by_line.column(name)) == str(found.column(name))


@pytest.mark.parametrize("name", [name for name in INCIDENTS if name not in FROM_THE_START])
def test_good_health_comes_first(name: str) -> None:
    incident = INCIDENTS[name]
    if not incident.rules:
        return
    healthy = 0
    for happening in happenings(incident.scenario, incident.timeline):
        if isinstance(happening, Broke):
            break
        healthy += isinstance(happening, Stepped)
    assert healthy >= 80
    assert healthy / incident.scenario.log_interval <= 450


@pytest.mark.parametrize("name", [name for name, i in INCIDENTS.items() if i.rules])
def test_who_watches_live_sees_it_within_minutes(name: str) -> None:
    scenario = hurried(INCIDENTS[name].scenario)
    stream = happenings(scenario, Timeline(0.0, pace=SPEED))
    if name == "disk-full-of-cores":
        return  # disks are not simulated live
    first = next(happening for happening in stream if isinstance(happening, Broke))
    assert first.at / 60 < PATIENCE_MIN


def test_a_table_that_can_be_trusted() -> None:
    for name, incident in INCIDENTS.items():
        assert SCENARIOS[name] is incident.scenario
        assert set(incident.rules) | set(incident.also) <= set(PROMISED)
        assert not set(incident.rules) & set(incident.also)
        assert set(incident.scenario.configured) <= set(Facts.__struct_fields__)
        assert incident.teaches.endswith(".")
    every_rule = {rule for incident in INCIDENTS.values() for rule in incident.rules}
    assert set(PROMISED) - every_rule == {"slow-node", "watcher-down"}


def test_every_incident_of_the_list_is_simulated_or_said_to_be_out_of_reach() -> None:
    if not LISTED.is_file():
        pytest.skip("the list of incidents is not there")
    listed = {
        int(number) for number in re.findall(r"^\| (\d+) \|", LISTED.read_text(), re.MULTILINE)
    }
    simulated = {number for incident in INCIDENTS.values() for number in incident.numbers}
    out_of_reach = {int(name.split()[0]) for name in OUT_OF_REACH}
    assert not simulated & out_of_reach
    assert simulated | out_of_reach == listed


def test_a_run_without_incidents_is_not_hurried() -> None:
    assert hurried(SCENARIOS["demo"]) is SCENARIOS["demo"]
