"""What scripts are called, what is quoted of them, and what of a ledger counts."""

import time

import pytest

from trainwatch.core import scripting
from trainwatch.core.model.scripts import Begun, Ended, Ledger, Place, Script

NAMES = {
    "one of each": (("/h/cron.hourly",), ("/h/cron.daily",), ["cron.hourly", "cron.daily"]),
    "two people": (
        ("/h/ada/cron.hourly", "/h/bob/cron.hourly"),
        (),
        ["ada/cron.hourly", "bob/cron.hourly"],
    ),
    "one inside another": (("/a/b", "/b"), (), ["a/b", "/b"]),
    "one for both": (("/h/chores",), ("/h/chores",), ["hourly:chores", "daily:chores"]),
    "twice the same": (("/h/x", "/h/x"), (), ["x"]),
    "none": ((), (), []),
}


@pytest.mark.parametrize(("hourly", "daily", "labels"), NAMES.values(), ids=NAMES.keys())
def test_folders_are_told_apart(
    hourly: tuple[str, ...], daily: tuple[str, ...], labels: list[str]
) -> None:
    places = scripting.places({"hourly": hourly, "daily": daily})
    assert [place.label for place in places] == labels
    scripts = [Script(place=place, name="du") for place in places]
    assert len({s.key for s in scripts}) == len({s.output for s in scripts}) == len(scripts)
    assert len({s.label for s in scripts}) == len(scripts)


def test_a_second_folder_changes_no_file_of_the_first() -> None:
    (one,) = scripting.places({"hourly": ("/h/ada/x",)})
    first, second = scripting.places({"hourly": ("/h/ada/x", "/h/bob/x")})
    assert one.suffix == first.suffix == ""
    assert second.suffix.startswith("@")


QUOTED = {
    "nothing": ("", ""),
    "the last three lines": ("a\nb\n\nc\nd\n", "b | c | d"),
    "colours": ("\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x"),
    "control characters": ("a\x00b\x08c\rd", "a b c | d"),
    "text from right to left": ("a\u202eb", "a b"),
    "a token": ("export HF_TOKEN=hf_abcdefghijklmnopqrst", "export HF_TOKEN=***"),
    "a token that colours cut": ("hf_abc\x1b[1mdefghijklmnopqrst", "***"),
    "a key over many lines": ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nABCD\nEFGH\nIJKL\n", "***"),
    "what is no text": (b"\xff\xfe x".decode("utf-8", "replace"), "�� x"),
}


@pytest.mark.parametrize(("tail", "shown"), QUOTED.values(), ids=QUOTED.keys())
def test_what_is_quoted(tail: str, shown: str) -> None:
    assert scripting.quoted(tail) == shown


@pytest.mark.parametrize(
    "piece", ["a", "eyJ", "://", "webhook", "https://webhook", "\x1b]", "\n", "-----BEGIN ", "x="]
)
def test_hostile_output_is_quoted_in_no_time(piece: str) -> None:
    began = time.process_time()
    shown = scripting.quoted(f"https://{piece * (64 * 1024 // len(piece))}"[: 64 * 1024])
    assert len(shown) <= 400
    assert time.process_time() - began < 2.0


PLACE = Place(period="hourly", folder="/h/x", label="x")
RUN = Begun(began=100.0, label="x/du", outcome="ok")


def test_the_later_run_counts() -> None:
    later = Begun(began=200.0, label="x/du", outcome="ok")
    file, mine = Ledger(scripts={"k": later}), Ledger(scripts={"k": RUN})
    assert scripting.merged(file, mine).scripts["k"] == later
    assert scripting.merged(mine, file).scripts["k"] == later
    assert scripting.merged(file, mine, {"k"}).scripts["k"] == RUN  # it could not be written yet
    assert scripting.merged(Ledger(), mine).scripts["k"] == RUN  # somebody removed the file


def test_what_was_damaged_once_is_known_to_be() -> None:
    assert scripting.merged(Ledger(since=5.0), Ledger()).since == 5.0
    assert scripting.merged(Ledger(since=5.0), Ledger(since=9.0)).since == 9.0


def test_what_is_gone_for_long_is_forgotten() -> None:
    day = 86_400.0
    ledger = Ledger(scripts={"there": RUN, "gone": RUN})
    assert scripting.tidied(ledger, ["there"], 30 * day) == ledger
    assert set(scripting.tidied(ledger, ["there"], 50 * day).scripts) == {"there"}


ENDS = {
    "well": (Ended(exit_code=0, took_s=3.0, tail="done"), "ok", ""),
    "badly": (Ended(exit_code=2, tail="no room"), "failed", "no room"),
    "by its deadline": (Ended(exit_code=None), "ended", "was ended after its deadline"),
    "by us": (Ended(exit_code=None, how="was stopped", tail="x"), "ended", "was stopped: x"),
    "by a signal": (
        Ended(exit_code=137, how="was killed by SIGKILL"),
        "failed",
        "was killed by SIGKILL",
    ),
}


@pytest.mark.parametrize(("ended", "outcome", "why"), ENDS.values(), ids=ENDS.keys())
def test_ends(ended: Ended, outcome: str, why: str) -> None:
    run = scripting.finished(RUN, ended)
    assert (run.outcome, run.why, run.bad) == (outcome, why, outcome != "ok")
    seen = scripting.reading(run, ended, 9.0)
    assert (seen.script, seen.exit_code, seen.at) == ("x/du", ended.exit_code, 9.0)


def test_a_file_that_is_left_out_is_shown_as_text() -> None:
    said = scripting.left_out(PLACE, "a\nb\x1b[2J" + "c" * 500, "it is not executable")
    assert said.name.startswith("x/a b [2J")
    assert len(said.name) < 100
    assert said.why == "not run: it is not executable"
