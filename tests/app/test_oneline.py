"""The line of a prompt: short, and nothing in it that whoever prints it would act upon."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from trainwatch.app.oneline import line
from trainwatch.core.cells import cells
from trainwatch.core.model.status import Alert, Status

WELL = Status(
    run="tr11",
    health="ok",
    reason="training",
    phase="train",
    iteration=95_000,
    target_iteration=146_746,
    step_time_s=105.2,
    loss=2.303,
    eta_s=792_000.0,
)
STALL = Alert(rule="stall", severity="critical", since=0.0, summary="no iteration for 2 h")
FULL = Alert(rule="disk-full", severity="warning", since=0.0, summary="95 %")
UNKNOWN = Status(run="tr8", health="unknown", reason="the log just stops", phase="train")


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([WELL], "tr11  ok  95,000/146,746  105.2 s/it  loss 2.303  ETA 9 d 4 h"),
        ([replace(WELL, phase="save")], "tr11  ok  save  95,000/146,746  105.2 s/it  loss 2.303"),
        ([replace(WELL, loss=None, loss_is_nan=True)], "105.2 s/it  loss NaN  ETA"),
        (
            [replace(WELL, health="critical", alerts=(FULL, STALL))],
            "tr11  critical  stall +1  95,000",
        ),
        ([replace(WELL, health="warning", reason="cancelled")], "ETA 9 d 4 h  cancelled"),
        ([replace(UNKNOWN, iteration=7, loss=2.3)], "tr8  unknown  7  the log just stops"),
        ([WELL, WELL], "2 runs: 2 ok"),
        ([WELL, UNKNOWN, WELL], "3 runs: 1 unknown, 2 ok  tr8  unknown  the log just stops"),
    ],
)
def test_what_is_said(statuses: list[Status], expected: str) -> None:
    assert expected in line(statuses)


def test_what_does_not_fit_is_left_out_from_the_end() -> None:
    assert line([WELL], 40) == "tr11  ok  95,000/146,746  105.2 s/it"
    long = replace(UNKNOWN, reason="because " * 50)
    assert line([long], 40) == "tr8  unknown  because because because..."


def test_foreign_words_are_nothing_but_words() -> None:
    name = "a#[fg=red]b#(touch x)%H`id`$(id)\\u!\x1b[31mc\u202ed\ne"
    assert line([replace(UNKNOWN, run=name)]).startswith("a_[fg=red]b_(touch x)_H_id_...  unknown")
    assert line([replace(UNKNOWN, run="語語", reason="\t\n")]) == "語語  unknown"


@given(st.text(), st.text(), st.text(), st.integers(20, 120))
def test_whatever_others_wrote_it_is_one_short_harmless_line(
    run: str, reason: str, rule: str, width: int
) -> None:
    alert = replace(STALL, rule=rule)
    told = (
        Status(run=run, health="warning", reason=reason),
        Status(run=run, health=reason, alerts=(alert,)),
    )
    for said in (line(told[:1], width), line(told[1:], width), line(told, width)):
        assert cells(said) <= width
        assert all(character.isprintable() for character in said)
        assert not set(said) & set("#%$`\\!\"'<>&|;{}~^*?")
