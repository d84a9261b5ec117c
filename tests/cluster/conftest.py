"""One real Slurm for all tests of a worker; where none can be started, its tests say what is missing.

TRAINWATCH_REAL_SLURM=1 makes that a failure.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.slurm import Cluster, cluster, why_not


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """With accounting."""
    missing = why_not()
    if missing and os.environ.get("TRAINWATCH_REAL_SLURM"):
        pytest.fail(f"no real Slurm: {missing}")
    if missing:
        pytest.skip(f"no real Slurm: {missing}")
    with cluster(_short(tmp_path_factory), accounting=True) as made:
        yield made


@pytest.fixture
def commands(slurm: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """The cluster that this process's commands ask: an empty queue, every daemon up, every node idle."""
    for name, value in slurm.env.items():
        monkeypatch.setenv(name, value)
    slurm.mend()
    return slurm


def _short(factory: pytest.TempPathFactory) -> Path:
    """Sockets must not have long names."""
    path = factory.mktemp("s")
    assert len(str(path)) < 80
    return path
