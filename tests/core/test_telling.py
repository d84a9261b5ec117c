"""Who is told of an alert: repeats, causes and effects, flapping."""

from tests.core.settling import HOUR_S, Told, found
from tests.core.terms import EFFECT, HOURLY, PLAIN
from trainwatch.core.model.alerts import Terms
from trainwatch.core.telling import FLAP_WINDOW_S


class TestRepeats:
    def test_as_often_as_asked(self) -> None:
        told = Told(stall=HOURLY)
        told.at(0, "stall")
        assert told.due == HOUR_S
        assert told.at(HOUR_S - 1, "stall") == []
        assert told.at(HOUR_S + 9, "stall") == ["repeated stall"]
        assert told.due == 2 * HOUR_S + 9

    def test_also_while_nobody_can_say_whether_it_is_over(self) -> None:
        told = Told(stall=HOURLY)
        told.at(0, "stall")
        assert told.at(HOUR_S, unknown=("stall",)) == ["repeated stall"]

    def test_not_while_it_seems_to_be_over(self) -> None:
        told = Told(stall=Terms(repeat_s=60, clear_s=HOUR_S))
        told.at(0, "stall")
        told.at(30)
        assert told.at(90) == []
        assert told.at(100, "stall") == ["repeated stall"]


class TestCauses:
    def test_an_effect_is_only_noted_while_its_cause_fires_and_told_afterwards(self) -> None:
        told = Told(stall=PLAIN, checkpoint_overdue=EFFECT)
        assert told.at(0, "stall", "checkpoint-overdue") == [
            "firing stall",
            "firing checkpoint-overdue (inhibited)",
        ]
        assert told.at(2 * HOUR_S, "stall", "checkpoint-overdue") == []
        assert told.at(3 * HOUR_S, "checkpoint-overdue") == [
            "resolved stall",
            "firing checkpoint-overdue",
        ]
        assert told.at(3 * HOUR_S + 5) == ["resolved checkpoint-overdue"]

    def test_the_order_of_findings_does_not_matter(self) -> None:
        told = Told(stall=PLAIN, checkpoint_overdue=EFFECT)
        assert "firing checkpoint-overdue (inhibited)" in told.at(0, "checkpoint-overdue", "stall")

    def test_an_effect_nobody_knew_of_is_over_without_a_word(self) -> None:
        told = Told(stall=PLAIN, checkpoint_overdue=EFFECT)
        told.at(0, "stall", "checkpoint-overdue")
        assert told.at(9) == ["resolved stall", "resolved checkpoint-overdue (inhibited)"]

    def test_an_effect_that_people_knew_of_is_not_repeated_and_its_end_is_told(self) -> None:
        told = Told(stall=PLAIN, checkpoint_overdue=EFFECT)
        told.at(0, "checkpoint-overdue")
        told.at(60, "checkpoint-overdue", "stall")
        assert told.at(2 * HOUR_S, "checkpoint-overdue", "stall") == []
        assert told.at(2 * HOUR_S + 1, "stall") == ["resolved checkpoint-overdue"]

    def test_a_cause_within_its_hold_time_goes_before_an_effect_that_has_none(self) -> None:
        told = Told(stall=Terms(hold_s=600), checkpoint_overdue=EFFECT)
        assert told.at(0, "stall", "checkpoint-overdue") == [
            "firing checkpoint-overdue (inhibited)"
        ]
        assert told.at(60, "checkpoint-overdue") == ["firing checkpoint-overdue"]

    def test_a_cause_that_nobody_can_see_any_more_hides_nothing_past_its_hold_time(self) -> None:
        told = Told(stall=Terms(hold_s=600), checkpoint_overdue=EFFECT)
        told.at(0, "stall", "checkpoint-overdue")
        assert told.at(599, "checkpoint-overdue", unknown=("stall",)) == []
        assert told.due == 600
        assert told.at(600, "checkpoint-overdue", unknown=("stall",)) == [
            "firing checkpoint-overdue"
        ]

    def test_a_cause_hides_until_its_clear_time_is_over(self) -> None:
        told = Told(stall=Terms(clear_s=60), checkpoint_overdue=EFFECT)
        told.at(0, "stall")
        said = told.at(10, "checkpoint-overdue")
        assert said == ["firing checkpoint-overdue (inhibited)"]
        assert told.due == 70
        assert told.at(70, "checkpoint-overdue") == ["resolved stall", "firing checkpoint-overdue"]

    def test_an_effect_that_pauses_is_not_told_before_it_is_back(self) -> None:
        overdue = Terms(clear_s=HOUR_S, inhibited_by=("stall",))
        told = Told(stall=PLAIN, checkpoint_overdue=overdue)
        told.at(0, "stall", "checkpoint-overdue")
        assert told.at(10) == ["resolved stall"]
        assert told.at(20, "checkpoint-overdue") == ["firing checkpoint-overdue"]

    def test_a_rule_is_no_cause_of_itself(self) -> None:
        told = Told(slow_node=Terms(inhibited_by=("slow-node",)))
        assert told.at(0, found("slow-node", key="a"), found("slow-node", key="b")) == [
            "firing slow-node a",
            "firing slow-node b",
        ]


class TestFlapping:
    @staticmethod
    def flap(told: Told, *times: float) -> list[str]:
        return [said for at in times for said in told.at(at, "stall") + told.at(at + 1)]

    def test_from_the_third_firing_on_it_is_only_noted(self) -> None:
        told = Told(stall=Terms(repeat_s=4 * HOUR_S))
        said = self.flap(told, 0, 60, 120, 180)
        assert said[:4] == ["firing stall", "resolved stall"] * 2
        assert said[4:] == ["firing stall (flapping)", "resolved stall (flapping)"] * 2

    def test_it_is_told_as_often_as_if_it_fired_all_the_time(self) -> None:
        told = Told(stall=HOURLY)
        said = self.flap(told, *range(0, int(5 * HOUR_S), 600))
        assert said.count("firing stall") == said.count("resolved stall") == 6

    def test_without_repeats_once_in_its_window(self) -> None:
        told = Told(stall=PLAIN)
        said = self.flap(told, *range(0, int(4 * FLAP_WINDOW_S), 600))
        assert said.count("firing stall") == 5

    def test_one_that_stays_is_told_when_that_is_due(self) -> None:
        told = Told(stall=HOURLY)
        self.flap(told, 0, 60)
        assert told.at(120, "stall") == ["firing stall (flapping)"]
        assert told.due == 60 + HOUR_S
        assert told.at(60 + HOUR_S, "stall") == ["firing stall"]

    def test_one_that_is_worse_than_people_know_is_told_at_once(self) -> None:
        told = Told(stall=PLAIN)
        self.flap(told, 0, 60)
        assert told.at(120, found("stall", "critical")) == ["firing stall"]

    def test_firings_long_apart_are_no_flapping(self) -> None:
        told = Told(stall=PLAIN)
        said = self.flap(told, 0, FLAP_WINDOW_S / 2, FLAP_WINDOW_S, 1.5 * FLAP_WINDOW_S)
        assert said == ["firing stall", "resolved stall"] * 4

    def test_firings_that_nobody_heard_of_do_not_count_against_one(self) -> None:
        told = Told(stall=PLAIN)
        told.ask("silence", 0, until=200)
        self.flap(told, 0, 60, 120)
        assert told.at(200, "stall") == ["firing stall"]

    def test_what_is_remembered_is_bounded(self) -> None:
        told = Told(script_failed=PLAIN)
        for n in range(700):
            told.at(n, found("script-failed", key=str(n)))
        assert len(told.book.fired) == len(told.book.told) == 500
        told.at(FLAP_WINDOW_S * 2, "script-failed")
        assert list(told.book.fired) == ["script-failed"]
