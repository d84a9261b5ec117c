"""A signal ends the screen, not the process: the terminal is put right, the lease given back."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress


def on_signals(leave: Callable[[], object]) -> None:
    """Leave at SIGTERM and SIGHUP, where this is the main thread."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        with suppress(ValueError, RuntimeError, NotImplementedError):
            loop.add_signal_handler(number, leave)
