"""What tests of several rooms share: where the real logs are, which are read in place; how hard we look.

Examples that are made up are the same in each run (`quick`), so that a red build means a change, not chance.
To look harder, at other ones each time: `HYPOTHESIS=thorough make test ARGS=tests/core`.
"""

import os
import signal
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


@pytest.fixture(scope="session", autouse=True)
def _usual_signals() -> None:
    """Whoever began us with nohup, or in the background, has us ignore signals, and all that we start, too.

    A handler that does nothing ends with us.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that mostly wait for a real cluster come first, so that two workers begin with half of them each.

    The others fill the time. A cluster for each of three workers was tried: a dozen daemons and jobs at once
    made what is waited for come too late. The trap: what a worker begins with is its share of the whole list.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    real = [item for item in items if "tests/cluster/" in item.nodeid]
    others = [item for item in items if "tests/cluster/" not in item.nodeid]
    second = [item for item in real if any(name in item.nodeid for name in _SECOND)]
    first = [item for item in real if item not in second]
    between = max(0, len(items) // workers - len(first)) if workers > 1 else 0
    items[:] = [*first, *others[:between], *second, *others[between:]]


_SECOND = ("test_cron_faults.py", "test_shards.py")  # half of the time that all of them take


def pytest_make_parametrize_id(val: object) -> str | None:
    """A test of 16 MB of blanks is not named by them: its name travels between processes, and is printed."""
    if isinstance(val, str | bytes) and len(val) > _LONGEST_NAME:
        return f"{val[:_LONGEST_NAME]!a}... of {len(val)}"
    return None


_LONGEST_NAME = 60


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Say what failed, and why, as it fails: a run that is cut short has not told of it otherwise."""
    if report.failed and not os.environ.get("PYTEST_XDIST_WORKER"):
        crash = getattr(report.longrepr, "reprcrash", None)
        why = f" - {crash.message[:_WORDS]}" if crash is not None else ""
        print(f"\nFAILED {report.nodeid}{why}", flush=True)


_WORDS = 1000
