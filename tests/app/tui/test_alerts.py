"""The alerts on the screen: what is listed, all of one, and where the charts mark them."""

import math
from array import array

import pytest
from msgspec.structs import replace

from tests.app.tui.alarms import BOOK, LATE, SLOW, STALL, alarming
from tests.app.tui.alertpane import rows, said
from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.histories import NOW
from tests.app.tui.hostile import HOSTILE, hostile_alerts
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from tests.app.tui.test_keys import part
from trainwatch.app.tui.alerts import Alerts, firing
from trainwatch.app.tui.chart.frame import framed
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.chart.widget import Chart
from trainwatch.app.tui.evidence import Evidence, told
from trainwatch.core.model.alerts import Alarm, Book, Finding, Muted
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.warned import with_alerts

SIZES = ((80, 24), (200, 50))


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_what_fires_is_listed_the_worst_first_then_silences_then_the_past(
    size: tuple[int, int],
) -> None:
    async with opened(alarming(), size) as pilot:
        await pilot.press("A", "z")
        await until(pilot, lambda: any("grad-norm" in row for row in rows(pilot)), "the past")
        words = [row.split() for row in rows(pilot)]
        assert words[0][:4] == ["alert", "for", "state", "summary"]
        assert [row[0][:5] for row in words[1:4]] in (
            ["›crit", "warn", "warn"],
            ["›crit", "warni", "warni"],
        )
        assert [row[1] for row in words[1:4]] == ["stall", "slow-node", "checkpoint-overdue"]
        states = ("firing", "acknowledged", "pending")
        assert all(state in row for state, row in zip(states, words[1:4], strict=True))
        assert "silenced: log-flood until 02:03:00 by jo: debugging" in rows(pilot)[4]
        past = rows(pilot)[6:10]
        assert "fired    critical stall: no iteration for 43 min" in past[0]
        assert "over     warning grad-norm-surge: " in past[2]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_no_row_is_cut_by_a_wrong_column(size: tuple[int, int]) -> None:
    async with opened(alarming(), size) as pilot:
        await pilot.press("A")
        head, first, *_ = (line.ljust(size[0]) for line in rows(pilot))
        assert head[head.index("state") :].startswith("state")
        assert first[head.index("state") :].startswith("firing")
        assert first[head.index("summary") :].startswith("no iteration for 43 min")
        assert ("275 GPU-hours" in first) == (size[0] > 100)


async def test_the_tab_counts_what_fires_and_the_header_names_the_worst() -> None:
    async with opened(alarming(), (80, 24)) as pilot:
        shown = text_of(pilot).splitlines()
        assert "CRITICAL" in shown[0]
        assert shown[1].strip().startswith("stall: no iteration for 43 min while evaluating")
        assert " Alerts·2 Queue " in text_of(pilot)
    async with opened(HEALTHY, (80, 24)) as pilot:
        assert " Alerts Queue " in text_of(pilot)


def test_the_count_has_the_colour_of_the_worst_that_is_not_muted() -> None:
    def colour(*alarms: Alarm) -> str:
        book = replace(BOOK, alarms=alarms)
        status = with_alerts(HEALTHY.status, book, NOW)
        return str(firing(replace(HEALTHY, status=status)).spans)

    assert "$bad" in colour(STALL, SLOW)
    assert "$quiet" in colour(SLOW)  # somebody knows of it
    assert "$warn" in colour(replace(SLOW, finding=replace(SLOW.finding, key="other")))


@pytest.mark.parametrize(
    ("book", "text"),
    [
        (None, "not known: nobody watches this run, or its watcher does not judge it"),
        (Book(), "no alerts"),
    ],
)
async def test_nothing_to_list(book: Book | None, text: str) -> None:
    async with opened(replace(alarming(book), alerts=()), (80, 24)) as pilot:
        await pilot.press("A")
        await pilot.pause()
        assert text in "\n".join(rows(pilot))
        for key, why in (("a", "pick an alert"), ("s", "pick an alert"), ("u", "nobody")):
            await pilot.press("enter", key)
            await until(pilot, lambda why=why: why in said(pilot), why)  # type: ignore[misc]
        assert len(pilot.app.screen_stack) == 1


async def test_enter_shows_all_of_an_alert_and_escape_closes() -> None:
    async with opened(alarming(), (80, 24)) as pilot:
        await pilot.press("A", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Evidence), "the evidence")
        await pilot.pause()
        shown = text_of(pilot)
        for text in (
            "✖ CRITICAL   stall",
            STALL.finding.summary,
            "since     00:20:00, 43 min ago",
            "fired     00:46:00, 17 min ago",
            "cost      275 GPU-hours",
            *STALL.finding.evidence,
            STALL.finding.advice,
        ):
            assert text in shown
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "the end of it")
        assert "CRITICAL   stall" not in text_of(pilot)
        assert part(pilot, Alerts).has_focus


@pytest.mark.parametrize(
    ("entry", "texts"),
    [
        (SLOW, ("▲ WARNING", "slow-node r7i6n0", "acknowledged: slow-node r7i6n0 by jo")),
        (LATE, ("not yet: pending",)),
        (BOOK.muted[1], ("silenced: log-flood until 02:03:00 by jo: debugging",)),
        (alarming().alerts[-1], ("✖ CRITICAL", "stall", "no iteration for 43 min", "2,400")),
        (replace(STALL, told=None, told_at=None, withheld="inhibited"), ("nobody: inhibited",)),
    ],
)
def test_what_is_told_of_each_kind(entry: Alarm | Muted, texts: tuple[str, ...]) -> None:
    page = told(entry, BOOK, NOW).plain
    for text in texts:
        assert text in page


async def test_the_picked_alert_stays_picked_when_a_worse_one_comes() -> None:
    source = FixedSource(alarming(replace(BOOK, alarms=(LATE, SLOW))))
    async with opened(source, (80, 24)) as pilot:
        await pilot.press("A", "down")
        pane = part(pilot, Alerts)
        await until(pilot, lambda: "›warn  checkpoint" in "\n".join(rows(pilot)), "the picked row")
        source.snapshot = alarming()
        await until(pilot, lambda: pane.count() > 6 and "stall" in rows(pilot)[1], "the worse one")
        assert rows(pilot)[3].startswith("›warn  checkpoint-overdue")


async def test_an_alert_is_marked_where_it_fired() -> None:
    async with opened(alarming(), (80, 24)) as pilot:
        drawing = part(pilot, Charts).query_one("#chart-0", Chart)._drawing
        assert drawing is not None
        top = [run for run in framed(drawing, 80, 12)[1] if run[1].endswith("-sign")]
        assert top == [("!", "warned-sign"), ("!", "warned-sign"), ("✖", "alarmed-sign")]
        below = "".join(text for text, style in framed(drawing, 80, 12)[2] if style == "alarmed")
        assert below == "╎"
        empty = drawing._replace(left=800.0, right=900.0)
        assert not any("sign" in style for row in framed(empty, 80, 12) for _, style in row)


async def test_where_alerts_are_crowded_there_are_no_lines_and_the_worse_wins() -> None:
    everywhere = array("d", range(1, 2401))
    marks = replace(HEALTHY.marks, warning=everywhere, critical=array("d", (1200,)))
    async with opened(replace(HEALTHY, marks=marks), (80, 24)) as pilot:
        drawing = part(pilot, Charts).query_one("#chart-0", Chart)._drawing
        assert drawing is not None
        frame = framed(drawing, 80, 12)
        signs = "".join(text for text, style in frame[1] if style.endswith("-sign"))
        assert (signs.count("!"), signs.count("✖")) == (71, 1)
        assert not any(style == "warned" for row in frame for _, style in row)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_a_hostile_alert(number: int) -> None:
    source = FixedSource(hostile_alerts(HOSTILE[number]), list(HOSTILE))
    async with opened(source, (100, 30)) as pilot:
        shown = []
        for row in (0, 2, 4):  # an alert, a silence, a change of the past
            await pilot.press("A", "home", *["down"] * row)
            await pilot.pause()
            shown.append(text_of(pilot))
            for key in ("enter", "s"):
                await pilot.press(key)
                await pilot.pause()
                shown.append(text_of(pilot))
                await pilot.press("escape")
            await pilot.press("u")
        pilot.app.export_screenshot()
        assert pilot.app.is_running
        assert sorted({c for c in "".join(shown).replace("\n", "") if not c.isprintable()}) == []


async def test_markup_in_evidence_is_shown_as_it_is() -> None:
    async with opened(hostile_alerts(HOSTILE[0]), (100, 40)) as pilot:
        await pilot.press("A", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Evidence), "the evidence")
        await pilot.pause()
        assert text_of(pilot).count(HOSTILE[0]) >= 4


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308, -1e308, 0.0])
async def test_times_that_no_calendar_has(value: float) -> None:
    finding = Finding(rule="stall", summary="x", since=value)
    alarm = Alarm(finding=finding, severity="critical", noticed_at=value, fired_at=value)
    muted = Muted(kind="silenced", at=value, rule="x", until=value)
    async with opened(alarming(Book(alarms=(alarm,), muted=(muted,))), (80, 24)) as pilot:
        await pilot.press("A", "enter", "escape", "down", "enter", "escape")
        assert pilot.app.is_running


async def test_any_number_of_alerts_on_any_screen() -> None:
    many = tuple(
        replace(SLOW, finding=replace(SLOW.finding, key=f"r{n}i{n % 9}n0")) for n in range(500)
    )
    snapshot: Snapshot = alarming(Book(alarms=many))
    async with opened(snapshot, (80, 24)) as pilot:
        await pilot.press("A", "end", "home")
        assert "Alerts·500" in text_of(pilot)
        for size in ((1, 1), (20, 5), (40, 10), (300, 100)):
            await pilot.resize_terminal(*size)
            await pilot.press("z", "enter", "escape", "z")
        assert pilot.app.is_running
