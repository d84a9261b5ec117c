"""What people read: plain text for a phone, without control characters and secrets."""

from tests.core.news import AT, STALL, firing, resolved
from trainwatch.core.message import BODY_CHARS, compose, foreign, line
from trainwatch.core.model.telling import Sending


def sending(*changes: object, **fields: object) -> Sending:
    return Sending(receiver="slack", at=AT, changes=changes, **fields)  # type: ignore[arg-type]


def test_an_alert_reads_well() -> None:
    message = compose(sending(STALL), utc_offset_s=3600)
    assert message.title == "CRITICAL tr11-176B: stall"
    assert message.body.splitlines() == [
        "no iteration for 1 h 12 min, where 105 s are usual",
        "Since 22:01 (1 h 12 min), iteration 95,000",
        "Cost so far: 461 GPU-hours",
        "> iteration    95000/  115311 | loss 2.3E+00 |",
        "> [default7]: NCCL timeout",
        "Do: look at node r7i4n2, then cancel the job: a new one resumes",
        "Not again: trainwatch alerts ack stall",
    ]


def test_the_end_of_one_says_how_long_it_was_and_asks_for_nothing() -> None:
    message = compose(Sending(receiver="slack", at=AT + 600, changes=(resolved(evidence=()),)))
    assert message.title == "RESOLVED tr11-176B: stall"
    assert message.body.splitlines() == [
        "no iteration for 1 h 12 min, where 105 s are usual",
        "From 21:01 to 22:23 (1 h 22 min), iteration 95,000",
        "Cost so far: 461 GPU-hours",
    ]


def test_a_time_of_another_day_has_its_date() -> None:
    message = compose(sending(firing(since=AT - 2 * 86_400)))
    assert "Since 2023-11-12 22:13 (2 d)" in message.body


def test_several_are_told_in_full_and_the_rest_in_a_line_each() -> None:
    changes = [STALL, *(firing("disk-full", key=f"d{n}", severity="warning") for n in range(4))]
    message = compose(sending(*changes, dropped=2))
    assert message.title == "CRITICAL tr11-176B: stall and 4 more"
    parts = message.body.split("\n\n")
    assert [part.splitlines()[0] for part in parts[:3]] == [
        "CRITICAL tr11-176B: stall",
        "WARNING tr11-176B: disk-full d0",
        "WARNING tr11-176B: disk-full d1",
    ]
    assert [one.partition(":")[0] for one in parts[3].splitlines()] == ["- WARNING tr11-176B"] * 2
    assert parts[4] == "2 older messages could not be sent and are lost."
    assert compose(sending(STALL, digest=True)).title == "digest: CRITICAL tr11-176B: stall"


def test_foreign_words_are_harmless() -> None:
    nasty = firing(
        summary="\x1b[31mred\x1b[0m\nand more\u202e",
        evidence=("x" * 100_000, "HF_TOKEN=hf_abcdefghijklmnop", "", *(str(n) for n in range(9))),
        key="a b; rm -rf $HOME",
        advice="[link](http://u:pw123@host/)",
    )
    text = compose(sending(nasty)).body
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "pw123" not in text
    assert "Not again: trainwatch alerts ack stall --key 'a b; rm -rf $HOME'" in text
    assert text.count("\n> ") == 6
    assert len(compose(sending(*[nasty] * 30)).body) <= BODY_CHARS


def test_a_secret_is_masked_before_it_is_cut() -> None:
    text = foreign("a" * 50 + " hf_" + "b" * 40, 60)
    assert "hf_b" not in text


def test_a_line_of_a_log_of_logs_begins_as_ours() -> None:
    assert line(firing(evidence=())) == (
        "trainwatch: 2023-11-14 22:13:20 CRITICAL tr11-176B: stall: "
        "no iteration for 1 h 12 min, where 105 s are usual"
    )
    assert "\n" not in line(firing(summary="a\nb", run="x\ry"))
