"""A read-only screen: whatever is pressed, nothing outside it changes; and it says so."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.app.tui.alarms import alarming
from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.fleetdriving import opened as fleet_opened
from tests.app.tui.fleets import FixedRun
from tests.app.tui.sources import FixedSource
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.keys import SECTIONS, WRITES
from trainwatch.app.tui.onlylooking import SAYS, OnlyLooking, writes
from trainwatch.core.errors import UsageError
from trainwatch.core.model.observations import AlertRequest

SIZE = (120, 40)
KEYS = [
    (section, key, spelling)
    for section, table in SECTIONS
    for key in table
    for spelling in key.keys.split(",")
]
ROOM = Path(__file__).parents[3] / "trainwatch" / "app" / "tui"


async def alert_picked(pilot: Pilot[None]) -> None:
    await pilot.press("A")
    await until(pilot, lambda: "acknowledged" in text_of(pilot), "the alerts")


def said(pilot: Pilot[None]) -> bool:
    return SAYS in text_of(pilot)


def test_the_keys_that_write_are_these() -> None:
    """One more is a decision: whether it is in this table says what a visitor may do."""
    assert {"acknowledge", "silence", "unmute", "picture", "png", "export"} == WRITES


def test_whatever_asks_the_source_or_the_disk_is_a_key_that_writes() -> None:
    """Who adds a request or a file to the screen comes by here."""
    asks = {
        path.name: len(
            re.findall(r"AlertRequest\(|\.ask\(|\bsave\(|save_picture\(|write_text|open\(", text)
        )
        for path in sorted(ROOM.rglob("*.py"))
        if (text := path.read_text())
    }
    assert {name: n for name, n in asks.items() if n} == {
        "alerts.py": 1,  # acknowledge, silence, unmute
        "feed.py": 1,  # the request, handed on
        "lower.py": 1,
        "program.py": 5,  # picture; png and export, each to its thread and in it
        "saving.py": 1,
    }


@pytest.mark.parametrize("pane", ["charts", "A", "evidence"])
async def test_every_key_there_is_changes_nothing(pane: str) -> None:
    source, pictures = FixedSource(alarming()), list[str]()

    def save(picture: str) -> str:
        pictures.append(picture)
        return ""

    views = list[str]()

    def save_view(pieces: Iterable[str]) -> str:
        views.extend(pieces)
        return ""

    saves = {"save_picture": save, "save_view": save_view, "save_png": save}
    async with opened(source, SIZE, read_only=True, **saves) as pilot:
        for _, key, spelling in KEYS:
            if key.action in ("app.quit", "app.keys", "app.search", "go_to"):
                continue  # they leave, or open what takes the next key
            if pane != "charts":
                await pilot.press("A" if pane == "evidence" else pane)
            if pane == "evidence":
                await pilot.press("enter")
            await pilot.press(spelling)
            while len(pilot.app.screen_stack) > 1:
                pilot.app.pop_screen()
            await pilot.pause()
    assert (source.requests, pictures, views) == ([], [], [])


@pytest.mark.parametrize("key", ["a", "s", "u", "S"])
async def test_a_key_that_writes_says_that_it_does_not(key: str) -> None:
    async with opened(alarming(), SIZE, read_only=True) as pilot:
        await alert_picked(pilot)
        await pilot.press(key)
        await until(pilot, lambda: said(pilot), "the reason")
        assert len(pilot.app.screen_stack) == 1, "nothing is asked that is then refused"


@pytest.mark.parametrize("key", ["a", "s", "u"])
async def test_and_so_it_does_where_all_of_an_alert_is_shown(key: str) -> None:
    async with opened(alarming(), SIZE, read_only=True) as pilot:
        await alert_picked(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "what to do" in text_of(pilot), "the alert")
        await pilot.press(key)
        await until(pilot, lambda: said(pilot), "the reason")


async def test_it_is_told_at_a_glance_and_offers_nothing_else() -> None:
    async with opened(alarming(), SIZE, read_only=True) as pilot:
        await alert_picked(pilot)
        shown = text_of(pilot)
        assert "read-only" in shown.splitlines()[0]
        assert "silence" not in shown.splitlines()[-1]
        await pilot.press("question_mark")
        await until(pilot, lambda: "this help" in text_of(pilot), "the help")
        assert "acknowledge it" not in text_of(pilot)
    async with opened(alarming(), SIZE) as pilot:
        await alert_picked(pilot)
        shown = text_of(pilot)
        assert "read-only" not in shown
        assert "s silence" in shown.splitlines()[-1]


async def test_behind_the_keys_the_source_takes_nothing() -> None:
    """The second wall, for a key that forgot to say that it writes."""
    source = FixedSource(alarming())
    async with opened(source, SIZE, read_only=True) as pilot:
        await alert_picked(pilot)
        app = pilot.app
        assert isinstance(app, ScreenApp)
        listing = app._lower.shown
        listing.action_acknowledge()  # type: ignore[attr-defined]
        await until(pilot, lambda: said(pilot), "the reason")
    assert source.requests == []
    with pytest.raises(UsageError, match="read-only"):
        OnlyLooking(source).ask(AlertRequest(at=0.0, ask="ack"))


async def test_neither_can_it_from_all_runs_nor_from_one_that_is_opened_there() -> None:
    async with fleet_opened(size=SIZE, run=lambda: FixedRun(alarming()), read_only=True) as (
        screen,
        pilot,
    ):
        await pilot.press("S")
        await until(pilot, lambda: said(pilot), "the reason")
        await pilot.press("enter")
        await until(pilot, lambda: "read-only" in text_of(pilot).splitlines()[0], "a run")
        await alert_picked(pilot)
        for key in ("a", "s", "u", "S"):
            await pilot.press(key)
            await until(pilot, lambda: said(pilot), "the reason")
        (_, opened_run), *_ = screen.runs
    assert (opened_run.requests, screen.pictures) == ([], [])


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("acknowledge", True),
        ("app.picture", True),
        (("", "silence", ()), True),
        ("app.lower('alerts')", False),
        ("dismiss('acknowledge')", False),  # closes a page; what follows is asked again
    ],
)
def test_which_actions_write(action: str, expected: bool) -> None:
    assert writes(action) is expected
