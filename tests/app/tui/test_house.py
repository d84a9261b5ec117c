"""The panes for checkpoints, disks and what is sent away: what they say, and what to configure."""

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.histories import LAST
from tests.app.tui.hostile import HOSTILE
from tests.app.tui.housed import CHECKPOINTS, CONFIGURED, DISKS, SYNCS, housed
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from trainwatch.app.tui import stretch
from trainwatch.app.tui.lower import LATE
from trainwatch.app.tui.stretch import Reach
from trainwatch.core.model.housekeeping import CheckpointRow, Tick
from trainwatch.core.model.snapshot import Configured

SMALL, LARGE = (80, 24), (200, 50)
KEYS = {"checkpoints": "p", "disks": "d", "sync": "y"}
assert CHECKPOINTS is not None


def rows(pilot: Pilot[None], pane: str) -> list[str]:
    shown = pilot.app.screen_stack[0].query_one(f"#{pane}").render()
    return [line.rstrip() for line in shown.plain.splitlines()]  # type: ignore[union-attr]


async def told(pilot: Pilot[None], pane: str, *keys: str) -> list[str]:
    """Open a pane by its key; what it says."""
    await pilot.press(KEYS[pane], *keys)
    await until(pilot, lambda: bool(rows(pilot, pane)), pane)
    return rows(pilot, pane)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_the_last_save_what_is_at_risk_the_line_and_the_plan(size: tuple[int, int]) -> None:
    async with opened(housed(), size) as pilot:
        shown = "\n".join(await told(pilot, "checkpoints"))
    assert "last save  iteration 2,350, 1 h 27 min ago · took 42 s" in shown
    assert "at risk    1 h 27 min of work · 560 GPU-hours · 50 iterations" in shown
    assert "48 take 108 TB · ● 7 kept · ○ 38 to go · ▲ 1 at risk · ◐ 1 writing" in shown
    assert "plan       38 would go, which frees 87.4 TB · 10 stay: the last 3, every 500" in shown
    assert "purge      global_step500 is purged in 5 d" in shown
    assert ("every 50 iterations (1 h 28 min)" in shown) == (size == LARGE)
    assert ("next save at 2,450" in shown) == (size == LARGE)


async def test_the_newest_first_each_with_why() -> None:
    async with opened(housed(), LARGE) as pilot:
        shown = await told(pilot, "checkpoints")
        table = shown[next(n for n, line in enumerate(shown) if "iteration      size" in line) :]
        await pilot.press("end")
        last = rows(pilot, "checkpoints")[-1]
    assert table[1].split()[:5] == ["◐", "writing", "2,400", "900", "GB"]
    assert "● kept          2,350    2.3 TB   87 min ago   in 29 d  global_step2350" in table[2]
    assert table[2].endswith("one of the last 3; the newest complete one; latest names it")
    assert "○ to go" in table[5]
    assert table[5].endswith("no policy keeps it")
    assert last.split()[:4] == ["›○", "to", "go", "50"]


async def test_a_line_of_its_own_for_what_would_go_where_there_is_room() -> None:
    async with opened(housed(), LARGE) as pilot:
        shown = await told(pilot, "checkpoints")
    kept = next(line for line in shown if line.startswith(" kept"))
    goes = next(line for line in shown if line.startswith(" to go"))
    assert [kept.count(sign) for sign in "●▲◐?"] == [7, 1, 1, 1]
    assert goes.count("○") == 38
    assert kept.endswith("░░░◐")  # trained beyond the last complete one, and being saved


def test_the_line_shows_what_matters_more_and_what_would_be_lost() -> None:
    ticks = [Tick(first=n, last=n, marks={"goes": 1}) for n in range(0, 80, 10)]
    ticks += [Tick(first=80, last=80, marks={"kept": 1})]
    assert stretch.drawn(ticks, Reach(100), 11).plain == "○○○○○○○○●░▸"
    assert stretch.drawn(ticks, Reach(100, saved=100), 11).plain == "○○○○○○○○●──"
    assert stretch.drawn(ticks, Reach(80), 5).plain == "○○○○●"
    assert stretch.drawn(ticks, Reach(None), 3).plain == "○○●"
    assert stretch.drawn(ticks[:1], Reach(0), 4).plain == "○───"
    mixed = [
        Tick(first=0, last=4, marks={"goes": 3, "kept": 1}),
        Tick(first=10, last=10, marks={"partial": 1}),
    ]
    assert stretch.drawn(mixed, Reach(10), 2).plain == "●?"
    assert stretch.drawn([], Reach(10), 9).plain == ""
    many = [Tick(first=n, last=n, marks={"kept": 1}) for n in range(1000)]
    assert stretch.drawn(many, Reach(5000, 999), 80).cell_length == 80


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_how_full_disks_are_and_for_how_long(size: tuple[int, int]) -> None:
    async with opened(housed(), size) as pilot:
        shown = await told(pilot, "disks", "z")
    assert shown[0].startswith("›scratch  bytes   ━━━")
    assert "88.5 %  354 TB of 400 TB" in shown[0]
    assert "21.0 %  4.2 M of 20 M" in shown[1]
    assert shown[2].strip().startswith("full in 1 d 5 h, by bytes, about 2026-03-13 06:59")
    assert "core.4711: 12.4 GB, a core file" in shown[3]
    assert shown[4].startswith(" work     bytes")
    assert "▲ over its soft limit, writes are refused from 2026-03-17 01:03" in shown[6]
    assert "? /archive gives no answer: does its filesystem hang?" in shown[7]
    assert shown[7].startswith(" archive")
    if size == LARGE:
        assert "pruning would free 80 TB · quota: gpfs · asked 3 min ago" in shown[2]
        assert "full in 8 d 23 h, by inodes" in shown[6]


async def test_a_disk_of_which_little_is_known() -> None:
    bare = replace(
        DISKS[0], bytes_total=None, inodes_free=None, runway_s=None, runs_out="", strays=()
    )
    hangs = {"disk scratch": "/gpfs gives no answer: does its filesystem hang?"}
    async with opened(
        housed(disks=(bare,), troubles=hangs, configured=Configured()), SMALL
    ) as pilot:
        shown = await told(pilot, "disks")
    assert shown[0] == "›scratch  bytes   46 TB free"
    assert shown[1].strip().startswith("? /gpfs gives no answer: does its filesystem hang?")
    assert len(shown) == 2


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_what_each_route_has_sent_and_what_is_wrong(size: tuple[int, int]) -> None:
    async with opened(housed(), size) as pilot:
        shown = await told(pilot, "sync", "z")
    text = "\n".join(shown)
    assert [line.split()[0] for line in shown if line[1:2] in "✖▲?◌●"] == ["›✖", "▲", "?", "◌", "●"]
    assert "●  logs         all sent           1 min       0 B   1.24 GB" in text
    assert "◌  tensorboard  out of commits    31 min    4.2 MB     88 MB" in text
    assert "▲  weights      fails 7 h            7 h    2.3 TB     46 TB" in text
    assert "✖  card         needs you              –     14 kB       0 B" in text
    assert "?  later        not tried yet" in text
    assert "    to hf://datasets/bigscience/tr11-logs" in text
    assert "    last error: 401: this login may not write there: hf auth login" in text
    assert "    20 commits were made within the last hour" in text  # a budget is no error
    assert ("in 13 min" in text) == (size == LARGE)
    assert "20 of 20" in text


async def test_a_screen_that_watches_by_itself_says_that_it_sends_nothing() -> None:
    alone = replace(housed(), watching="here")
    async with opened(alone, LARGE) as pilot:
        assert (await told(pilot, "sync"))[-1].endswith(
            "a screen sends nothing: trainwatch watch does, or trainwatch sync"
        )


@pytest.mark.parametrize(
    ("pane", "says"),
    [
        ("checkpoints", "set keep_last or path in [runs.checkpoints]"),
        ("disks", "add a [[disks]] table with path"),
        ("sync", "add a [[sync]] table with name, root, what and to"),
    ],
)
async def test_where_nothing_is_configured_it_says_what_to_configure(pane: str, says: str) -> None:
    async with opened(HEALTHY, SMALL) as pilot:
        assert says in "\n".join(await told(pilot, pane))


async def test_what_is_configured_and_was_not_seen_yet() -> None:
    async with opened(replace(HEALTHY, configured=CONFIGURED), SMALL) as pilot:
        assert "was not listed yet" in "\n".join(await told(pilot, "checkpoints"))
        assert (await told(pilot, "disks"))[0].split(maxsplit=1)[1] == "was not asked yet"
        assert "not tried yet" in (await told(pilot, "sync"))[1]


async def test_without_a_policy_or_with_a_plan_that_is_refused() -> None:
    alone = replace(CHECKPOINTS, policy="", goes=0, prunable_bytes=None)
    refused = replace(CHECKPOINTS, refused=("latest holds 'rubbish', which names no checkpoint",))
    async with opened(housed(checkpoints=alone), LARGE) as pilot:
        assert "set keep_last in [runs.checkpoints]" in "\n".join(await told(pilot, "checkpoints"))
    async with opened(housed(checkpoints=refused), LARGE) as pilot:
        shown = "\n".join(await told(pilot, "checkpoints"))
        assert "nothing can be pruned: latest holds 'rubbish'" in shown
    hangs = {"checkpoints": "/scratch/checkpoints: listing it hangs"}
    async with opened(housed(troubles=hangs), SMALL) as pilot:
        assert "? /scratch/checkpoints: listing it hangs" in "\n".join(
            await told(pilot, "checkpoints")
        )


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_hostile_names_are_shown_as_they_are(number: int) -> None:
    text = HOSTILE[number]
    row = CheckpointRow(name=text, mark="kept", iteration=1, bytes=1, why=text, backed_up=text)
    house = housed(
        checkpoints=replace(CHECKPOINTS, rows=(row,), policy=text, root=text, refused=()),
        disks=(replace(DISKS[0], disk=text, folder=text, strays=(text,), quota=text),),
        syncs=(replace(SYNCS[2], route=text, to=text, why=text),),
        troubles={"checkpoints": text, f"disk {text}": text, f"sync {text}x": text},
    )
    for size in ((100, 30),):
        async with opened(FixedSource(house), size) as pilot:
            shown = ""
            for pane in KEYS:
                await told(pilot, pane)
                shown += text_of(pilot)
            assert pilot.app.is_running
            assert sorted({c for c in shown.replace("\n", "") if not c.isprintable()}) == []
            if number == 0:
                assert shown.count("[default7]: iter [/bold]") > 4


async def test_a_pane_is_loaded_when_it_is_asked_for_and_made_while_it_is_seen() -> None:
    async with opened(housed(), SMALL) as pilot:
        screen = pilot.app.screen_stack[0]
        assert all(not screen.query(f"#{pane}") for pane in LATE)
        await told(pilot, "checkpoints")
        pane = screen.query_one("#checkpoints")
        await pilot.press("l")
        await until(pilot, lambda: not pane.display, "the log")
        made: list[int] = []

        def counted(width: int) -> list[str]:
            made.append(width)
            return []

        pane.made = counted  # type: ignore[attr-defined]
        lower = pilot.app.query_one("Lower")
        lower.show(housed(iteration=LAST + 1))  # type: ignore[attr-defined]
        await pilot.pause()
        assert made == []
