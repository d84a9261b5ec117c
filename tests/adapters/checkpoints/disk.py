"""Real directories of checkpoints, small."""

import os
from collections.abc import Iterable
from pathlib import Path

SHARDS = ("mp_rank_00_model_states.pt", "zero_pp_rank_0_mp_rank_00_optim_states.pt")
NOW = 1_800_000_000.0
DAY_S = 86_400.0


def save(
    root: Path, iteration: int, *, shards: Iterable[str] = SHARDS, age_s: float = 5 * DAY_S
) -> Path:
    """A complete checkpoint of DeepSpeed; the tracker is not touched."""
    folder = root / f"global_step{iteration}"
    folder.mkdir(parents=True)
    for shard in shards:
        path = folder / shard
        path.write_bytes(b"x" * 100)
        os.utime(path, (NOW - age_s, NOW - age_s))
    return folder


def track(root: Path, iteration: int) -> None:
    (root / "latest").write_text(f"global_step{iteration}")


def names(root: Path) -> list[int]:
    """The iterations that stand in the root."""
    return sorted(int(path.name[11:]) for path in root.glob("global_step*"))
