"""python -m trainwatch.adapters.sync.child: one turn of sending, in a process that may be killed.

It reads its order from stdin, copies, says what it has, and sends when it is told to: what is intended stands
on a disk by then. The trap: whoever started it may be killed. When its stdin ends, it ends, too.
"""

import logging
import os
import sys
import threading
from pathlib import Path
from typing import BinaryIO

import msgspec

from trainwatch.adapters.sync import spool
from trainwatch.adapters.sync.places import Place, place_of
from trainwatch.core.model.syncing import Answer, Order, Outcome, Ready
from trainwatch.core.redact import plain

_encode = msgspec.json.Encoder().encode


def main(source: BinaryIO, sink: BinaryIO) -> None:
    """One order, one outcome."""
    logging.disable(logging.CRITICAL)  # clients log URLs and headers
    order = msgspec.json.decode(source.readline(), type=Order)
    try:
        place = place_of(order)
    except Exception as error:  # noqa: BLE001 - a client that is broken or not there
        _say(sink, _masked(Outcome(result="never", why=f"{type(error).__name__}: {error}")))
        return
    if order.ask == "arrived":
        _watch(source)
        _say(sink, _answer(place))
        return
    try:
        taken, reads = spool.fetch(Path(order.root), order.pieces, Path(order.spool))
    except OSError as error:
        why = f"copies cannot be kept in the state folder: {error.strerror}"
        _say(sink, Outcome(result="again", why=why))
        return
    _say(sink, Ready(taken=tuple(taken)))
    line = source.readline()
    if not line:
        return
    numbers = msgspec.json.decode(line, type=tuple[int, ...])
    _watch(source)
    _say(sink, _sent(place, [read for n in numbers if (read := reads[n]) is not None]))


def _sent(place: Place, reads: list[spool.Read]) -> Outcome:
    try:
        return place.send(reads)
    except Exception as error:  # noqa: BLE001 - any client raises anything
        return _masked(place.meaning(error))


def _answer(place: Place) -> Answer | Outcome:
    try:
        return Answer(arrived=place.arrived())
    except Exception as error:  # noqa: BLE001
        return _masked(place.meaning(error))


def _masked(outcome: Outcome) -> Outcome:
    return msgspec.structs.replace(outcome, why=plain(outcome.why, os.environ))


def _watch(source: BinaryIO) -> None:
    """End with whoever started us."""

    def wait() -> None:
        source.read()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _say(sink: BinaryIO, value: msgspec.Struct) -> None:
    sink.write(_encode(value) + b"\n")
    sink.flush()


if __name__ == "__main__":
    said = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a client prints is none of our answer
    main(sys.stdin.buffer, said)
    os._exit(0)  # threads of a client that would not end
