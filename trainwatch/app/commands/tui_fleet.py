"""trainwatch tui with several runs: all of them on one screen."""

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainwatch.app import wirefleet, wirescreen
from trainwatch.app.loading import loading
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode

if TYPE_CHECKING:
    from trainwatch.app.commands.tui import Look
    from trainwatch.app.tui.fleetapp import FleetApp


def command(
    site: Site, look: "Look", svg: Path | None, size: tuple[int, int], *, every: bool
) -> int:
    """Open the screen of all runs, or write a picture of it. Raises UsageError where there is none."""
    from trainwatch.app.tui.fleetfeed import FleetFeed

    source = wirefleet.fleet(site, kept=every)
    feed = FleetFeed(source)
    feed.start()  # reads while the rest is loaded
    with loading():
        from trainwatch.app.commands.tui import for_browser, keeper, png_keeper, table_keeper, write
        from trainwatch.app.tui import theme as themes
        from trainwatch.app.tui.fleetapp import FleetApp
        from trainwatch.app.tui.habits import Habits

        shot, pictures = svg is not None, list[str]()
        habits = Habits(None if shot else wirescreen.chosen_before(site.state_dir))
        named = look.theme or ("dark" if shot else None)
        app = FleetApp(
            source,
            partial(wirefleet.opened, site),
            fleet_feed=feed,
            habits=habits,
            colours=themes.chosen(named, before=habits.values.get("theme")),
            save_picture=keeper("runs"),
            save_view=table_keeper("runs"),
            save_png=png_keeper("runs"),
            painted=partial(_take, pictures) if shot else None,
            read_only=look.read_only,
            driver=for_browser() if look.for_browser else None,
        )
    with closing(app):
        app.run(headless=True, size=size) if shot else app.run()
    if not shot:
        wirescreen.keep_chosen(site.state_dir, habits.changed, read_only=look.read_only)
    if app.failure is not None:
        raise app.failure
    return ExitCode.OK if svg is None else write(pictures[0], svg)


def _take(pictures: list[str], app: "FleetApp") -> None:
    """One picture, once all is there; then the screen ends."""
    if app.complete and not pictures:
        pictures.append(app.export_screenshot(title="trainwatch tui"))
        app.exit()
