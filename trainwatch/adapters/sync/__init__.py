"""Sending files away: a look at the folder, the ledger, and the child process that knows the clients."""

from trainwatch.adapters.sync.courier import Courier
from trainwatch.adapters.sync.folder import Look, look
from trainwatch.adapters.sync.ledger import LedgerFile

__all__ = ["Courier", "LedgerFile", "Look", "look"]
