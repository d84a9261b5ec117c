"""Settings -> everything looked at: the part of app/wire.py for `trainwatch doctor` and `init`."""

import os
import shutil
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from trainwatch.app import clock
from trainwatch.app.config import Settings
from trainwatch.app.doctor import examining
from trainwatch.app.doctor.eyes import Cluster, Eyes
from trainwatch.app.initial.around import Senses
from trainwatch.core.doctor.check import Check
from trainwatch.core.doctor.folders import FolderSeen
from trainwatch.core.doctor.program import Terminal
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.lease import Holder
from trainwatch.core.model.scripts import Listing

_ASIDE_S = 10.0  # a cluster that takes longer to say what it has is not waited for
_HEAD_BYTES, _TAIL_BYTES = 128 * 1024, 128 * 1024  # of each file that may be a log


def examine(
    config_file: Path | None,
    state_dir: Path | None,
    terminal: Terminal,
    deadline_s: float | None = None,
) -> list[Check]:
    """See app/doctor/examining.py."""
    return examining.examine(eyes(), config_file, state_dir, terminal, deadline_s)


def eyes() -> Eyes:
    """What is looked with, of this machine."""
    from trainwatch.adapters import ends, hublogin, installed, reach
    from trainwatch.adapters.checkpoints.glance import glance
    from trainwatch.adapters.sync import look

    return Eyes(
        python=installed.python,
        versions=installed.versions,
        client_trouble=installed.client_trouble,
        folder=_folder,
        ends=ends.read,
        glance=glance,
        holder=_holder,
        scripts=_scripts,
        below=lambda root, what: look(root, what, {}),
        token=lambda: hublogin.found(os.environ),
        endpoint=partial(hublogin.endpoint, os.environ),
        reach=reach.trouble,
        unfit_url=_unfit_url,
        commands=_commands,
        cluster=_cluster,
        scrontab=_scrontab,
    )


def _folder(path: str, trial: bool) -> FolderSeen:
    from trainwatch.adapters import folders

    return folders.seen(path, clock.now, trial=trial)


def _holder(path: Path) -> Holder | None:
    from trainwatch.adapters.store.lease import holder

    return holder(path, clock.now())


def _scripts(folder: str, group_may_write: bool) -> Listing:
    from trainwatch.adapters.scripts import Machine

    return Machine(group_may_write=group_may_write).listed(folder)


def _unfit_url(url: str) -> str:
    from trainwatch.adapters import notify  # a second

    return notify.unfit(url)


def _commands(names: Iterable[str]) -> Sequence[str]:
    return [name for name in names if shutil.which(name) is not None]


def _cluster(deadline_s: float) -> Cluster:
    from trainwatch.adapters.slurm import Slurm

    return Slurm(deadline_s=deadline_s)


def _scrontab(deadline_s: float) -> str:
    from trainwatch.adapters.slurm import Hands

    try:
        Hands(deadline_s).scrontab()
    except TrainwatchError as error:
        return str(error)
    return ""


def senses(settings: Settings) -> Senses:
    """What `trainwatch init` looks around with."""
    from trainwatch.adapters import ends, hublogin, surroundings
    from trainwatch.adapters.checkpoints.glance import glance
    from trainwatch.adapters.slurm import Slurm, installed

    deadline_s = min(_ASIDE_S, settings.slurm.deadline_s)
    return Senses(
        walk=lambda folder, within_s: surroundings.walk(folder, clock.elapsed, within_s),
        ends=lambda path: ends.read(path, _HEAD_BYTES, _TAIL_BYTES),
        glance=glance,
        token=lambda: hublogin.found(os.environ),
        cluster=Slurm(deadline_s=deadline_s) if installed() else None,
    )
