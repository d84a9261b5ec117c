"""Clean text, numbers, stamps and ranks."""

import math

import pytest

from tests.core.logs.reading import at
from trainwatch.core.logs import text


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (b"plain", "plain"),
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b[38;2;180;60;0mdeep\x1b[39m", "deep"),
        (b"\x1b[2J\x1b[H\x1b[3Jtop", "top"),
        (b"\x1b]0;title\x07behind", "behind"),
        (b"\x1b]0;title\x1b\\behind", "behind"),
        (b"\x1b(Bcharset", "charset"),
        (b"\x1b[", ""),
        (b"\x1b", ""),
        (b"a\0b\x08c\x7fd\te", "abcd\te"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ("█ö€".encode(), "█ö€"),
        ("█".encode()[:2], "\ufffd"),
        (b"", ""),
    ],
)
def test_plain(raw: bytes, clean: str) -> None:
    assert text.plain(raw) == clean


def test_plain_is_never_longer_than_a_line_may_be() -> None:
    assert len(text.plain(b"x" * (2 * text.LONGEST_LINE))) == text.LONGEST_LINE


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("1", 1.0),
        ("-1.5", -1.5),
        ("+1.5", 1.5),
        ("1.", 1.0),
        ("1,234,567.8", 1234567.8),
        ("6.976744E-08", 6.976744e-08),
        ("1e5", 1e5),
        ("1e+05", 1e5),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
        ("1e999", math.inf),
        ("", None),
        ("-", None),
        (".", None),
        (".5", None),
        (",1", None),
        ("1.2.3", None),
        ("1e", None),
        ("1e5.5", None),
        ("0x10", None),
        ("1_000", None),
        (" 1", None),
        ("1 ", None),
        ("nano", None),
        ("info", None),
    ],
)
def test_number(printed: str, number: float | None) -> None:
    assert text.number(printed) == number


def test_nan_is_a_number() -> None:
    assert all(math.isnan(text.number(n) or 0.0) for n in ("nan", "NaN", "NAN", "-nan"))


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("8.79K", 8790.0),
        ("480B", 480e9),
        ("634K", 634e3),
        ("1.6M", 1.6e6),
        ("85.8G", 85.8e9),
        ("1.2T", 1.2e12),
        ("45", 45.0),
        ("0.00869", 0.00869),
        ("K", None),
        ("", None),
        ("8.79k", None),
        ("8KK", None),
    ],
)
def test_short_number(printed: str, number: float | None) -> None:
    assert text.short_number(printed) == number


@pytest.mark.parametrize(
    ("printed", "seconds"),
    [
        ("19:29:30", 70170.0),
        ("1:03:17", 3797.0),
        ("27:56", 1676.0),
        ("131 days, 1:45:39", 11324739.0),
        ("1 day, 00:00:01", 86401.0),
        ("43:24:54", 156294.0),
        ("12", None),
        ("", None),
        ("1:2:3:4", None),
        ("a:b", None),
        ("x days, 1:00", None),
    ],
)
def test_duration(printed: str, seconds: float | None) -> None:
    assert text.duration(printed) == seconds


@pytest.mark.parametrize(
    ("line", "stamp"),
    [
        ("[2021-08-08 01:00:44,221] [INFO]", at("2021-08-08 01:00:44.221")),
        ("2021-08-08 01:00:44", at("2021-08-08 01:00:44")),
        ("2021-08-08T01:00:44.123456789", at("2021-08-08 01:00:44") + 0.123456789),
        ("01/17/2024 13:47:27 [INFO", at("2024-01-17 13:47:27")),
        ("12/21 01:39:51 [INFO", at(f"{text.NO_YEAR}-12-21 01:39:51")),
        ("02/29 01:39:51 [INFO", at(f"{text.NO_YEAR}-02-29 01:39:51")),
        ("[20251202 09:12:08]", at("2025-12-02 09:12:08")),
        ("first 2021-08-08 01:00:44 then 2022-08-08 01:00:44", at("2021-08-08 01:00:44")),
        ("2021-13-08 01:00:44", None),
        ("2021-02-30 01:00:44", None),
        ("2021-08-08 25:00:44", None),
        ("2021-08-08 01:00:60", None),
        ("0000-08-08 01:00:44", None),
        ("9999-12-31 23:59:59", at("9999-12-31 23:59:59")),
        ("01:00:44", None),
        ("", None),
    ],
)
def test_stamp(line: str, stamp: float | None) -> None:
    assert text.stamp(line) == pytest.approx(stamp)


@pytest.mark.parametrize(
    ("line", "speaker"),
    [
        ("[default7]: iteration", "rank7"),
        ("[rank12]:x", "rank12"),
        ("[Rank 3] x", "rank3"),
        ("Rank 3 x", "rank3"),
        ("rank3: x", "rank3"),
        ("230: x", "230"),
        ("  1: x", "1"),
        ("[host-name:1]: x", "host-name:1"),
        ("[host]: x", "host"),
        ("iteration 10/100", ""),
        ("12:30:01 x", ""),
        ("[2021-08-08 01:00:44] x", ""),
        ("[exiting program after 1 minutes]", ""),
        ("", ""),
        ("   ", ""),
    ],
)
def test_speaker(line: str, speaker: str) -> None:
    assert text.speaker(line) == speaker


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (5.0, 5),
        (0.0, 0),
        (-1.0, None),
        (math.nan, None),
        (math.inf, None),
        (2.0**53, None),
        (None, None),
    ],
)
def test_count(value: float | None, count: int | None) -> None:
    assert text.count(value) == count


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("1,602", 1602),
        (" 12 ", 12),
        ("9" * 15, 10**15 - 1),
        ("9" * 16, None),
        ("-1", None),
        ("", None),
        ("²", None),
    ],
)
def test_whole(printed: str, number: int | None) -> None:
    assert text.whole(printed) == number
