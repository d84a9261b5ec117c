"""Who is not told of an alert, as a person asked for that: silences, acknowledgements."""

import pytest

from tests.core.settling import HOUR_S, Told, found
from tests.core.terms import EFFECT, HOURLY, PLAIN
from trainwatch.core.model.alerts import Book, Terms


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
