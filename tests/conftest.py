"""What tests of several rooms share: where the real logs are, which are read in place."""

from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no wrong answer: what must be fast is timed by tests of its own.
settings.register_profile("trainwatch", deadline=None)
settings.load_profile("trainwatch")

ROOT = Path(__file__).parents[1]
SHARED_LOGS = ROOT.parent / "shared" / "logs"


@pytest.fixture(scope="session")
def shared_logs() -> Path:
    """The folder of real logs and samples. Tests that need it are skipped where it is not."""
    if not SHARED_LOGS.is_dir():
        pytest.skip("no real logs here: ../shared/logs, beside the project, does not exist")
    return SHARED_LOGS
