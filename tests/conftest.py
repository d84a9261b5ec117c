"""What tests of several rooms share: where the real logs are, which are read in place."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED_LOGS = ROOT.parent / "shared" / "logs"


@pytest.fixture(scope="session")
def shared_logs() -> Path:
    """The folder of real logs and samples. Tests that need it are skipped where it is not."""
    if not SHARED_LOGS.is_dir():
        pytest.skip("no real logs here: ../shared/logs, beside the project, does not exist")
    return SHARED_LOGS
