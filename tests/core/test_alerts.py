"""The alert book: when alerts fire and are resolved, and what the book says of them."""

import timeit

from msgspec.structs import replace

from tests.core.settling import HOUR_S, Told, found
from trainwatch.core.alerts import MOST_OF_A_RULE, settle
from trainwatch.core.model.alerts import Book, Terms, Verdict

PLAIN = Terms(repeat_s=None)


class TestFiring:
    def test_at_once_without_a_hold_time_and_only_once(self) -> None:
        told = Told(stall=PLAIN)
        assert told.at(10, "stall") == ["firing stall"]
        assert told.at(20, "stall") == []
        assert told.due is None

    def test_only_after_the_hold_time(self) -> None:
        told = Told(stall=Terms(hold_s=60, repeat_s=None))
        assert told.at(10, "stall") == []
        assert told.due == 70
        assert told.at(69, "stall") == []
        assert told.at(70, "stall") == ["firing stall"]
        assert told.book.alarms[0].fired_at == 70

    def test_what_is_gone_within_its_hold_time_was_nothing(self) -> None:
        told = Told(stall=Terms(hold_s=60))
        told.at(10, "stall")
        assert told.at(30) == []
        assert told.book == Book()

    def test_a_pending_one_neither_fires_nor_goes_while_unknown(self) -> None:
        told = Told(stall=Terms(hold_s=60))
        told.at(10, "stall")
        assert told.at(100, unknown=("stall",)) == []
        assert told.at(110, "stall") == ["firing stall"]

    def test_what_is_found_is_no_less_so_because_the_rest_of_its_rule_is_unknown(self) -> None:
        told = Told(disk_full=PLAIN)
        assert told.at(10, "disk-full", unknown=("disk-full",)) == ["firing disk-full"]

    def test_each_key_is_an_alert_of_its_own(self) -> None:
        told = Told(slow_node=PLAIN)
        a, b = found("slow-node", key="gpu1"), found("slow-node", key="gpu2")
        assert told.at(10, a) == ["firing slow-node gpu1"]
        assert told.at(20, a, b) == ["firing slow-node gpu2"]
        assert told.at(30, b) == ["resolved slow-node gpu1"]

    def test_of_two_findings_of_one_alert_the_worse_counts(self) -> None:
        told = Told(stall=PLAIN)
        told.at(10, "stall", found("stall", "critical"), found("stall", "info"))
        assert [change.severity for change in told.changes] == ["critical"]

    def test_a_flood_of_one_rule_is_cut_the_worst_stay_and_others_come_through(self) -> None:
        told = Told(slow_node=PLAIN, stall=PLAIN)
        flood = [found("slow-node", key=str(n)) for n in range(400)]
        flood[399] = found("slow-node", "critical", key="399")
        said = told.at(10, *flood, "stall")
        assert said[0] == "firing slow-node 399"
        assert "firing stall" in said
        assert len(said) == len(told.book.alarms) == MOST_OF_A_RULE + 1


class TestWhatIsSaid:
    def test_everything_that_is_known(self) -> None:
        told = Told(stall=Terms(severity="critical"))
        known = found("stall", since=3.0, iteration=7, evidence=("a line",), cost="9 GPU-hours")
        told.at(10, replace(known, advice="look", labels={"phase": "save"}))
        (change,) = told.changes
        assert (change.at, change.run, change.since, change.severity) == (10, "run", 3, "critical")
        assert (change.iteration, change.evidence, change.cost) == (7, ("a line",), "9 GPU-hours")
        assert (change.advice, change.labels) == ("look", {"phase": "save"})

    def test_since_is_when_it_was_noticed_if_nobody_knows_better(self) -> None:
        for since in (None, float("nan"), float("inf")):
            told = Told(stall=Terms(hold_s=5))
            told.at(10, found("stall", since=since))
            told.at(20, found("stall", since=since))
            assert [change.since for change in told.changes] == [10]

    def test_trouble_did_not_begin_in_the_future(self) -> None:
        told = Told(stall=PLAIN)
        told.at(10, found("stall", since=99.0))
        assert told.changes[0].since == 10

    def test_the_newest_summary_is_the_one_that_is_resolved(self) -> None:
        told = Told(stall=PLAIN)
        told.at(10, "stall")
        assert told.at(20, found("stall", since=1.0, cost="8 GPU-hours")) == []
        told.at(30)
        assert (told.changes[0].since, told.changes[0].cost) == (1.0, "8 GPU-hours")


class TestSeverity:
    def test_a_rise_is_told_at_once_and_a_fall_is_not(self) -> None:
        told = Told(disk_full=PLAIN)
        said = [told.at(10, "disk-full"), told.at(20, found("disk-full", "critical"))]
        assert said == [["firing disk-full"]] * 2
        assert told.changes[0].severity == "critical"
        assert told.at(30, found("disk-full", "info")) == []
        assert told.book.alarms[0].severity == "info"

    def test_back_up_to_what_people_know_is_nothing_new(self) -> None:
        told = Told(disk_full=PLAIN)
        told.at(10, found("disk-full", "critical"))
        told.at(20, "disk-full")
        assert told.at(30, found("disk-full", "critical")) == []

    def test_a_repeat_tells_how_bad_it_is_now(self) -> None:
        told = Told(disk_full=Terms(repeat_s=100))
        told.at(10, found("disk-full", "critical"))
        assert told.at(110, "disk-full") == ["repeated disk-full"]
        assert told.at(120, found("disk-full", "critical")) == ["firing disk-full"]


class TestResolving:
    def test_at_once_without_a_clear_time(self) -> None:
        told = Told(stall=PLAIN)
        told.at(10, "stall")
        assert told.at(20) == ["resolved stall"]
        assert told.book.alarms == ()
        assert told.at(30) == []

    def test_unknown_is_not_resolved(self) -> None:
        told = Told(stall=PLAIN)
        told.at(10, "stall")
        assert told.at(20, unknown=("stall",)) == []
        assert told.at(30) == ["resolved stall"]

    def test_only_after_the_clear_time(self) -> None:
        told = Told(stall=Terms(clear_s=60, repeat_s=None))
        told.at(10, "stall")
        assert told.at(20) == []
        assert told.due == 80
        assert told.at(79) == []
        assert told.at(80) == ["resolved stall"]

    def test_what_comes_back_within_the_clear_time_is_the_same_alert(self) -> None:
        told = Told(stall=Terms(clear_s=60, repeat_s=None))
        told.at(10, "stall")
        told.at(20)
        assert told.at(50, "stall") == []
        assert told.at(90) == []
        assert told.at(150) == ["resolved stall"]

    def test_unknown_neither_ends_nor_restarts_the_clear_time(self) -> None:
        told = Told(stall=Terms(clear_s=60, repeat_s=None))
        told.at(10, "stall")
        told.at(20)
        assert told.at(90, unknown=("stall",)) == []
        assert told.at(91) == ["resolved stall"]

    def test_a_rule_that_is_switched_off_goes_without_a_word(self) -> None:
        told = Told(stall=PLAIN, crash=Terms(hold_s=60))
        told.at(10, "stall", "crash")
        told.terms = {}
        assert told.at(20, "stall", "crash", unknown=("stall",)) == ["resolved stall (silenced)"]
        assert told.book.alarms == ()


class TestClockJumps:
    def test_back_neither_fires_nor_resolves_nor_repeats(self) -> None:
        told = Told(stall=Terms(hold_s=60), crash=Terms(clear_s=60), blind=Terms(repeat_s=60))
        told.at(10_000, "crash", "blind")
        told.at(10_010, "stall", "blind")
        assert told.at(100, "stall", "blind") == []
        assert told.due == 160
        assert told.at(159, "stall", "blind") == []
        assert told.at(160, "stall", "blind") == [
            "resolved crash",
            "repeated blind",
            "firing stall",
        ]

    def test_back_nothing_in_the_book_is_of_a_time_to_come(self) -> None:
        told = Told(stall=Terms(clear_s=60))
        told.at(10_000, "stall")
        told.ask("ack", 10_000, "stall")
        told.at(10_010)
        told.at(100)
        (alarm,), (muted,) = told.book.alarms, told.book.muted
        times = (alarm.noticed_at, alarm.fired_at, alarm.cleared_at, alarm.told_at, muted.at)
        assert set(times) == {100}
        assert told.book.fired == {"stall": (100,)}
        assert told.book.told["stall"].at == 100

    def test_back_a_silence_stays_as_long_as_it_was_meant_to_be(self) -> None:
        told = Told(stall=PLAIN)
        told.ask("silence", 10_000, until=10_000 + HOUR_S)
        assert told.at(100, "stall") == ["firing stall (silenced)"]
        assert told.due == 100 + HOUR_S
        assert told.at(100 + HOUR_S, "stall") == ["firing stall"]


def test_an_empty_book_costs_nothing() -> None:
    verdict, terms = Verdict(at=1.0), {"stall": PLAIN}
    book = Book(fired={"stall": (0.5,)})
    assert settle(book, verdict, terms, "run") == (book, (), None)
    quickest = min(
        timeit.repeat(lambda: settle(book, verdict, terms, "run"), number=100, repeat=20)
    )
    assert quickest / 100 < 20e-6
