"""What a browser says, as its screen's process is told it: textual-serve's messages, Textual's packets.

Whoever comes here has been let in, but may still be wrong: what is not understood is dropped.
"""

import msgspec

LONGEST_BYTES = 256 * 1024  # of a message; what is pasted is in one
_MOST_CELLS = 1000  # columns or rows

_decode = msgspec.json.Decoder().decode


def size(width: object, height: object) -> tuple[int, int] | None:
    """Columns and rows; None for what no screen has."""
    if type(width) is not int or type(height) is not int:
        return None
    return (width, height) if 1 <= min(width, height) <= max(width, height) <= _MOST_CELLS else None


def packet(said: str) -> bytes | None:
    """What to tell the screen; None for nothing."""
    try:
        message = _decode(said)
    except (msgspec.DecodeError, RecursionError):
        return None
    match message:
        case ["stdin", str(keys)]:
            return _packed(b"D", keys.encode("utf-8", "replace"))
        case ["resize", {"width": width, "height": height}]:
            fits = size(width, height)
            return None if fits is None else meta("resize", width=fits[0], height=fits[1])
        case ["focus"] | ["blur"]:
            return meta(message[0])
    return None


def meta(kind: str, **told: int) -> bytes:
    """What is said about the screen, rather than typed into it."""
    return _packed(b"M", msgspec.json.encode({"type": kind, **told}))


def _packed(kind: bytes, payload: bytes) -> bytes:
    return kind + len(payload).to_bytes(4, "big") + payload
