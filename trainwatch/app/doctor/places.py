"""Looks at what all runs share: the state folder, disks, scripts, and what is sent away."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from trainwatch.app import names, wirehouse
from trainwatch.app.disks import asked
from trainwatch.app.disks.settings import DiskSettings
from trainwatch.app.doctor.asking import Ask
from trainwatch.app.doctor.eyes import Eyes
from trainwatch.app.doctor.situation import Situation
from trainwatch.app.syncing.settings import SyncSettings
from trainwatch.core.doctor import folders, house
from trainwatch.core.doctor.check import Check
from trainwatch.core.words import clean

_QUOTA_S = 3.0  # beyond the deadline at which the command is killed
_REACH_S = 5.0
_HUB = "hf://"


def asks(at: Situation, eyes: Eyes, *, elsewhere: bool) -> Iterator[Ask]:
    """All of them. `elsewhere`: jobs on other nodes use the state folder."""
    yield Ask(folders.STATE, "folder", partial(_state, at, eyes, elsewhere), at.within_s())
    for disk in at.settings.disks:
        within_s = disk.deadline_s + _QUOTA_S  # which bounds the command, too
        yield Ask(house.DISKS, clean(disk.label, 80), partial(_disk, disk, at), within_s)
    for period, chosen in at.settings.scripts.folders().items():
        for folder in chosen:
            look = partial(_scripts, period, folder, at, eyes)
            yield Ask(house.SCRIPTS, f"{period} {folder}", look, at.within_s())
    for route in at.settings.sync:
        if route.public is None:
            look = partial(_source, route, eyes)
            yield Ask(house.SYNC, f"{route.name} from", look, at.within_s())
        if not route.to.startswith(_HUB):
            look = partial(_target, route, eyes)
            yield Ask(house.SYNC, f"{route.name} to", look, at.within_s())
    yield from hub(
        eyes,
        [each.name for each in at.settings.sync if each.to.startswith(_HUB)],
        at.within_s(_REACH_S),
    )


def hub(eyes: Eyes, needed: Sequence[str], within_s: float) -> Iterator[Ask]:
    """The login, and where `needed`, the way to it."""
    yield Ask(house.HUB, "login", lambda: [house.hub_token(eyes.token(), needed=needed)], within_s)
    if needed:
        do = "run `trainwatch sync` where there is a way out"
        yield Ask(house.HUB, "endpoint", partial(_endpoint, eyes, within_s), within_s + 1.0, do)


def _endpoint(eyes: Eyes, within_s: float) -> Sequence[Check]:
    url = eyes.endpoint()
    return [house.hub_reached(url, eyes.reach(url, within_s))]


def _state(at: Situation, eyes: Eyes, elsewhere: bool) -> Sequence[Check]:
    path = names.absolute(str(at.site.state_dir))
    return folders.state(eyes.folder(str(path), True), elsewhere=elsewhere)


def _disk(disk: DiskSettings, at: Situation) -> Sequence[Check]:
    full = at.settings.alerts.disk_full
    (row,) = asked.look([disk], wirehouse.eyes(), (), full, at.now)
    seen = house.DiskSeen(
        name=row.disk,
        bytes_total=row.bytes_total,
        bytes_free=row.bytes_free,
        inodes_free=row.inodes_free,
        health=row.health,  # type: ignore[arg-type]
        why=row.why,
        quota=row.quota or "",
    )
    return [house.disk(seen)]


def _scripts(period: str, folder: str, at: Situation, eyes: Eyes) -> Sequence[Check]:
    listing = eyes.scripts(folder, at.settings.scripts.group_may_write)
    return [house.scripts(period, folder, listing)]


def _source(route: SyncSettings, eyes: Eyes) -> Sequence[Check]:
    root = str(Path(route.root).expanduser())
    seen = eyes.below(root, route.what)
    return [house.source(route.name, root, len(seen.files), seen.left_out, seen.trouble)]


def _target(route: SyncSettings, eyes: Eyes) -> Sequence[Check]:
    name = f"{route.name} to"
    if route.to.startswith(("/", "~")):
        seen = eyes.folder(str(names.absolute(route.to)), False)
        do = "mount it, or put `to` right in its [[sync]] table; create = true makes a folder"
        return [folders.usable(house.SYNC, name, seen, create=route.create, do=do)]
    if trouble := eyes.client_trouble(route.to):
        saw = f"{route.to}: its client cannot be loaded: {clean(trouble, 300)}"
        do = "install the package that is named"
        return [Check(group=house.SYNC, name=name, verdict="wrong", saw=saw, do=do)]
    saw = f"{route.to}: its client is there; nobody was asked"
    return [Check(group=house.SYNC, name=name, verdict="ok", saw=saw)]
