"""Asking the watcher to acknowledge, silence and unmute, from the pane and from all of an alert."""

import pytest
from msgspec.structs import replace
from textual.widgets import Input

from tests.app.tui.alarms import BOOK, STALL, alarming
from tests.app.tui.alertpane import asked, said
from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.histories import NOW
from tests.app.tui.sources import FixedSource
from trainwatch.app.tui.alerts import how_long
from trainwatch.app.tui.evidence import Evidence
from trainwatch.app.tui.prompt import Prompting
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.alerts import Muted

ONE = replace(BOOK, alarms=(STALL,), muted=())


async def test_acknowledging() -> None:
    source = FixedSource(alarming())
    async with opened(source, (80, 24)) as pilot:
        request = await asked(pilot, source, "A", "down", "a")
        assert (request.ask, request.rule, request.key) == ("ack", "slow-node", "r7i6n0")
        assert request.until is None
        expected = "asked: acknowledge slow-node r7i6n0; its watcher acts on it at its next look"
        assert expected[:70] in text_of(pilot)


async def test_what_is_pending_cannot_be_acknowledged() -> None:
    source = FixedSource(alarming())
    async with opened(source, (80, 24)) as pilot:
        await pilot.press("A", "down", "down", "a")
        await until(pilot, lambda: "pending" in said(pilot), "why not")
        assert source.requests == []


@pytest.mark.parametrize(
    ("typed", "length_s", "why"),
    [
        ("", 4 * 3600, ""),
        ("90m", 5400, ""),
        ("2d node 17 is drained", 172_800, "node 17 is drained"),
    ],
)
async def test_silencing(typed: str, length_s: float, why: str) -> None:
    source = FixedSource(alarming())
    async with opened(source, (80, 24)) as pilot:
        await pilot.press("A", "s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Prompting), "the prompt")
        await until(pilot, lambda: "silence stall for how long" in text_of(pilot), "its words")
        pilot.app.screen.query_one(Input).value = typed
        request = await asked(pilot, source, "enter")
        assert (request.ask, request.rule, request.key) == ("silence", "stall", "")
        assert request.until == request.at + length_s
        assert request.why == why


@pytest.mark.parametrize("keys", [("escape",), ("x", "enter"), ("0", "enter"), ("-", "enter")])
async def test_no_time_is_no_silence(keys: tuple[str, ...]) -> None:
    source = FixedSource(alarming())
    async with opened(source, (80, 24)) as pilot:
        await pilot.press("A", "s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Prompting), "the prompt")
        await pilot.press(*keys)
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "the end of it")
        if keys[-1] == "enter":
            await until(pilot, lambda: "says no time; write 4h" in said(pilot), "what is wrong")
        assert source.requests == []


@pytest.mark.parametrize(("down", "rule"), [(1, "slow-node"), (3, "log-flood")])
async def test_unmuting_an_alert_and_a_silence(down: int, rule: str) -> None:
    source = FixedSource(alarming())
    async with opened(source, (80, 24)) as pilot:
        request = await asked(pilot, source, "A", *["down"] * down, "u")
        assert (request.ask, request.rule, request.key) == ("unmute", rule, "")


async def test_an_alert_that_a_silence_of_all_rules_covers_is_unmuted_with_it() -> None:
    everything = Muted(kind="silenced", at=NOW - 60, until=NOW + 60)
    source = FixedSource(alarming(replace(ONE, muted=(everything,))))
    async with opened(source, (80, 24)) as pilot:
        request = await asked(pilot, source, "A", "u")
        assert (request.ask, request.rule) == ("unmute", "")
        assert "all rules" in said(pilot)


@pytest.mark.parametrize(("key", "ask"), [("a", "ack"), ("u", "unmute")])
async def test_the_keys_work_over_the_evidence_too(key: str, ask: str) -> None:
    source = FixedSource(alarming())
    async with opened(source, (80, 24)) as pilot:
        await pilot.press("A", "down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Evidence), "the evidence")
        request = await asked(pilot, source, key)
        assert (request.ask, request.rule) == (ask, "slow-node")
        assert len(pilot.app.screen_stack) == 1


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (StoreUnusable("cannot leave the request in /x: Permission denied"), "Permission denied"),
        (OSError(5, "Input/output error"), "Input/output error"),
    ],
)
async def test_why_nothing_can_be_asked_is_told(error: Exception, text: str) -> None:
    source = FixedSource(alarming())
    source.refuse = error
    async with opened(source, (80, 24)) as pilot:
        await pilot.press("A", "a")
        await until(pilot, lambda: text in said(pilot), text)


async def test_where_nobody_watches_that_is_told() -> None:
    source = FixedSource(replace(alarming(), watching="nobody"))
    async with opened(source, (80, 24)) as pilot:
        await asked(pilot, source, "A", "a")
        assert "nobody watches now" in said(pilot)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (14_400.0, "")),
        ("4h", (14_400.0, "")),
        ("2 h 30 min maintenance", (9000.0, "maintenance")),
        ("1-12:00:00 x y", (129_600.0, "x y")),
        ("later", (None, "")),
    ],
)
def test_how_long(text: str, expected: tuple[float | None, str]) -> None:
    assert how_long(text) == expected
