"""Checkpoints that never were: named as a framework names them, with a set of files."""

from collections.abc import Mapping

from trainwatch.core.checkpoints import layouts, survey, trackers
from trainwatch.core.checkpoints.contents import Adding, Contents
from trainwatch.core.checkpoints.layouts import Named
from trainwatch.core.checkpoints.survey import Survey

NOW = 1_800_000_000.0
HOUR_S, DAY_S = 3600.0, 86_400.0
SHARDS = ("mp_rank_00_model_states.pt", "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt")


def named(name: str) -> Named:
    found = layouts.named(name, layouts.TRACKERS)
    assert found is not None
    return found


def contents(
    name: str, files: Mapping[str, int] | None = None, age_s: float = 10 * DAY_S
) -> Contents:
    adding = Adding(named(name).iteration)
    for file, size in (files if files is not None else dict.fromkeys(SHARDS, 1000)).items():
        adding.take(file, size, NOW - age_s, NOW - age_s)
    return adding.done()


def deepspeed(
    iterations: Mapping[int, float], latest: int | None, *, half: frozenset[int] = frozenset()
) -> Survey:
    """`iterations`: of each checkpoint its age in s; `half`: those of which a file is missing."""
    there = []
    for iteration, age_s in iterations.items():
        name = f"global_step{iteration}"
        files = dict.fromkeys(SHARDS[:1] if iteration in half else SHARDS, 1000)
        there.append((named(name), contents(name, files, age_s)))
    told = (
        {}
        if latest is None
        else {"latest": trackers.read("latest", f"global_step{latest}".encode())}
    )
    return survey.survey(there, told, NOW)
