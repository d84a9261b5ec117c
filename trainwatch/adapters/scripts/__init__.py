"""cron.hourly and cron.daily: the folders, the processes, their output, and the ledger of runs."""

from trainwatch.adapters.scripts.ledger import LedgerFile
from trainwatch.adapters.scripts.machine import Machine

__all__ = ["LedgerFile", "Machine"]
