from trainwatch.app.api import Log as Log
from trainwatch.app.api import Run as Run
from trainwatch.app.api import open_run as open_run
from trainwatch.app.api import read as read
from trainwatch.core.errors import LeaseHeld as LeaseHeld
from trainwatch.core.errors import LogUnknown as LogUnknown
from trainwatch.core.errors import LogUnreadable as LogUnreadable
from trainwatch.core.errors import StoreUnusable as StoreUnusable
from trainwatch.core.errors import TrainwatchError as TrainwatchError
from trainwatch.core.errors import UsageError as UsageError

__version__: str
__all__ = [
    "LeaseHeld",
    "Log",
    "LogUnknown",
    "LogUnreadable",
    "Run",
    "StoreUnusable",
    "TrainwatchError",
    "UsageError",
    "__version__",
    "open_run",
    "read",
]
