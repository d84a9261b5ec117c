"""Settings -> what is written of runs for others: the part of app/wire.py for pages and scalars."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainwatch.app import names
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.sources import Source

if TYPE_CHECKING:
    from trainwatch.app.publishing.making import Maker

PUBLIC = "public"  # the folder of a run that anybody may see


def writers(settings: Settings, state_dir: Path, *, once: bool) -> list[Source]:
    """Who writes pages and scalars of runs, where that is configured."""
    from trainwatch.adapters.store import StoreReader

    if not any(run.public.enabled or run.tensorboard.dir for run in settings.runs):
        return []
    from trainwatch.app.publishing.making import Maker
    from trainwatch.app.publishing.scalars import Points
    from trainwatch.app.publishing.source import Job, Writers

    def page(run: RunSettings) -> Job | None:
        folder = names.run_folder(state_dir, run.name, run.log)
        maker = Maker(StoreReader(folder), run.facts(), run.public.shown)
        write = partial(_write_page, maker, folder)
        return Job(run.public.every_s, write) if run.public.enabled else None

    def points(run: RunSettings) -> Job | None:
        if run.tensorboard.dir is None:
            return None
        from trainwatch.adapters.scalars import Scalars
        from trainwatch.adapters.store.files import replace_file
        from trainwatch.adapters.store.lease import held

        folder = names.run_folder(state_dir, run.name, run.log)
        into = Path(run.tensorboard.dir).expanduser()
        sink = Scalars(into, folder / "scalars.json", partial(replace_file, sync=True), held)
        return Job(run.tensorboard.every_s, Points(StoreReader(folder), run.facts(), sink).write)

    return [
        Writers("public page", page, once=once),
        Writers("tensorboard", points, once=once),
    ]


def _write_page(maker: "Maker", folder: Path, now: float) -> bool:
    """Write the files of a run's public folder. Raises OSError, StoreUnusable."""
    from trainwatch.adapters.store.files import replace_file
    from trainwatch.app.publishing.making import PAGE, STATUS

    made = maker.make(now)
    if made is None:
        return False
    place = folder / PUBLIC
    place.mkdir(exist_ok=True)
    for name, data in ((STATUS, made.status), (PAGE, made.page)):
        replace_file(place / name, data, sync=False)
    return True
