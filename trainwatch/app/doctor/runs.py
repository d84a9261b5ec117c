"""Looks at each run: its log, who watches it, its checkpoints and backups, what is made of it for others."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from trainwatch.app import looking, names, wirebackups, wirepublic
from trainwatch.app.checkpoints.settings import BackupSettings
from trainwatch.app.config import RunSettings
from trainwatch.app.doctor.asking import Ask
from trainwatch.app.doctor.eyes import Eyes, Vault
from trainwatch.app.doctor.situation import Situation, group_of
from trainwatch.app.logfile import check_log
from trainwatch.core.doctor import folders, house, logs, roots
from trainwatch.core.doctor.check import Check
from trainwatch.core.doctor.logs import LogSeen
from trainwatch.core.errors import LogUnreadable
from trainwatch.core.words import clean, number

MOST = 50  # runs: a glob may mean thousands


def asks(at: Situation, eyes: Eyes) -> Iterator[Ask]:
    """All looks at all runs."""
    for run in at.runs[:MOST]:
        yield from _of(run, at, eyes)


def _of(run: RunSettings, at: Situation, eyes: Eyes) -> Iterator[Ask]:
    group, within_s = group_of(run), at.within_s()
    yield Ask(group, "log", partial(_log, run, at, eyes), within_s)
    yield Ask(group, "watcher", partial(_watcher, run, at, eyes), within_s)
    yield Ask(group, roots.NAME, partial(_root, run, at, eyes), within_s)
    for number_, backup in enumerate(run.checkpoints.backups, 1):
        yield _backup(f"backup {number_}", run, backup, at, eyes)
    if run.hands.resubmit is not None:
        script = names.absolute(run.hands.resubmit)
        yield Ask(group, "resubmit", partial(_script, group, script), within_s)
    if run.public.enabled:
        yield Ask(group, "public page", partial(_public, run, at, eyes), within_s)
    if run.tensorboard.dir is not None:
        folder = str(names.absolute(run.tensorboard.dir))
        yield Ask(group, "tensorboard", partial(_scalars, group, folder, eyes), within_s)


def _log(run: RunSettings, at: Situation, eyes: Eyes) -> Sequence[Check]:
    group, path = group_of(run), names.absolute(run.log)
    try:
        check_log(path)
        return [logs.judged(group, str(path), _ends(path, at, eyes), at.now)]
    except LogUnreadable as error:
        return [logs.missing(group, str(path), str(error))]


def _ends(path: Path, at: Situation, eyes: Eyes) -> LogSeen:
    return logs.seen(eyes.ends(path), at.site.scanner(), at.site.utc_offset_s(), at.now)


def _watcher(run: RunSettings, at: Situation, eyes: Eyes) -> Sequence[Check]:
    status, silent_s = at.site.reader(run).status(), looking.silent_after_s(at.site)
    beat = status.heartbeat_at if status is not None else None
    if status is not None:
        silent_s = max(silent_s, status.silent_after_s or 0.0)
    seen = house.Watcher(
        beat_s=None if beat is None else at.now - beat,
        silent_after_s=silent_s,
        holder=eyes.holder(at.site.folder(run) / "lease"),
    )
    return [house.watcher(group_of(run), seen)]


def _root(run: RunSettings, at: Situation, eyes: Eyes) -> Sequence[Check]:
    group, chosen = group_of(run), run.checkpoints
    if chosen.path:
        seen = eyes.glance(names.absolute(chosen.path))
        return [roots.judged(group, seen, configured=True), *_prunable(run, eyes)]
    try:
        path = names.absolute(run.log)
        check_log(path)
        told = _ends(path, at, eyes).facts.save_path
    except LogUnreadable:
        told = None
    if told and Path(told).is_absolute():
        return [roots.judged(group, eyes.glance(Path(told)), configured=False)]
    if not chosen.looks:
        return []
    saw = "nothing says where the checkpoints are"
    do = "set path in [runs.checkpoints]"
    return [Check(group=group, name=roots.NAME, verdict="warning", saw=saw, do=do)]


def _prunable(run: RunSettings, eyes: Eyes) -> Iterator[Check]:
    """Pruning writes to the root."""
    if run.checkpoints.apply and run.checkpoints.path:
        seen = eyes.folder(str(names.absolute(run.checkpoints.path)), False)
        if not seen.writable:
            saw = f"apply = true, and {seen.path} cannot be written to: {seen.why}"
            do = "let trainwatch run as whoever writes the checkpoints, or set apply = false"
            yield Check(group=group_of(run), name="pruning", verdict="wrong", saw=saw, do=do)


def _backup(name: str, run: RunSettings, one: BackupSettings, at: Situation, eyes: Eyes) -> Ask:
    group = group_of(run)
    if one.to.startswith(("/", "~")):
        do = "mount it, or name another folder; create = true makes one"
        look = partial(_usable, group, name, str(names.absolute(one.to)), eyes, one.create, do)
        return Ask(group, name, look, at.within_s())
    chosen = replace(one, create=False)  # a look makes nothing
    root = Path(run.checkpoints.path or run.log)
    shelves = wirebackups.shelves(at.settings, at.site.state_dir, run, root, (chosen,), apart=True)
    vault: Vault = shelves.vaults[0]
    do = "see whether it can be reached from this machine"
    look = partial(_far, group, name, one.to, vault, eyes)
    return Ask(group, name, look, at.within_s(), do, vault.close)


def _far(group: str, name: str, to: str, vault: Vault, eyes: Eyes) -> Sequence[Check]:
    if trouble := eyes.client_trouble(to):
        saw = f"{to}: its client cannot be loaded: {clean(trouble, 300)}"
        do = "install the package that is named"
        return [Check(group=group, name=name, verdict="wrong", saw=saw, do=do)]
    shelf = vault.look()
    saw = f"{to}: it answers, {number(len(shelf.backups))} backups there"
    return [Check(group=group, name=name, verdict="ok", saw=saw)]


def _usable(
    group: str, name: str, folder: str, eyes: Eyes, create: bool, do: str
) -> Sequence[Check]:
    return [folders.usable(group, name, eyes.folder(folder, False), create=create, do=do)]


def _script(group: str, path: Path) -> Sequence[Check]:
    name = "resubmit"
    do = "put `resubmit` right in [runs.hands]"
    if not path.is_file():
        saw = f"{path} is not there, or is no file"
        return [Check(group=group, name=name, verdict="wrong", saw=saw, do=do)]
    with path.open("rb") as file:
        if file.read(2) != b"#!":
            saw = f"{path} does not begin with #!, and sbatch takes no other script"
            return [Check(group=group, name=name, verdict="wrong", saw=saw, do=do)]
    return [Check(group=group, name=name, verdict="ok", saw=str(path))]


def _public(run: RunSettings, at: Situation, eyes: Eyes) -> Sequence[Check]:
    group, folder = group_of(run), str(at.site.folder(run) / wirepublic.PUBLIC)
    do = "see to the state folder"
    found = folders.usable(group, "public page", eyes.folder(folder, False), create=True, do=do)
    routes = [one.name for one in at.settings.sync if one.public == run.name]
    sent = f"sent by {', '.join(routes)}" if routes else "no [[sync]] route sends it"
    return [replace(found, saw=f"{found.saw}; {sent}")]


def _scalars(group: str, folder: str, eyes: Eyes) -> Sequence[Check]:
    do = "put `dir` right in [runs.tensorboard]"
    return [folders.usable(group, "tensorboard", eyes.folder(folder, False), create=True, do=do)]
