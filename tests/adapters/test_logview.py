"""Looking at a log here and there: the lines are those of the file, whatever it holds, in bounded memory."""

import random
import re
import tracemalloc
from pathlib import Path

import pytest

from trainwatch.adapters import logview
from trainwatch.adapters.logview import LONGEST, TEXT_BYTES, LogView
from trainwatch.core.logs.moments import moment_of
from trainwatch.core.model.snapshot import Search


def go_on(_: int) -> bool:
    return False


def write(folder: Path, data: bytes) -> LogView:
    path = folder / "main_log.txt"
    path.write_bytes(data)
    return LogView(path)


def find(view: LogView, text: str, place: int = 0, *, up: bool = False) -> int | None:
    return view.find(Search(text=text, place=place, backwards=up), go_on)


def texts(view: LogView, place: int | None, lines: int) -> list[str]:
    return [line.text for line in view.page(place, lines).lines]


THREE = b"one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\n", ["one"]),
        (THREE, ["one", "two", "three"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"50%\r100%\rdone\n", ["50%", "100%", "done"]),
        (b"\n\nend", ["", "", "end"]),
        (b"a\x1b[31mred\x1b[0m\x00\x07\n", ["ared"]),
        (b"\xff\xfe\n", ["\ufffd\ufffd"]),
    ],
)
def test_the_last_lines(tmp_path: Path, data: bytes, expected: list[str]) -> None:
    page = write(tmp_path, data).page(None, 10)
    assert [line.text for line in page.lines] == expected
    assert page.end == page.size == len(data)


def test_a_page_surrounds_its_place(tmp_path: Path) -> None:
    view = write(tmp_path, b"".join(b"line %d\n" % n for n in range(100)))
    assert texts(view, 7 * 10 + 3, 4) == ["line 8", "line 9", "line 10", "line 11"]
    assert texts(view, 0, 2) == ["line 0", "line 1"]
    assert texts(view, 10**9, 2) == ["line 98", "line 99"]


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    view = LogView(tmp_path / "none.txt")
    assert view.size() is None
    assert view.page(None, 10).trouble.endswith("none.txt does not exist")
    assert LogView(tmp_path).page(None, 10).trouble


@pytest.mark.parametrize("seed", range(8))
def test_lines_are_those_of_the_file(tmp_path: Path, seed: int) -> None:
    """Any lengths, any line ends, any place: a page is a run of lines of the file."""
    chance = random.Random(seed)
    bodies = [b"%d:" % n + b"x" * chance.choice((0, 3, 200, 70_000)) for n in range(40)]
    data, starts = b"", []
    for body in bodies:
        starts.append(len(data))
        data += body + chance.choice((b"\n", b"\r\n", b"\r"))
    view = write(tmp_path, data)
    for place in [None, *(chance.randrange(len(data)) for _ in range(20))]:
        for count in (1, 5, 100):
            page = view.page(place, count)
            first = starts.index(page.lines[0].offset)
            shown = range(first, first + len(page.lines))
            assert [line.offset for line in page.lines] == [starts[n] for n in shown]
            assert [line.text for line in page.lines] == [
                bodies[n][:TEXT_BYTES].decode() for n in shown
            ]


def test_a_line_of_100_mb_costs_little(tmp_path: Path) -> None:
    view = write(tmp_path, b"first\n" + b"x" * 100_000_000 + b"\nlast\n")
    tracemalloc.start()
    page = view.page(50_000_000, 100)
    assert texts(view, None, 1) == ["last"]
    assert texts(view, 0, 1) == ["first"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * LONGEST
    assert all(len(line.text) <= TEXT_BYTES for line in page.lines)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two", "two"),
        ("TWO", None),
        ("t.o", "two"),
        ("^three$", "three"),
        ("THREE|two", "two"),
        ("(", None),
        ("[0", None),
        ("nothing", None),
    ],
)
def test_searching(tmp_path: Path, text: str, expected: str | None) -> None:
    view = write(tmp_path, THREE)
    found = find(view, text)
    assert (texts(view, found, 1) if found is not None else None) == (
        [expected] if expected else None
    )


def test_text_that_is_no_pattern_is_found_as_it_is(tmp_path: Path) -> None:
    view = write(tmp_path, b"a\n[default7]: x (\n")
    assert find(view, "x (") == 2
    assert find(view, "[default7]: x (") == 2


def test_lower_case_finds_both(tmp_path: Path) -> None:
    view = write(tmp_path, b"a\nError\n")
    assert find(view, "error") == find(view, "Error") == find(view, "err.r") == 2
    assert find(view, "ERROR") is None


def test_up_and_down_step_from_match_to_match(tmp_path: Path) -> None:
    data = b"".join(
        b"line %05d %s\n" % (n, b"hit" if n % 1000 == 7 else b"") for n in range(50_000)
    )
    view = write(tmp_path, data)
    hits = [match.start() for match in re.finditer(rb"^.*hit$", data, re.MULTILINE)]
    for text in ("hit", "h.t"):
        down, place = [], 0
        while (found := find(view, text, place)) is not None:
            down.append(found)
            place = found + 1 + data[found:].index(b"\n")
        assert down == hits
        up, place = [], len(data)
        while (found := find(view, text, place, up=True)) is not None:
            up.append(found)
            place = found
        assert up == hits[::-1]


def test_colours_do_not_hide_a_match(tmp_path: Path) -> None:
    view = write(tmp_path, b"a\n\x1b[31mstep:\x1b[39m  2  \x1b[32mloss: \x1b[0m 7.7\n")
    assert find(view, r"step:  2  loss:  7\.7") == 2
    assert find(view, "step:  2", 1000, up=True) == 2


def test_a_search_can_be_stopped(tmp_path: Path) -> None:
    view = write(tmp_path, b"x\n" * 2_000_000)
    asked: list[int] = []

    def stop(at: int) -> bool:
        asked.append(at)
        return len(asked) == 3

    assert view.find(Search(text="nothing"), stop) is None
    assert len(asked) == 3
    assert asked == sorted(asked)


def test_a_search_needs_no_memory(tmp_path: Path) -> None:
    view = write(tmp_path, b"line of a log\n" * 2_000_000)
    tracemalloc.start()
    assert find(view, "nothing") is None
    assert find(view, "noth.ng", 10**9, up=True) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * logview._SEARCH_BLOCK


def stamped(folder: Path, hours: int = 400) -> tuple[LogView, list[int]]:
    """A log with a stamped line an hour from 2026-11-01 on, noise between; where those lines begin."""
    chance, data, starts = random.Random(1), b"", list[int]()
    for hour in range(hours):
        starts.append(len(data))
        data += b"[2026-11-%02d %02d:00:00,123] [INFO] said\n" % (1 + hour // 24, hour % 24)
        data += b"[default0]: noise of any length\n" * chance.choice((0, 1, 30, 3000))
    return write(folder, data), starts


def at(view: LogView, typed: str) -> int | None:
    return view.find(Search(moment=moment_of(typed)), go_on)


def test_a_time_is_found_in_the_log_s_own_time(tmp_path: Path) -> None:
    view, starts = stamped(tmp_path)
    assert at(view, "2026-11-02 05:00") == starts[29]
    assert at(view, "2026-11-02 05:01") == starts[30]
    assert at(view, "-100h") == starts[399 - 100]
    assert at(view, "15:00") == starts[399]
    assert at(view, "16:00") == starts[399 - 23]
    assert at(view, "2020-01-01") == starts[0]
    assert at(view, "2030-01-01") == starts[399]


def test_where_lines_tell_no_time_none_is_found(tmp_path: Path) -> None:
    assert at(write(tmp_path, b"step 1\n" * 1000), "14:30") is None
    assert at(write(tmp_path, b""), "14:30") is None


def test_looking_for_a_time_reads_little_and_can_be_stopped(tmp_path: Path) -> None:
    view, _ = stamped(tmp_path)
    asked: list[int] = []

    def stop(at: int) -> bool:
        asked.append(at)
        return False

    assert view.find(Search(moment=moment_of("2026-11-09")), stop) is not None
    assert 0 < len(asked) < 20
    assert view.find(Search(moment=moment_of("2026-11-09")), lambda at: True) is None
