"""The log pane folds what nobody reads, and opens it for whoever looks for it."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from tests.app.tui.driving import opened, steady, text_of, until
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource, log_text
from tests.app.tui.test_keys import part, search
from trainwatch.adapters.logview import LogView
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.logpanel import LogPanel
from trainwatch.core.model.snapshot import Page, Search, Wanted

NOISE = [f"[default0]:r6i4n3:30:31 [0] NCCL INFO Channel 00/02 : {n}" for n in range(30)]
NEEDLE = "[default0]:r6i4n3:30:31 [0] NCCL INFO Connected all rings"
RANKS = [f"[default{n % 8}]: built optimizer of rank {n}" for n in range(20)]
LOG = [*log_text(1, 3), *NOISE, NEEDLE, *NOISE, *RANKS, "RuntimeError: CUDA error", *log_text(4, 5)]


def of(lines: list[str]) -> FixedSource:
    return FixedSource(HEALTHY, lines)


async def in_log(pilot: Pilot[None]) -> LogPanel:
    await pilot.press("l")
    await pilot.pause()
    return part(pilot, LogPanel)


async def test_noise_and_repeats_are_a_row_each_and_o_shows_them() -> None:
    async with opened(of(LOG), (120, 40)) as pilot:
        log = await in_log(pilot)
        shown = text_of(pilot)
        assert "… 61 lines: NCCL INFO" in shown
        assert "built optimizer of rank 0" in shown
        assert "… 19 lines like this" in shown
        assert "Channel 00/02" not in shown
        for line in (*log_text(1, 5), "RuntimeError: CUDA error"):
            assert line[:80] in shown
        await pilot.press("o")
        await until(pilot, lambda: "built optimizer of rank 19" in text_of(pilot), "the lines")
        assert log.count() == len(LOG)
        await pilot.press("o")
        await until(pilot, lambda: "… 61 lines: NCCL INFO" in text_of(pilot), "the fold")


async def test_levels_are_read_without_colours() -> None:
    async with opened(of([*LOG, "UserWarning: old"]), (120, 40)) as pilot:
        await in_log(pilot)
        shown = text_of(pilot)
        assert "✖RuntimeError: CUDA error" in shown
        assert "▲UserWarning: old" in shown
        assert "•[default7]: iteration        5/" in shown


async def test_a_search_opens_what_it_finds_and_escape_folds_it_again() -> None:
    async with opened(of(LOG), (120, 40)) as pilot:
        await search(pilot, "all r.ngs")
        await until(pilot, lambda: "Connected all rings" in text_of(pilot), "the match")
        assert text_of(pilot).count("… 30 lines: NCCL INFO") == 2
        await pilot.press("escape")
        await until(pilot, lambda: "… 61 lines: NCCL INFO" in text_of(pilot), "the fold")


async def test_the_line_that_was_jumped_to_is_seen() -> None:
    source = of(LOG)
    async with opened(source, (120, 40)) as pilot:
        log = await in_log(pilot)
        log.go(source.offsets[10] + 3)
        await until(pilot, lambda: "Channel 00/02 : 7" in text_of(pilot), "the line")
        assert "… 7 lines: NCCL INFO" in text_of(pilot)
        assert "… 53 lines: NCCL INFO" in text_of(pilot)


async def test_a_click_on_a_folded_row_shows_its_lines() -> None:
    async with opened(of(LOG), (120, 40)) as pilot:
        log = await in_log(pilot)
        row = next(n for n in range(log.count()) if "NCCL" in log._rows.words(n))
        await pilot.click("#log", (5, row - log.top))
        await until(pilot, lambda: "Channel 00/02 : 0" in text_of(pilot), "the lines")
        assert "… 19 lines like this" in str(log._rows.words(log.count() - 4))
        assert not log.follows


async def test_where_most_is_folded_more_is_asked_for_until_the_pane_is_full() -> None:
    noisy = [line for said in log_text(1, 120) for line in (*NOISE * 8, said)]
    source = of(noisy)
    async with opened(source, (120, 40)) as pilot:
        log = await in_log(pilot)
        await until(pilot, lambda: log.count() >= log.size.height, "rows")
        asked = max(wanted.lines for wanted in source.asked)
        assert asked >= 800
        assert log.follows
        assert "iteration      120/" in text_of(pilot)


async def test_noise_that_is_longer_than_a_page_is_walked_through() -> None:
    """Each key goes on by a part of it, and says that it is not all; nothing is asked for again and again."""
    source = of([*log_text(1, 2), *(NOISE * 500), *log_text(3, 4)])
    async with opened(source, (120, 40)) as pilot:
        log = await in_log(pilot)
        await until(pilot, lambda: log._times == 16, "as many lines as there may be")
        await steady(pilot)
        assert "+ lines: NCCL INFO" in text_of(pilot)
        for _ in range(40):
            before = log._rows.offsets[0]
            if before == 0:
                break
            await pilot.press("pageup")
            await until(pilot, lambda: log._rows.offsets[0] < before, "what is above")  # noqa: B023
        await pilot.press("pageup")
        await until(pilot, lambda: "iteration        1/" in text_of(pilot), "the beginning")
        await steady(pilot)
        asked = len(source.asked)
        await pilot.pause(0.3)
        assert len(source.asked) <= asked + 2  # of the clock, once a second


@pytest.mark.parametrize("steps", [1, 5])
async def test_scrolling_keeps_its_lines_when_another_page_comes(steps: int) -> None:
    noisy = [line for said in log_text(1, 900) for line in (*NOISE[:5], said)]
    async with opened(of(noisy), (120, 40)) as pilot:
        log = await in_log(pilot)
        seen: list[int] = []
        for _ in range(10):
            await pilot.press(*["pageup"] * steps)
            await steady(pilot)
            seen.append(log._rows.offsets[log.top])
        assert seen == sorted(seen, reverse=True)
        assert len({*seen}) == 10


def timed(hours: int = 100) -> list[str]:
    return [f"[2026-11-{1 + h // 24:02d} {h % 24:02d}:00:00] [INFO] hour {h}" for h in range(hours)]


async def go_to(pilot: Pilot[None], typed: str) -> None:
    await pilot.press("l", "colon", *typed, "enter")
    await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "the screen")


class Log(FixedSource):
    """A log that is a file."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        path.write_text("".join(f"{line}\n" for line in lines))
        super().__init__(HEALTHY, lines)
        self.view = LogView(path)

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        return self.view.find(wanted, stop)


@pytest.mark.parametrize(
    ("typed", "hour"), [("2026-11-02 05:00", 29), ("-50h", 49), ("03:00", 99), ("04:00", 76)]
)
async def test_going_to_a_time(tmp_path: Path, typed: str, hour: int) -> None:
    source = Log(tmp_path / "main_log.txt", timed())
    async with opened(source, (120, 40)) as pilot:
        await go_to(pilot, typed)
        log = part(pilot, LogPanel)
        await until(pilot, lambda: log._target == source.offsets[hour], f"hour {hour}")
        await until(pilot, lambda: f"hour {hour} " in text_of(pilot), "its line")


async def test_a_log_that_tells_no_time_says_so(tmp_path: Path) -> None:
    async with opened(Log(tmp_path / "main_log.txt", log_text(1, 50)), (120, 40)) as pilot:
        await go_to(pilot, "14:30")
        await until(pilot, lambda: "no line of the log's end tells a time" in text_of(pilot))


async def test_a_search_says_how_far_it_is_and_escape_stops_it(tmp_path: Path) -> None:
    goes_on, stopped = threading.Event(), threading.Event()

    class Slow(FixedSource):
        def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
            size = self.offsets[-1]
            while not stop(wanted.place - 3 * size // 4):
                goes_on.wait(0.01)
            stopped.set()
            return None

        def page(self, wanted: Wanted) -> Page:
            return replace(super().page(wanted), size=self.offsets[-1])

    lines = ["x" * 1_000_000 for _ in range(40)]
    async with opened(Slow(HEALTHY, lines), (120, 40)) as pilot:
        await pilot.press("slash", *"needle", "enter")
        await until(pilot, lambda: "searching 'needle': 75 % of 40" in text_of(pilot), "progress")
        await pilot.press("escape")
        await until(pilot, stopped.is_set, "the end of the search")
        assert "searching" not in text_of(pilot)


async def test_what_a_search_said_stays_while_the_log_grows() -> None:
    async with opened(of(LOG), (80, 24)) as pilot:
        await in_log(pilot)
        await pilot.press("slash", *"nowhere", "enter")
        await until(pilot, lambda: "no 'nowhere' above" in text_of(pilot), "an answer")
        app = pilot.app
        assert isinstance(app, ScreenApp)
        assert app._feed is not None
        app._feed._source = of([*LOG, *log_text(6, 40)])
        app.show(app._feed._look())
        await until(pilot, lambda: "iteration       40/" in text_of(pilot), "more of the log")
        assert "no 'nowhere' above" in text_of(pilot)
