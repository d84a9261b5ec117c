"""Every key of the tables has its step."""

from tests.tour.steps import DEMO, HOUSE, NAN, NO_HOUSE, anywhere, fleet, of_run, panes
from trainwatch.app.tui.keys import ANYWHERE, FLEET, FLEET_ANYWHERE
from trainwatch.app.tui.tabs import PANES


def test_every_key_that_is_had_anywhere_has_its_step() -> None:
    for run, house in ((DEMO, NO_HOUSE), (NAN, HOUSE)):
        known = anywhere(run, house)
        assert {key.action for key in ANYWHERE} == known.keys()
        assert all(step.shows or step.hides for steps in known.values() for step in steps)


def test_every_pane_has_its_step_and_a_look_of_its_own() -> None:
    for run, house in ((DEMO, NO_HOUSE), (NAN, HOUSE)):
        shown = panes(run, house)
        assert shown.keys() == set(PANES)
        assert len(set(shown.values())) == len(shown)
        pressed = [step.shows for step in of_run(run, house)]
        assert all(patterns in pressed for patterns in shown.values())


def test_every_key_of_all_runs_has_its_step() -> None:
    assert {key.action for key in (*FLEET, *FLEET_ANYWHERE)} == fleet().keys()
