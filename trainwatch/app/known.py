"""Runs that no configuration names, but their own stores do: `trainwatch run --name NAME` made them.

Their names are found in what was last published of them.
"""

from pathlib import Path

from trainwatch.app import names
from trainwatch.app.config import RunSettings

_MARK = "command"  # in a store's folder: the name and log of a run that `trainwatch run` began


def note(folder: Path, run: RunSettings) -> None:
    """Let the run be found by its name from now on. Raises OSError."""
    import msgspec

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / _MARK).write_bytes(msgspec.json.encode({"name": run.name, "log": run.log}))


def named(state_dir: Path, name: str) -> RunSettings | None:
    """The run of this name, of several the one that was begun last."""
    pattern = f"{names.plain(name)}-????????"
    found = [run for run in _begun(state_dir, pattern) if run.name == name]
    return found[0] if found else None


def of_log(state_dir: Path, log: Path) -> RunSettings | None:
    """The run whose log this is."""
    suffix = names.folder_name("", log).rpartition("-")[2]
    found = [run for run in _begun(state_dir, f"*-{suffix}") if run.log == str(log)]
    return found[0] if found else None


def _begun(state_dir: Path, pattern: str) -> list[RunSettings]:
    """The newest first."""
    found = list[tuple[float, RunSettings]]()
    for mark in (state_dir / "runs").glob(f"{pattern}/{_MARK}"):
        run = _read(mark)
        if run is not None:
            found.append((mark.stat().st_mtime, run))
    return [run for _, run in sorted(found, key=lambda pair: -pair[0])]


def _read(mark: Path) -> RunSettings | None:
    import msgspec

    try:
        told = msgspec.json.decode(mark.read_bytes(), type=dict[str, str])
        return RunSettings(log=told["log"], name=told["name"])
    except (OSError, KeyError, ValueError, msgspec.MsgspecError):
        return None
