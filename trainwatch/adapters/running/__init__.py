"""A command that we run for somebody: started, given its terminal, its output handed on, its end seen."""

from trainwatch.adapters.running.beside import Beside
from trainwatch.adapters.running.command import Command, Ended
from trainwatch.adapters.running.sinks import LogFile, Sink, Stream, keep_streams_apart
from trainwatch.adapters.running.terminal import Terminal

__all__ = [
    "Beside",
    "Command",
    "Ended",
    "LogFile",
    "Sink",
    "Stream",
    "Terminal",
    "keep_streams_apart",
]
