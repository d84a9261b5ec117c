"""Who is told of an alert: repeats, causes and effects, silences, acknowledgements, flapping."""

import pytest

from tests.core.settling import HOUR_S, Told, found
from trainwatch.core.model.alerts import Book, Terms
from trainwatch.core.telling import FLAP_WINDOW_S

PLAIN = Terms(repeat_s=None)
HOURLY = Terms(repeat_s=HOUR_S)
EFFECT = Terms(repeat_s=HOUR_S, inhibited_by=("stall",))


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


class TestSilences:
    def test_it_is_noted_and_told_when_the_silence_ends(self) -> None:
        told = Told(stall=PLAIN)
        told.ask("silence", 0, "stall", until=HOUR_S, why="maintenance")
        assert told.at(10, "stall") == ["firing stall (silenced)"]
        assert told.due == HOUR_S
        assert told.at(HOUR_S, "stall") == ["firing stall"]
        assert told.book.muted == ()

    def test_what_comes_and_goes_within_it_is_never_told(self) -> None:
        told = Told(stall=PLAIN)
        told.ask("silence", 0, until=HOUR_S)
        told.at(10, "stall")
        assert told.at(20) == ["resolved stall (silenced)"]

    def test_what_people_knew_is_not_repeated_nor_told_again_afterwards(self) -> None:
        told = Told(stall=Terms(repeat_s=1800))
        told.at(0, "stall")
        told.ask("silence", 10, until=HOUR_S)
        assert told.at(1800, "stall") == []
        assert told.at(HOUR_S, "stall") == ["repeated stall"]

    def test_a_rise_within_it_is_told_when_it_ends(self) -> None:
        told = Told(disk_full=PLAIN)
        told.at(0, "disk-full")
        told.ask("silence", 10, until=HOUR_S)
        worse = found("disk-full", "critical")
        assert told.at(20, worse) == ["firing disk-full (silenced)"]
        assert told.at(30, worse) == []
        assert told.at(HOUR_S, worse) == ["firing disk-full"]

    @pytest.mark.parametrize(
        ("rule", "key", "silent"),
        [
            ("", "", True),
            ("slow-node", "", True),
            ("slow-node", "a", True),
            ("slow-node", "b", False),
            ("stall", "", False),
        ],
    )
    def test_it_covers_what_it_names(self, rule: str, key: str, silent: bool) -> None:
        told = Told(slow_node=PLAIN)
        told.ask("silence", 0, rule, key=key, until=HOUR_S)
        said = told.at(10, found("slow-node", key="a"))
        assert said == ["firing slow-node a" + (" (silenced)" if silent else "")]

    def test_a_cause_that_is_silenced_still_hides_its_effects(self) -> None:
        told = Told(stall=PLAIN, checkpoint_overdue=EFFECT)
        told.ask("silence", 0, "stall", until=HOUR_S)
        assert told.at(10, "stall", "checkpoint-overdue") == [
            "firing stall (silenced)",
            "firing checkpoint-overdue (inhibited)",
        ]

    def test_one_without_an_end_or_that_is_over_is_not_taken(self) -> None:
        told = Told(stall=PLAIN)
        told.ask("silence", 10)
        told.ask("silence", 10, until=10)
        assert told.book == Book()

    def test_a_later_one_of_the_same_replaces_it(self) -> None:
        told = Told(stall=PLAIN)
        told.ask("silence", 0, "stall", until=HOUR_S)
        told.ask("silence", 10, "stall", until=60)
        assert [muted.until for muted in told.book.muted] == [60]

    def test_the_newest_are_kept_of_very_many(self) -> None:
        told = Told(stall=PLAIN)
        for n in range(300):
            told.ask("silence", n, f"rule-{n}", until=HOUR_S)
        assert [muted.rule for muted in told.book.muted] == [f"rule-{n}" for n in range(100, 300)]

    def test_it_is_taken_back(self) -> None:
        told = Told(stall=PLAIN)
        told.ask("silence", 0, "stall", until=HOUR_S)
        told.at(10, "stall")
        told.ask("unmute", 20, "crash")
        assert told.at(20, "stall") == []
        told.ask("unmute", 30, "stall")
        assert told.at(30, "stall") == ["firing stall"]

    def test_it_ends_also_when_nothing_is_found(self) -> None:
        told = Told(stall=PLAIN)
        told.ask("silence", 0, until=HOUR_S)
        told.at(1)
        assert told.due == HOUR_S
        told.at(HOUR_S)
        assert told.book == Book()
        assert told.due is None


class TestAcknowledgements:
    def test_no_repeats_but_the_end_is_told(self) -> None:
        told = Told(stall=HOURLY)
        told.at(0, "stall")
        told.ask("ack", 10, "stall", why="on it")
        assert told.at(2 * HOUR_S, "stall") == []
        assert told.due is None
        assert told.at(3 * HOUR_S) == ["resolved stall"]
        assert told.book.muted == ()

    def test_repeats_go_on_when_it_ends(self) -> None:
        told = Told(stall=HOURLY)
        told.at(0, "stall")
        told.ask("ack", 10, "stall", until=3 * HOUR_S)
        told.at(20, "stall")
        assert told.due == 3 * HOUR_S
        assert told.at(3 * HOUR_S, "stall") == ["repeated stall"]

    def test_a_rise_breaks_through_and_ends_it(self) -> None:
        told = Told(disk_full=HOURLY)
        told.at(0, "disk-full")
        told.ask("ack", 10, "disk-full")
        worse = found("disk-full", "critical")
        assert told.at(20, worse) == ["firing disk-full"]
        assert told.at(20 + HOUR_S, worse) == ["repeated disk-full"]

    def test_only_what_fires_can_be_acknowledged(self) -> None:
        told = Told(stall=Terms(hold_s=60), crash=PLAIN)
        told.at(0, "stall", "crash")
        for rule in ("stall", "blind", ""):
            told.ask("ack", 10, rule)
        assert told.book.muted == ()

    def test_one_key_or_all_that_fire(self) -> None:
        told = Told(slow_node=HOURLY)
        nodes = [found("slow-node", key=key) for key in "abc"]
        told.at(0, *nodes[:2])
        told.ask("ack", 10, "slow-node", key="a")
        assert [muted.key for muted in told.book.muted] == ["a"]
        told.ask("ack", 20, "slow-node")
        assert [muted.key for muted in told.book.muted] == ["a", "b"]
        assert told.at(30, *nodes) == ["firing slow-node c"]

    def test_who_acknowledges_knows_so_the_end_of_a_silence_tells_nothing_new(self) -> None:
        told = Told(stall=HOURLY)
        told.ask("silence", 0, until=60)
        told.at(10, "stall")
        told.ask("ack", 20, "stall")
        assert told.at(60, "stall") == []
        assert told.at(70) == ["resolved stall"]

    def test_it_is_of_how_bad_the_alert_is_then(self) -> None:
        told = Told(disk_full=PLAIN)
        told.at(0, "disk-full")
        told.ask("silence", 10, until=60)
        worse = found("disk-full", "critical")
        told.at(20, worse)
        told.ask("ack", 30, "disk-full")
        assert told.at(60, worse) == []
        told.at(70, "disk-full")
        told.ask("ack", 80, "disk-full")
        assert told.at(90, worse) == ["firing disk-full"]

    def test_it_ends_with_its_alert(self) -> None:
        told = Told(stall=HOURLY)
        told.at(0, "stall")
        told.ask("ack", 10, "stall")
        told.at(20)
        told.at(30, "stall")
        assert told.at(30 + HOUR_S, "stall") == ["repeated stall"]

    def test_taken_back(self) -> None:
        told = Told(stall=HOURLY)
        told.at(0, "stall")
        told.ask("ack", 10, "stall")
        told.ask("unmute", 20)
        assert told.at(HOUR_S, "stall") == ["repeated stall"]


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
