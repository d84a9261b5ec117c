"""Where in a log we are, so that another process can go on there."""

import msgspec


class Print(msgspec.Struct, frozen=True):
    """A fingerprint of the bytes before `end` of a file: tells whether it is still the same file."""

    end: int
    length: int
    digest: str


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A resumable place in a log.

    `generation` counts the files that the path has named so far. `in_long_line` is true while the rest
    of an overlong line is skipped.
    """

    offset: int = 0
    generation: int = 0
    device: int = 0
    inode: int = 0
    prints: tuple[Print, ...] = ()
    in_long_line: bool = False
    overlong: int = 0
