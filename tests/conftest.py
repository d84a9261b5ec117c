"""What tests of several rooms share: where the real logs are, which are read in place; how hard we look.

Examples that are made up are the same in each run (`quick`), so that a red build means a change, not chance.
To look harder, at other ones each time: `HYPOTHESIS=thorough make test ARGS=tests/core`.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadline: it is wall time, and on a busy machine any example takes any time.
settings.register_profile(
    "quick",
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    max_examples=4000,
    derandomize=False,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS", "quick"))

ROOT = Path(__file__).parents[1]
SHARED_LOGS = ROOT.parent / "shared" / "logs"


@pytest.fixture(scope="session")
def shared_logs() -> Path:
    """The folder of real logs and samples. Tests that need it are skipped where it is not."""
    if not SHARED_LOGS.is_dir():
        pytest.skip("no real logs here: ../shared/logs, beside the project, does not exist")
    return SHARED_LOGS
