"""The list of all runs as it is drawn: only what changed, in any size, whatever words there are."""

import pytest
from msgspec.structs import replace

from tests.app.tui.driving import steady, text_of, until
from tests.app.tui.fleetdriving import opened
from tests.app.tui.fleets import HOSTILE, fleet, hostile, many
from trainwatch.app.tui.fleetcells import COLUMNS, brief, fitting, sparkline

SIZES = ((60, 15), (80, 24), (120, 40), (200, 60))


async def test_what_is_in_view_is_asked_for() -> None:
    async with opened(many(), (80, 24)) as (screen, pilot):
        await pilot.press("end")
        wanted = screen.listing.in_view
        assert 10 < len(wanted) < 24
        await until(pilot, lambda: screen.source.asked[-1] == wanted, "the last runs")


async def test_a_row_that_did_not_change_is_drawn_once() -> None:
    async with opened(many(), (120, 40)) as (screen, pilot):
        before = dict(screen.listing._strips)
        seen = many()
        changed = replace(seen.rows[10], iteration=7)
        screen.show(replace(seen, rows=(*seen.rows[:10], changed, *seen.rows[11:])))
        await steady(pilot)
        assert len(screen.listing._strips.keys() - before.keys()) <= 1
        await pilot.press("t")
        await steady(pilot)
        assert screen.app.theme == "light"
        old = {id(strip) for _, strip in before.values()}
        assert not old & {id(strip) for _, strip in screen.listing._strips.values()}


async def test_reading_that_hangs_is_said() -> None:
    async with opened(size=(80, 24)) as (screen, pilot):
        screen.app._fleet_feed.close()

        def hangs() -> bool:
            """What was read before may still be on its way: then reading does not hang yet."""
            screen.app._screen_of_all._check()
            return "reading hangs" in text_of(pilot)

        await until(pilot, hangs, "that reading hangs")
        screen.show(fleet(unread=3, trouble="no log matches"))
        await pilot.pause()
        assert "the list of runs is old: no log matches · 3 not read yet" in text_of(pilot)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_hostile_words(number: int) -> None:
    text = HOSTILE[number]
    async with opened(hostile(text), (200, 30)) as (screen, pilot):
        shown = text_of(pilot)
        for key in ("g", "g", "down", "s", "escape", "slash", "escape"):
            await pilot.press(key)
            await pilot.pause()
            shown += text_of(pilot)
        screen.listing.text = text
        screen.listing.rearrange()
        await pilot.pause()
        shown += text_of(pilot)
        assert pilot.app.is_running
        assert sorted({c for c in shown.replace("\n", "") if not c.isprintable()}) == []
        assert "[/bold]" in shown or "[/bold]" not in text


@pytest.mark.parametrize("size", [*SIZES, (20, 3), (300, 80)], ids=str)
async def test_no_line_is_wider_than_the_screen(size: tuple[int, int]) -> None:
    async with opened(many(), size) as (screen, pilot):
        await pilot.press("g", "pagedown")
        await steady(pilot)
        assert {row.cell_length for row in screen.listing._shown} <= {size[0]}
        assert {strip.cell_length for _, strip in screen.listing._strips.values()} <= {size[0]}


@pytest.mark.parametrize(
    ("width", "last"), [(60, "alerts"), (80, "alerts"), (120, "queue"), (200, "why"), (8, "run")]
)
def test_the_least_important_columns_are_left_out_first(width: int, last: str) -> None:
    columns = fitting(width)
    assert columns[-1].key == last
    assert sum(column.width + 1 for column in columns) <= max(width, 25)
    highest = max(column.rank for column in columns)
    kept = {column.key for column in columns}
    assert all(column.rank > highest for column in COLUMNS if column.key not in kept)


def test_what_is_grouped_by_is_no_column() -> None:
    assert "project" not in {column.key for column in fitting(300, "project")}


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, ""),
        (float("nan"), ""),
        (-5.0, "0s"),
        (59.9, "59s"),
        (60.0, "1m"),
        (43_199.0, "11h 59m"),
        (86_400.0, "1d 0h"),
        (999 * 86_400.0 + 86_399, "999d 23h"),
        (1e8, "1157d"),
        (1e12, "years"),
    ],
)
def test_lengths_of_time(seconds: float | None, shown: str) -> None:
    assert brief(seconds) == shown


NAN = float("nan")
BARS: list[tuple[tuple[float, ...], str]] = [
    ((), ""),
    ((NAN, NAN), ""),
    ((100.0, 100.0), "▆▆"),
    ((100.0, 95.0, 91.0), "▆▅▄"),
    ((100.0, 99.0, 101.0), "▆▆▆"),
    ((100.0, 80.0, NAN, 90.0), "▆▁ ▃"),
    ((100.0, 0.0, 50.0), "▆▁▃"),
    ((0.0, 0.0), "▁▁"),
    ((1e308, -1e308, 50.0), "  ▆"),
    ((float("inf"),), ""),
    ((5e-324, 0.0), "▆▁"),
]


@pytest.mark.parametrize(("speeds", "shown"), BARS)
def test_bars(speeds: tuple[float, ...], shown: str) -> None:
    assert sparkline(speeds) == shown
