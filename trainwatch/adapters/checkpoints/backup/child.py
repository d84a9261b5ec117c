"""python -m trainwatch.adapters.checkpoints.backup.child: a look or a backup in a process that may be killed.

It reads what is asked from stdin, says now and then how far it is, and then its answer. The trap: whoever
started it may be killed. When its stdin ends, it ends, too.
"""

import logging
import os
import sys
import threading
import time
from typing import BinaryIO

import msgspec

from trainwatch.adapters.checkpoints.backup.vault import Vault
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.backups import Copy, Made, Place, Shelf
from trainwatch.core.redact import plain

STEP_S = 1.0


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """Of a place: what is there, or with `order` one backup, or with `label` whether all of one is there."""

    place: Place
    order: Copy | None = None
    label: str | None = None


class Step(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """So far: what is done now, and bytes since the last step."""

    doing: str
    bytes: int


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The end. `why`: it failed; `again`: the same may work later."""

    shelf: Shelf | None = None
    made: Made | None = None
    missing: tuple[str, ...] = ()
    why: str = ""
    again: bool = False


class _Steps:
    """Says how far it is, once in a while."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink, self._said, self._bytes = sink, float("-inf"), 0

    def __call__(self, doing: str, count: int) -> None:
        self._bytes += count
        if time.monotonic() - self._said >= STEP_S:
            _say(self._sink, Step(doing=doing, bytes=self._bytes))
            self._said, self._bytes = time.monotonic(), 0


def main(source: BinaryIO, sink: BinaryIO) -> None:
    """One question, one answer."""
    logging.disable(logging.CRITICAL)  # clients log URLs and headers
    ask = msgspec.json.decode(source.readline(), type=Ask)
    _end_with(source)
    vault = Vault(ask.place, time.monotonic, _wait)
    try:
        if ask.order is not None:
            _say(sink, Answer(made=vault.make(ask.order, _Steps(sink))))
        elif ask.label is not None:
            _say(sink, Answer(missing=vault.missing(ask.label)))
        else:
            _say(sink, Answer(shelf=vault.look()))
    except TrainwatchError as error:
        _say(sink, Answer(why=plain(str(error), os.environ), again=error.transient))
    except Exception as error:  # noqa: BLE001 - a client raises anything
        why = plain(f"{type(error).__name__}: {error}", os.environ)
        _say(sink, Answer(why=why, again=True))


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)


def _end_with(source: BinaryIO) -> None:
    """End with whoever started us."""

    def wait() -> None:
        source.read()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _say(sink: BinaryIO, value: msgspec.Struct) -> None:
    sink.write(msgspec.json.encode(value) + b"\n")
    sink.flush()


if __name__ == "__main__":
    said = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a client prints is none of our answer
    main(sys.stdin.buffer, said)
    os._exit(0)  # threads of a client that would not end
