"""The names of keys that changed: never a value."""

import pytest

from trainwatch.app import changed, config

RUNS = '[[runs]]\nname = "a"\nlog = "a.log"\n[[runs]]\nname = "b"\nlog = "b.log"\n'
TABLE = [
    ("", "poll_interval_s = 5", ["poll_interval_s"]),
    ("", "[alerts.throughput-drop]\nseverity = 'info'", ["alerts.throughput-drop.severity"]),
    ("", RUNS, ["runs.a", "runs.b"]),
    (
        RUNS,
        RUNS.replace("[[runs]]", "[[runs]]\nmodel.seq_length = 7", 1),
        ["runs.a.model.seq_length"],
    ),
    (
        "[receivers.slack]\nurl_env = 'A'",
        "[receivers.slack]\nurl_env = 'B'\n[receivers.mail]\nurl_env = 'C'",
        ["receivers.slack.url_env", "receivers.mail"],
    ),
]


@pytest.mark.parametrize(("before", "after", "keys"), TABLE)
def test_keys_that_changed_are_named(before: str, after: str, keys: list[str]) -> None:
    assert changed.names(config.parse(before), config.parse(after)) == keys


def test_a_place_is_named_by_its_number_because_it_may_be_a_url() -> None:
    old, new = (
        config.parse(RUNS + f"[[runs.checkpoints.backups]]\nto = '{to}'\nevery = 1\n")
        for to in ("/one", "/two")
    )
    assert changed.names(old, new) == ["runs.b.checkpoints.backups.0.to"]


def test_a_run_more_at_the_top_does_not_change_the_others() -> None:
    more = '[[runs]]\nname = "new"\nlog = "new.log"\n'
    assert changed.names(config.parse(RUNS), config.parse(more + RUNS)) == ["runs.new"]


def test_an_order_that_changed_is_a_change_of_the_table() -> None:
    first, second = RUNS.split("[[runs]]")[1:]
    turned = f"[[runs]]{second}[[runs]]{first}"
    assert changed.names(config.parse(RUNS), config.parse(turned)) == ["runs"]


def test_of_many_keys_the_first_are_named() -> None:
    keys = [f"runs.r{number}" for number in range(9)]
    assert (
        changed.in_words(keys) == "runs.r0, runs.r1, runs.r2, runs.r3, runs.r4, runs.r5 and 3 more"
    )
